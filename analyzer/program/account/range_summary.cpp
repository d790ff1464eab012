// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/range_summary.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyzer/numbers/median.h"
#include "analyzer/program/window/activity.h"

namespace roofscope {
namespace {

/// When one GPU works, and for which processes.
class BusyTimes {
public:
    explicit BusyTimes(const program::LaneActivity& lane) : m_processes(lane.processes) {
        for (const program::Activity& activity : lane.activities) {
            if (activity.time.length() <= 0) continue;
            if (!m_busy.empty() && activity.time.start <= m_busy.back().end) {
                m_busy.back().end = std::max(m_busy.back().end, activity.time.end);
                continue;
            }
            m_before.push_back(m_busy.empty() ? 0 : m_before.back() + m_busy.back().length());
            m_busy.push_back(activity.time);
        }
    }

    [[nodiscard]] bool isFor(std::uint32_t process) const {
        return std::ranges::find(m_processes, process) != m_processes.end();
    }
    [[nodiscard]] Nanoseconds within(const TimeSpan& span) const {
        return until(span.end) - until(span.start);
    }

private:
    [[nodiscard]] Nanoseconds until(Nanoseconds time) const {
        const auto after = std::ranges::lower_bound(m_busy, time, {}, &TimeSpan::start);
        if (after == m_busy.begin()) return 0;
        const auto last = static_cast<std::size_t>(after - m_busy.begin()) - 1;
        return m_before[last] + std::min(m_busy[last].end, time) - m_busy[last].start;
    }

    std::vector<std::uint32_t> m_processes;
    std::vector<TimeSpan> m_busy;       ///< ascending, disjoint
    std::vector<Nanoseconds> m_before;  ///< busy time before each of them
};

Seconds secondsOf(double nanoseconds) { return {nanoseconds / 1e9}; }

}  // namespace

std::vector<RangeSummary> summarizeRanges(const Profile& profile) {
    const Timeline& timeline = profile.timeline;
    if (timeline.ranges.empty()) return {};
    std::vector<BusyTimes> gpus;
    for (const program::LaneActivity& lane : program::laneActivities(profile))
        gpus.emplace_back(lane);
    std::map<std::uint32_t, RangeSummary> known;
    std::map<std::uint32_t, std::vector<double>> lengths;
    for (const RangeSpan& span : timeline.ranges) {
        RangeSummary& summary = known[span.range];
        summary.range = span.range;
        if (summary.count++ == 0 || span.time.length() > summary.longestAt.length())
            summary.longestAt = span.time;
        lengths[span.range].push_back(static_cast<double>(span.time.length()));
        if (!span.gpu) continue;
        const std::uint32_t process = timeline.threads[span.thread].process;
        double busy = 0, of = 0;
        for (const BusyTimes& gpu : gpus)
            if (const auto ran = gpu.isFor(process) ? gpu.within(*span.gpu) : 0; ran > 0) {
                busy += static_cast<double>(ran);
                ++of;  // other GPUs of the process had no work of this range
            }
        if (of == 0) continue;
        ++summary.onGpu;
        summary.gpu += secondsOf(busy / of);
        summary.idle += secondsOf(static_cast<double>(span.gpu->length()) - busy / of);
    }
    std::vector<RangeSummary> summaries;
    for (auto& [range, summary] : known) {
        std::vector<double>& all = lengths[range];
        for (const double length : all) summary.total += secondsOf(length);
        summary.shortest = secondsOf(*std::ranges::min_element(all));
        summary.longest = secondsOf(static_cast<double>(summary.longestAt.length()));
        summary.median = secondsOf(medianOf(std::move(all)));
        summaries.push_back(summary);
    }
    std::ranges::stable_sort(summaries, std::greater{}, &RangeSummary::total);
    return summaries;
}

}  // namespace roofscope
