// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranges.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/grouping.h"
#include "analyzer/quantities.h"

namespace roofscope {
namespace {

/// Occurrences in the place of launches, so that what is derived of launches is derived of them.
/// What a launch has and a range has not (grid, registers) stays empty and is not shown.
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

std::vector<RangeAnalysis> analyzeRanges(
    const Profile& profile, const std::function<const ChipTable*(std::uint32_t)>& chipOf,
    Convention convention) {
    std::vector<RangeAnalysis> ranges;
    if (profile.rangeMeasurements.empty()) return ranges;
    const Profile occurrences = asLaunches(profile);
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
        std::vector<double> unused;
        range.duration =
            groupDuration(occurrences, {.device = key.second, .launches = rows}, unused);
        // Bytes and times of a rate are of the same occurrences: those that have counters.
        LaunchGroup counted{.device = key.second};
        std::ranges::copy_if(rows, std::back_inserter(counted.launches), [&](std::uint32_t row) {
            return hasCounters(occurrences.counters, row);
        });
        range.counted = counted.launches.size();
        range.quantities = deriveQuantities(occurrences, counted, chipOf(key.second), convention);
        ranges.push_back(std::move(range));
    }
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const RangeAnalysis& a, const RangeAnalysis& b) {
                         return a.duration.total.value > b.duration.total.value;
                     });
    return ranges;
}

}  // namespace roofscope
