// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "collector/inject/sessions/counter_session.h"
#include "collector/inject/sessions/range_profiler.h"

namespace roofscope::inject {

/// CUPTI's range profiler as a counter session: every kernel is a range.
///
/// Under kernel replay, Stop, Decode and Start take microseconds, and ranges accumulate in the
/// image of counter data. So the session is drained after every launch; only a fresh image is
/// expensive (8 ms for 32 ranges). Under user replay (one pass, nothing replayed), a Stop takes 7
/// ms or more, and every batch gets a fresh image.
class CuptiSession final : public CounterSession {
public:
    /// Plans the counters for the device of `context` and starts reading. `facts` names its chip.
    /// Counters that the chip lacks are reported as issues. Must run with the context current.
    static Result<std::unique_ptr<CounterSession>> open(const CuptiApi& cupti, CUcontext context,
                                                        CUdevice device, const CountersMode& mode,
                                                        const Device& facts,
                                                        const ReportIssue& report);

    [[nodiscard]] const std::vector<std::string>& counters() const override { return m_counters; }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override {
        return m_planned.plans.front().peaks;
    }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_peakValues; }
    [[nodiscard]] std::size_t passes() const override;
    [[nodiscard]] std::size_t groups() const override { return m_planned.plans.size(); }
    [[nodiscard]] std::size_t room() const override { return m_capacity - m_handedOver; }
    [[nodiscard]] bool pausesCheaply() const override { return m_replayed; }
    void choose(std::size_t group) override { m_next = group; }
    Result<void> reserve(std::size_t ranges) override;
    Result<Batch> drain(bool pause) override;
    Result<void> resume() override;

private:
    CuptiSession(const CuptiApi& cupti, CUcontext context, bool replayed, PlannedCounters planned);
    Result<void> configure();
    /// Values of the current group, each at its counter's position in counters().
    Result<std::vector<double>> values(std::size_t range);

    bool m_replayed;
    PlannedCounters m_planned;
    std::vector<std::string> m_counters;             ///< of all groups, without duplicates
    std::vector<std::vector<std::size_t>> m_places;  ///< of each group's counters in m_counters
    RangeProfiler m_profiler;                        ///< refers to m_planned
    std::size_t m_group = 0;                         ///< the group that runs
    std::size_t m_next = 0;  ///< the group to run from the next drain or resume on
    std::vector<double> m_peakValues;
    std::optional<Error> m_broken;  ///< why the session could not continue
    std::size_t m_capacity = 0;     ///< 0: not decided yet
    std::size_t m_handedOver = 0;   ///< ranges of the image that earlier drains returned
    bool m_stale = false;           ///< a fresh image is needed before the next start
};

}  // namespace roofscope::inject
