// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/counter_session.h"
#include "collector/plan/counter_plan.h"
#include "collector/plan/host_object.h"

namespace roofscope::inject {

/// CUPTI's range profiler as a counter session: AutoRange (one range per kernel) with kernel
/// replay. One Start/Stop spans a whole batch of launches, because each costs about 11 ms.
class CuptiSession final : public CounterSession {
public:
    using Report = std::function<void(Issue)>;

    /// Plans the counters for the device of `context` and starts reading. Fills in `facts.chip`.
    /// Counters that the chip lacks are reported as issues. Must run with the context current.
    static Result<std::unique_ptr<CounterSession>> open(const CuptiApi& cupti,
                                                        const DriverApi& driver, CUcontext context,
                                                        CUdevice device, Device& facts,
                                                        const Report& report);
    ~CuptiSession() override;

    [[nodiscard]] const std::vector<std::string>& counters() const override {
        return m_plan.counters;
    }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override {
        return m_plan.peaks;
    }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_peakValues; }
    [[nodiscard]] std::size_t passes() const override { return m_plan.passes; }
    [[nodiscard]] std::size_t capacity() const override { return m_capacity; }
    Result<void> reserve(std::size_t ranges) override;
    Result<Batch> drain(bool last) override;

private:
    CuptiSession(const CuptiApi& cupti, CUcontext context, CounterPlan plan,
                 std::vector<std::uint8_t> availability);
    Result<void> check(CUptiResult result, const char* call) const;
    Result<void> enable();
    Result<void> configure();  ///< fresh counter data image, then SetConfig and Start
    Result<void> stop();
    Result<std::vector<double>> evaluate(std::size_t range, const std::vector<const char*>& names);

    const CuptiApi& m_cupti;
    CUcontext m_context;
    CounterPlan m_plan;
    std::vector<std::uint8_t> m_availability;  ///< must outlive the host object
    std::optional<HostObject> m_host;
    CUpti_RangeProfiler_Object* m_profiler = nullptr;
    std::vector<std::uint8_t> m_counterData;
    std::vector<const char*> m_counterNames, m_peakNamePointers;
    std::vector<double> m_peakValues;
    std::optional<Error> m_broken;  ///< why the session could not go on
    std::size_t m_capacity;
    bool m_running = false;
};

}  // namespace roofscope::inject
