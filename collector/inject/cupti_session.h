// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/counter_session.h"
#include "collector/orders/run_orders.h"
#include "collector/plan/counter_plan.h"
#include "collector/plan/host_object.h"

namespace roofscope::inject {

/// What a CUPTI call's failure is to a user: code, words and advice.
[[nodiscard]] Error cuptiError(const CuptiApi& cupti, CUptiResult result, const char* call);

/// The counters that a device can read, planned.
struct PlannedCounters {
    CounterPlan plan;
    std::vector<std::uint8_t> availability;  ///< must outlive host objects that are made with it
};
/// Plans the counters of `orders` for the device of `context`, which must be current. Fills in
/// `facts.chip`. Counters that the chip lacks are reported as issues.
Result<PlannedCounters> planOnDevice(const CuptiApi& cupti, CUcontext context, CUdevice device,
                                     const RunOrders& orders, Device& facts,
                                     const std::function<void(Issue)>& report);

/// CUPTI's range profiler as a counter session: AutoRange, one range per kernel.
///
/// With kernel replay Stop, Decode and Start cost microseconds and ranges add up in the image of
/// counter data, so that it is drained after every launch; only a fresh image costs (8 ms for 32
/// ranges). With user replay (one pass, nothing replayed) a Stop costs 7 ms and more, and every
/// batch gets a fresh image.
class CuptiSession final : public CounterSession {
public:
    using Report = std::function<void(Issue)>;

    /// Plans the counters for the device of `context` and starts reading. Fills in `facts.chip`.
    /// Counters that the chip lacks are reported as issues. Must run with the context current.
    static Result<std::unique_ptr<CounterSession>> open(const CuptiApi& cupti,
                                                        const DriverApi& driver, CUcontext context,
                                                        CUdevice device, const RunOrders& orders,
                                                        Device& facts, const Report& report);
    ~CuptiSession() override;

    [[nodiscard]] const std::vector<std::string>& counters() const override {
        return m_plan.counters;
    }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override {
        return m_plan.peaks;
    }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_peakValues; }
    [[nodiscard]] std::size_t passes() const override { return m_plan.passes; }
    [[nodiscard]] std::size_t room() const override { return m_capacity - m_handedOver; }
    [[nodiscard]] bool pausesCheaply() const override {
        return m_replay == RunOrders::Replay::Kernel;
    }
    Result<void> reserve(std::size_t ranges) override;
    Result<Batch> drain(bool pause) override;
    Result<void> resume() override;

private:
    CuptiSession(const CuptiApi& cupti, CUcontext context, RunOrders::Replay replay,
                 CounterPlan plan, std::vector<std::uint8_t> availability);
    Result<void> check(CUptiResult result, const char* call) const;
    Result<void> enable();
    Result<void> configure();  ///< fresh counter data image, then SetConfig
    Result<std::size_t> imageSize(std::size_t ranges);
    Result<void> start();
    Result<void> stop();
    Result<std::vector<double>> evaluate(std::size_t range, const std::vector<const char*>& names);

    const CuptiApi& m_cupti;
    CUcontext m_context;
    RunOrders::Replay m_replay;
    CounterPlan m_plan;
    std::vector<std::uint8_t> m_availability;  ///< must outlive the host object
    std::optional<HostObject> m_host;
    CUpti_RangeProfiler_Object* m_profiler = nullptr;
    std::vector<std::uint8_t> m_counterData;
    std::vector<const char*> m_counterNames, m_peakNamePointers;
    std::vector<double> m_peakValues;
    std::optional<Error> m_broken;  ///< why the session could not go on
    std::size_t m_capacity = 0;
    std::size_t m_handedOver = 0;  ///< ranges of the image that earlier drains returned
    bool m_running = false;
    bool m_stale = false;  ///< the image must be made anew before the next start
};

}  // namespace roofscope::inject
