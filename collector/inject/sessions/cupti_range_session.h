// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "collector/inject/sessions/range_profiler.h"
#include "collector/inject/sessions/range_session.h"

namespace roofscope::inject {

/// CUPTI's range profiler with user ranges: one pass, one nesting level. CUPTI 13.0 ends the
/// process if there are more ranges than configured or a second nesting level, so this class
/// prevents both.
class CuptiRangeSession final : public RangeSession {
public:
    /// Prepares these counters for `context`, which must be current.
    /// `facts` names its chip. Counters that the chip lacks are reported as issues.
    static Result<std::unique_ptr<RangeSession>> open(const CuptiApi& cupti, CUcontext context,
                                                      CUdevice device,
                                                      const std::vector<std::string>& counters,
                                                      const Device& facts,
                                                      const ReportIssue& report);

    [[nodiscard]] const std::vector<std::string>& counters() const override {
        return m_planned.plans.front().counters;
    }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override {
        return m_planned.plans.front().peaks;
    }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_peakValues; }
    [[nodiscard]] std::size_t room() const override { return m_capacity - m_pushed; }
    Result<void> push(const std::string& name) override;
    Result<void> pop() override { return m_profiler.pop(); }
    Result<Batch> drain() override;

private:
    CuptiRangeSession(const CuptiApi& cupti, CUcontext context, PlannedCounters planned);
    Result<void> start();  ///< with a fresh image of counter data

    PlannedCounters m_planned;
    RangeProfiler m_profiler;  ///< refers to m_planned
    std::vector<double> m_peakValues;
    std::size_t m_capacity = 0;
    std::size_t m_pushed = 0;  ///< ranges in the image
};

}  // namespace roofscope::inject
