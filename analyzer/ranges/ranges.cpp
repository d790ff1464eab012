// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranges/ranges.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/numbers/median.h"
#include "analyzer/quantities/quantities.h"

namespace roofscope {
namespace {

/// An occurrence this many times longer than the median does something else as well: it loads code,
/// or chooses an algorithm. One of those would outweigh all others in a ratio of sums.
constexpr double kSlow = 2.0;

/// Puts occurrences in the place of launches, so that the formulas for launches apply to them. What
/// only launches have (grid, registers) stays empty and is not shown.
Profile asLaunches(const Profile& profile) {
    Profile p;
    p.devices = profile.devices;
    p.processes = profile.processes;
    p.kernels.emplace_back();
    for (const RangeMeasurement& m : profile.rangeMeasurements)
        p.launches.push_back({.device = m.device, .process = m.process, .duration = m.duration});
    p.counters = profile.rangeCounters;
    p.counters.resize(p.launches.size());
    return p;
}

/// Replaces the time of the counter run by that of the timing run in these rows, and rescales what
/// was counted as a share of elapsed cycles: the work is the same.
void useTimingRunDurations(Profile& occurrences, const std::vector<std::uint32_t>& rows) {
    constexpr std::string_view kOfElapsed = ".pct_of_peak_sustained_elapsed";
    const auto shown = [&](std::uint32_t row) { return occurrences.launches[row].duration; };
    if (!std::ranges::all_of(rows, [&](std::uint32_t row) { return shown(row).has_value(); }))
        return;
    const std::vector<std::string> names = occurrences.counters.names();
    for (const std::uint32_t row : rows) {
        const double ns = shown(row)->value * 1e9;
        const auto counted = occurrences.counters.value(counter::kDuration, row);
        if (!counted || !(*counted > 0) || !(ns > 0)) continue;
        occurrences.counters.set(std::string(counter::kDuration), row, ns);
        for (const std::string& name : names)
            if (name == counter::kSmCyclesElapsed)
                occurrences.counters.set(
                    name, row, occurrences.counters.value(name, row).value_or(0) * ns / *counted);
            else if (name.ends_with(kOfElapsed))
                if (const auto share = occurrences.counters.value(name, row))
                    occurrences.counters.set(name, row, *share * *counted / ns);
    }
}

/// The median without slow values. Values above kSlow × median are removed until there are none
/// left, because each removal moves the median of a few values. Needs at least one value.
double usualMedian(std::vector<double> seconds) {
    std::ranges::sort(seconds);
    for (;;) {
        const double median = medianOf(seconds);
        const auto slow = std::ranges::upper_bound(seconds, kSlow * median);
        if (slow == seconds.end()) return median;
        seconds.erase(slow, seconds.end());
    }
}

/// Σ busy / Σ duration over the occurrences for which both are known.
Derived<Ratio> busyShare(const Profile& profile, const std::vector<std::uint32_t>& rows) {
    constexpr const char* kHow = "time in which a kernel ran / duration, timing run";
    // Both are medians if there were several timing runs, so `busy` may be slightly larger.
    // Anything beyond this factor is not a measurement.
    constexpr double kRounding = 1.01;
    double busy = 0, duration = 0;
    for (const std::uint32_t row : rows) {
        const RangeMeasurement& m = profile.rangeMeasurements[row];
        if (!m.busy || !m.duration || m.busy->value > kRounding * m.duration->value) continue;
        busy += m.busy->value;
        duration += m.duration->value;
    }
    return duration > 0 ? Derived<Ratio>::of({std::min(1.0, busy / duration)}, kHow)
                        : Derived<Ratio>::absent("busy_ns", kHow);
}

bool hasCounters(const CounterTable& counters, std::size_t row) {
    return std::ranges::any_of(counters.names(), [&](const std::string& name) {
        return counters.value(name, row).has_value();
    });
}

/// Fewest and most kernels of an occurrence; nothing unless all are known.
void countLaunches(const Profile& profile, const std::vector<std::uint32_t>& rows,
                   RangeAnalysis& range) {
    for (const std::uint32_t row : rows) {
        const auto& launches = profile.rangeMeasurements[row].launches;
        if (!launches) {
            range.fewestLaunches.reset();
            range.mostLaunches.reset();
            return;
        }
        range.fewestLaunches = std::min(range.fewestLaunches.value_or(*launches), *launches);
        range.mostLaunches = std::max(range.mostLaunches.value_or(*launches), *launches);
    }
}

}  // namespace

Derived<Seconds> meanTime(const RangeAnalysis& range) {
    const DurationStats& d = range.quantities.duration;
    const char* how = d.unprofiled() ? "mean per occurrence, timing run"
                                     : "mean per occurrence, while counters were read";
    return d.count > 0 ? Derived<Seconds>::of({d.total.value / static_cast<double>(d.count)}, how)
                       : Derived<Seconds>::absent("duration", how);
}

std::vector<RangeAnalysis> analyzeRanges(
    const Profile& profile, const std::function<const ChipTable*(std::uint32_t)>& chipOf,
    Convention convention) {
    std::vector<RangeAnalysis> ranges;
    if (profile.rangeMeasurements.empty()) return ranges;
    Profile occurrences = asLaunches(profile);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> groups;
    for (std::uint32_t row = 0; row < profile.rangeMeasurements.size(); ++row) {
        const RangeMeasurement& m = profile.rangeMeasurements[row];
        groups[{m.range, m.device}].push_back(row);
    }
    for (const auto& [key, rows] : groups) {
        RangeAnalysis range;
        range.device = key.second;
        range.name = profile.ranges[key.first];
        range.occurrences = rows.size();
        countLaunches(profile, rows, range);
        std::vector<double> seconds;
        range.duration =
            groupDuration(occurrences, {.device = key.second, .launches = rows}, seconds);
        std::vector<double> known;
        std::ranges::copy_if(seconds, std::back_inserter(known),
                             [](double value) { return std::isfinite(value); });
        const std::optional<double> median =
            known.empty() ? std::nullopt : std::optional(usualMedian(known));
        std::vector<std::uint32_t> usual, withCounters, usualWithCounters;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool slow = median && seconds[i] > kSlow * *median;
            if (!slow) usual.push_back(rows[i]);
            if (!hasCounters(occurrences.counters, rows[i])) continue;
            withCounters.push_back(rows[i]);
            if (!slow) usualWithCounters.push_back(rows[i]);
        }
        range.counted = withCounters.size();
        // Bytes, times and busy times must cover the same occurrences, or they would not agree.
        LaunchGroup standing{.device = key.second};
        if (usualWithCounters.empty() && !withCounters.empty()) {
            standing.launches = withCounters;  // better than nothing
        } else {
            standing.launches = usualWithCounters.empty() ? usual : usualWithCounters;
            range.slow = rows.size() - usual.size();
            if (median) range.duration.median = Seconds{*median};
        }
        range.busy = busyShare(profile, standing.launches);
        const GroupSums sums(profile.rangeCounters, standing.launches);
        const auto time = sums.joint({counter::kDuration});
        useTimingRunDurations(occurrences, standing.launches);
        range.quantities = deriveQuantities(occurrences, standing, chipOf(key.second), convention);
        if (time.ok())
            range.quantities.counterDuration = Derived<Seconds>::of(
                {time.mean(0) * 1e-9}, "mean of gpu__time_duration.sum, from push to pop");
        ranges.push_back(std::move(range));
    }
    std::ranges::stable_sort(ranges, std::greater{},
                             [](const RangeAnalysis& range) { return range.duration.total; });
    return ranges;
}

}  // namespace roofscope
