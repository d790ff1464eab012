// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/inject/sessions/device_plan.h"
#include "collector/plan/host_object.h"

namespace roofscope::inject {

/// A thin wrapper around CUPTI's range profiler in one context: configuration, counter data image,
/// start, stop and decoding. Sessions decide when to call what.
class RangeProfiler {
public:
    enum class Ranges {
        Kernels,  ///< every kernel is a range (AutoRange)
        Pushed,   ///< from push() to pop() (UserRange)
    };

    /// `planned` must not move. `replayed`: CUPTI runs each kernel once per pass.
    RangeProfiler(const CuptiApi& cupti, CUcontext context, const PlannedCounters& planned,
                  Ranges ranges, bool replayed);
    /// Stops and releases the counters. Errors can no longer be reported.
    ~RangeProfiler();
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;

    /// Selects the plan for the next configure(); only while stopped. A change disables the
    /// profiler and enables it again (18 ms). Otherwise many configurations yield only NaN after
    /// another one (CUPTI 13.0).
    Result<void> use(std::size_t plan);
    /// How many ranges fit into `bytes` of counter data, but at least `least` and at most `most`.
    Result<std::size_t> capacityWithin(std::size_t bytes, std::size_t least, std::size_t most);
    /// Creates a counter data image for this many ranges, and configures the profiler with it.
    Result<void> configure(std::size_t capacity);

    Result<void> start();
    Result<void> stop();
    [[nodiscard]] bool running() const { return m_running; }
    /// One range at a time. Pushing more ranges than fit the image would end the process (CUPTI
    /// 13.0).
    Result<void> push(const std::string& name);
    Result<void> pop();

    struct Decoded {
        std::size_t ranges = 0;   ///< in the image, including those of earlier calls
        std::size_t dropped = 0;  ///< ranges that did not fit
    };
    /// Reads what was measured until the last stop().
    Result<Decoded> decode();
    /// Values of the plan's counters in one range of the image, in their order; NaN where missing.
    Result<std::vector<double>> values(std::size_t range);
    /// The same for the plan's peaks.
    Result<std::vector<double>> peaks(std::size_t range);
    /// The name with which a range was pushed.
    Result<std::string> name(std::size_t range);

private:
    [[nodiscard]] const CounterPlan& plan() const { return m_planned.plans[*m_current]; }
    Result<void> check(CUptiResult result, const char* call) const;
    Result<void> enable();
    void disable();
    Result<std::size_t> imageSize(std::size_t ranges);
    Result<std::vector<double>> evaluate(std::size_t range, const std::vector<std::string>& names);

    const CuptiApi& m_cupti;
    CUcontext m_context;
    const PlannedCounters& m_planned;
    Ranges m_ranges;
    bool m_replayed;
    std::optional<HostObject> m_host;
    CUpti_RangeProfiler_Object* m_profiler = nullptr;
    std::optional<std::size_t> m_current;
    std::vector<std::uint8_t> m_counterData;
    bool m_running = false;
};

}  // namespace roofscope::inject
