// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/join_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "collector/configuration/run_configuration.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/join/process_pairs.h"

namespace roofscope {
namespace {

/// Process, path, ordinal and device of an occurrence.
using RangeKey = std::tuple<std::uint32_t, std::string_view, std::uint32_t, std::uint32_t>;

/// `process` and `device` are indices into the base's lists.
RangeKey placeOf(const Profile& profile, const RangeMeasurement& m, std::uint32_t process,
                 std::uint32_t device) {
    return {process, profile.ranges[m.range], m.ordinal, device};
}

/// The ranges of each process: those of one depth, or all.
ProcessWork rangesByProcess(const Profile& profile, std::optional<std::uint32_t> depth) {
    ProcessWork work(profile.processes.size());
    for (const RangeMeasurement& m : profile.rangeMeasurements)
        if (!depth || (m.depth == *depth && m.ordinal < kMeasuredOccurrences))
            work[m.process].push_back(
                kernelSignature(fmt::format("{} {}", m.ordinal, profile.ranges[m.range])));
    return work;
}

ProcessPairs pairByRanges(const Profile& base, const Profile& run,
                          std::optional<std::uint32_t> depth = {}) {
    return pairProcesses(base.processes, rangesByProcess(base, depth), run.processes,
                         rangesByProcess(run, depth));
}

/// Devices are numbered in the order in which a process first uses them. A run that notices them at
/// launches and one that notices them at ranges may number them differently, so they are matched by
/// UUID.
std::vector<std::optional<std::uint32_t>> partnerDevices(const Profile& base, const Profile& run) {
    std::vector<std::optional<std::uint32_t>> partners;
    for (std::uint32_t i = 0; i < run.devices.size(); ++i) {
        const std::string& uuid = run.devices[i].uuid;
        const auto same = std::ranges::find_if(
            base.devices, [&](const Device& d) { return !uuid.empty() && d.uuid == uuid; });
        if (same != base.devices.end())
            partners.emplace_back(static_cast<std::uint32_t>(same - base.devices.begin()));
        else if (uuid.empty() && i < base.devices.size())
            partners.emplace_back(i);
        else
            partners.emplace_back();
    }
    return partners;
}

bool differs(const RangeMeasurement& a, const RangeMeasurement& b) {
    return (a.launches && b.launches && *a.launches != *b.launches) ||
           (a.work && b.work && *a.work != *b.work);
}

std::map<RangeKey, std::size_t> rowsOf(const Profile& profile) {
    std::map<RangeKey, std::size_t> rows;
    for (std::size_t i = 0; i < profile.rangeMeasurements.size(); ++i) {
        const RangeMeasurement& m = profile.rangeMeasurements[i];
        rows[placeOf(profile, m, m.process, m.device)] = i;
    }
    return rows;
}

}  // namespace

RangeJoin joinRanges(Profile& base, const Profile& run, std::uint32_t depth) {
    RangeJoin join;
    const auto partners = partnerDevices(base, run);
    const auto rows = rowsOf(base);
    const ProcessPairs pairs = pairByRanges(base, run, depth);
    std::size_t present = 0;
    for (std::size_t i = 0; i < run.rangeMeasurements.size(); ++i) {
        const RangeMeasurement& theirs = run.rangeMeasurements[i];
        const auto device = partners[theirs.device];
        const auto it =
            device ? rows.find(placeOf(run, theirs, pairs.inBaseOf(base, theirs.process), *device))
                   : rows.end();
        if (it == rows.end() || base.rangeMeasurements[it->second].depth != depth) {
            ++join.unknown;
            continue;
        }
        ++present;
        if (differs(base.rangeMeasurements[it->second], theirs)) {
            ++join.differing;
            continue;
        }
        ++join.matched;
        for (const std::string& name : run.rangeCounters.names())
            if (const auto value = run.rangeCounters.value(name, i);
                value && !base.rangeCounters.value(name, it->second))
                base.rangeCounters.set(name, it->second, *value);
    }
    const auto wanted = static_cast<std::size_t>(
        std::ranges::count_if(base.rangeMeasurements, [&](const RangeMeasurement& m) {
            return m.depth == depth && m.ordinal < kMeasuredOccurrences;
        }));
    join.absent = wanted - std::min(wanted, present);

    for (std::size_t d = 0; d < run.devices.size(); ++d)
        if (partners[d]) addDeviceFacts(base.devices[*partners[d]], run.devices[d]);
    addIssues(base, run.issues);
    return join;
}

void joinRangeTimes(Profile& base, const std::vector<const Profile*>& others) {
    struct Times {
        std::vector<double> durations, busy;
    };
    std::vector<Times> times(base.rangeMeasurements.size());
    const auto add = [](Times& to, const RangeMeasurement& m) {
        if (m.duration) to.durations.push_back(m.duration->value);
        if (m.busy) to.busy.push_back(m.busy->value);
    };
    for (std::size_t i = 0; i < times.size(); ++i) add(times[i], base.rangeMeasurements[i]);
    const auto rows = rowsOf(base);
    for (const Profile* other : others) {
        const ProcessPairs pairs = pairByRanges(base, *other);
        for (const RangeMeasurement& m : other->rangeMeasurements)
            if (const auto it =
                    rows.find(placeOf(*other, m, pairs.inBaseOf(base, m.process), m.device));
                it != rows.end() && !differs(base.rangeMeasurements[it->second], m))
                add(times[it->second], m);
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        RangeMeasurement& m = base.rangeMeasurements[i];
        if (!times[i].durations.empty())
            m.duration = Seconds{median(std::move(times[i].durations))};
        if (!times[i].busy.empty()) m.busy = Seconds{median(std::move(times[i].busy))};
    }
}

}  // namespace roofscope
