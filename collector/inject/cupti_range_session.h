// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/cupti_session.h"
#include "collector/inject/range_session.h"
#include "collector/plan/host_object.h"

namespace roofscope::inject {

/// CUPTI's range profiler with user ranges and user replay: one pass, one nesting level. More
/// ranges than the session was configured for, and a second nesting level, end the process (CUPTI
/// 13.0), so neither is ever asked for.
class CuptiRangeSession final : public RangeSession {
public:
    /// Prepares the counters of `orders` for `context`, which must be current. Fills in
    /// `facts.chip`. Counters that the chip lacks are reported as issues.
    static Result<std::unique_ptr<RangeSession>> open(const CuptiApi& cupti, CUcontext context,
                                                      CUdevice device, const RunOrders& orders,
                                                      Device& facts,
                                                      const CuptiSession::Report& report);
    ~CuptiRangeSession() override;

    [[nodiscard]] const std::vector<std::string>& counters() const override {
        return m_plan.counters;
    }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override {
        return m_plan.peaks;
    }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_peakValues; }
    [[nodiscard]] std::size_t room() const override { return m_capacity - m_pushed; }
    Result<void> push(const std::string& name) override;
    Result<void> pop() override;
    Result<Batch> drain() override;

private:
    CuptiRangeSession(const CuptiApi& cupti, CUcontext context, PlannedCounters planned);
    Result<void> check(CUptiResult result, const char* call) const;
    Result<void> enable();
    Result<std::size_t> imageSize(std::size_t ranges);
    Result<void> start();  ///< with a fresh image of counter data
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
    std::size_t m_capacity = 0;
    std::size_t m_pushed = 0;  ///< ranges in the image
    bool m_running = false;
};

}  // namespace roofscope::inject
