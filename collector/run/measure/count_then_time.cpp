// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/count_then_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "collector/rank/rank.h"
#include "collector/run/join/join_parts.h"
#include "profile/names/instrumented.h"
#include "profile/names/peer_kernels.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

/// The smallest share of a process' launches that must have been timed.
constexpr double kLeastTimed = 1.0 / 3;
/// The fewest iterations of its loop that must have been timed. They contain nearly one whole
/// iteration, wherever in the loop timing began.
constexpr double kLeastRounds = 1.5;
/// If a kernel takes a smaller share of the GPU's time, its counters are not worth a run.
constexpr double kLeastShareWorthRun = 0.01;

/// A kernel is known well enough if this many of its shapes have counters. Another shape is worth a
/// run only above a larger share, because reports judge the shapes of a kernel together.
constexpr std::size_t kEnoughShapes = 4;
constexpr double kLeastShareOfShape = 0.1;

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// Whether a launch ran before its process began to time.
bool isEarly(const Profile& run, std::size_t row, const CountedFirstBy& countedFirst) {
    const auto first = countedFirst.find(run.launches[row].process);
    return first != countedFirst.end() && row < first->second.firstTimed;
}

/// Moves the run's counters to a table of `rows` rows: place(row) is the new row of a value, or
/// kNobody to drop it.
template <class Place>
CounterTable movedCounters(const Profile& run, std::size_t rows, const Place& place) {
    CounterTable counters(rows);
    for (const std::string& name : run.counters.names()) {
        std::map<std::uint32_t, double> values;
        run.counters.column(name).forEach([&](std::size_t row, double value) {
            if (const std::uint32_t to = place(static_cast<std::uint32_t>(row)); to != kNobody)
                values[to] = value;
        });
        std::vector<std::uint32_t> places;
        std::vector<double> numbers;
        for (const auto& [to, value] : values) {
            places.push_back(to);
            numbers.push_back(value);
        }
        counters.addSparseColumn(name, std::move(places), std::move(numbers));
    }
    return counters;
}

/// The row that `receiver` gives for a row; rows that are not in it stay where they are.
std::uint32_t receiverOf(const std::map<std::uint32_t, std::uint32_t>& receiver,
                         std::uint32_t row) {
    const auto given = receiver.find(row);
    return given == receiver.end() ? row : given->second;
}

/// Removes the launches that are keys of `receiver`. Their counters go to the launch that is the
/// value, or are dropped (kNobody).
void removeCountedLaunches(Profile& run, const std::map<std::uint32_t, std::uint32_t>& receiver) {
    std::vector<std::uint32_t> place(run.launches.size(), kNobody);
    std::vector<Launch> kept;
    for (std::uint32_t row = 0; row < run.launches.size(); ++row) {
        if (receiver.contains(row)) continue;
        place[row] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(run.launches[row]);
    }
    CounterTable counters = movedCounters(run, kept.size(), [&](std::uint32_t row) {
        const std::uint32_t to = receiverOf(receiver, row);
        return to == kNobody ? kNobody : place[to];
    });
    for (Call& call : run.timeline.calls) {
        if (!call.work || run.timeline.callNames[call.name].kind == CallKind::Transfer) continue;
        const std::uint32_t now = *call.work < place.size() ? place[*call.work] : kNobody;
        call.work = now == kNobody ? std::nullopt : std::optional(now);
    }
    run.launches = std::move(kept);
    run.counters = std::move(counters);
}

/// The first counter that each row has, which tells the group: different groups of counters were
/// read from different launches.
std::vector<std::string> groupsOf(const Profile& run) {
    std::vector<std::string> group(run.launches.size());
    for (const std::string& name : run.counters.names())
        run.counters.column(name).forEach([&](std::size_t row, double) {
            if (row < group.size() && group[row].empty()) group[row] = name;
        });
    return group;
}

/// Sorts the rows by how close their duration is to the median, closest first.
void sortByDistanceToMedian(const Profile& run, std::vector<std::uint32_t>& rows) {
    if (rows.empty()) return;
    const auto seconds = [&](std::uint32_t row) {
        return run.launches[row].duration.value_or(Seconds{}).value;
    };
    std::vector<double> durations;
    for (const std::uint32_t row : rows) durations.push_back(seconds(row));
    const double middle = median(std::move(durations));
    std::ranges::stable_sort(rows, {},
                             [&](std::uint32_t row) { return std::abs(seconds(row) - middle); });
}

/// Subtracts what timing one by one added to the launches from before their process began to time.
void subtractSerialOverhead(Profile& run, const CountedFirstBy& countedFirst,
                            const SerialTimes& serial) {
    const Seconds added = timeAddedBySerialRuns(run, serial);
    std::optional<Seconds> shortest;  // the shortest timed duration; no launch becomes shorter
    for (std::size_t row = 0; row < run.launches.size(); ++row)
        if (const auto& duration = run.launches[row].duration;
            duration && !isEarly(run, row, countedFirst))
            shortest = std::min(shortest.value_or(*duration), *duration);
    for (std::size_t row = 0; row < run.launches.size(); ++row)
        if (auto& duration = run.launches[row].duration;
            duration && shortest && isEarly(run, row, countedFirst))
            duration = std::max(*duration - added, std::min(*duration, *shortest));
}

/// From the start of the first timed launch to the end of the last, in seconds.
double spanOfTimed(const Profile& run) {
    std::optional<double> first, last;
    for (const Launch& launch : run.launches) {
        if (!launch.start || !launch.duration) continue;
        const double start = launch.start->value, end = start + launch.duration->value;
        first = std::min(first.value_or(start), start);
        last = std::max(last.value_or(end), end);
    }
    return first ? *last - *first : 0;
}

/// The issue that describes a run that counted and timed. `run` is as it was read; `leftOut` of its
/// rows will be removed. `groups`: counters were read group by group.
Issue countedFirstIssue(const Profile& run, const CountedFirstBy& countedFirst, std::size_t leftOut,
                        bool groups) {
    std::size_t early = 0;
    for (std::size_t row = 0; row < run.launches.size(); ++row)
        early += isEarly(run, row, countedFirst) ? 1 : 0;
    std::string message = fmt::format(
        "the program needs more than {} s before it uses the GPU, so one run first counted and "
        "then timed: start times of the first {} of {}, and the timeline until then, are not in "
        "this profile",
        kSlowStart, early, countText(run.launches.size(), "launch", "launches"));
    if (leftOut > 0)
        message += fmt::format("; {} no row: similar timed launches have the counters",
                               countText(leftOut, "counted launch has", "counted launches have"));
    if (groups)
        message +=
            "; hardware counters (bytes, pipes) and instrumented ones (instructions by kind) are "
            "those of different launches of a kernel and shape";
    return {.severity = Severity::Info,
            .source = "record",
            .code = "counted-first",
            .message = std::move(message),
            .advice =
                "to time everything, record with --timing-repeats 1: a run without counters comes "
                "first"};
}

}  // namespace

bool mayCountThenTime(const RecordOptions& o) {
    return !o.timingRuns && timingRunsOf(o) == 1 && !o.timingOnly && !o.callOnce &&
           o.replay == ReplayChoice::Auto && o.perKernel > 0 && o.ranges.empty() &&
           !o.source.any() && !o.overTime.any() && o.cacheControl == CacheControl::None &&
           !isOneOfRanks();
}

bool timedEnough(const Profile& run, const CountedFirstBy& countedFirst) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> launches;  // all, timed
    for (std::size_t row = 0; row < run.launches.size(); ++row) {
        const Launch& launch = run.launches[row];
        auto& [all, timed] = launches[launch.process];
        ++all;
        timed += launch.duration && !isEarly(run, row, countedFirst) ? 1 : 0;
    }
    return !launches.empty() && std::ranges::all_of(launches, [&](const auto& entry) {
        const auto [all, timed] = entry.second;
        const auto first = countedFirst.find(entry.first);
        const std::uint64_t loop = first == countedFirst.end() ? 0 : first->second.loop;
        return static_cast<double>(timed) >= kLeastTimed * static_cast<double>(all) &&
               static_cast<double>(timed) >= kLeastRounds * static_cast<double>(loop);
    });
}

Seconds timeOfCounting(const CountedFirstBy& countedFirst) {
    Seconds most;
    for (const auto& [process, first] : countedFirst)
        most = std::max(most, first.spent.value_or(Seconds{}));
    return most;
}

std::optional<Seconds> endOfCounting(const CountedFirstBy& countedFirst) {
    std::optional<Seconds> last;
    for (const auto& [process, first] : countedFirst)
        if (first.end && (!last || *first.end > *last)) last = first.end;
    return last;
}

SerialTimes serialTimes(const Profile& run, const CountedFirstBy& countedFirst) {
    std::vector<bool> early;
    for (std::size_t row = 0; row < run.launches.size(); ++row)
        early.push_back(isEarly(run, row, countedFirst));
    return serialTimesOf(run, early);
}

std::size_t launchesAlone(const Profile& run, const CountedFirstBy& countedFirst) {
    std::vector<std::uint64_t> early(run.processes.size(), 0);
    for (std::size_t row = 0; row < run.launches.size(); ++row)
        early[run.launches[row].process] += isEarly(run, row, countedFirst) ? 1 : 0;
    std::uint64_t alone = 0;
    for (std::size_t p = 0; p < early.size(); ++p) {
        const auto& pace = run.processes[p].pace;
        if (!pace || pace->alone.empty() || pace->traced.empty()) continue;
        const std::uint64_t before = pace->traced.front().calls;
        alone += before - std::min(before, early[p]);
    }
    return alone;
}

std::size_t moveCountersToTimed(Profile& run, const CountedFirstBy& countedFirst,
                                const SerialTimes& serial) {
    subtractSerialOverhead(run, countedFirst, serial);
    /// Rows of one process and signature.
    struct Alike {
        std::vector<std::uint32_t> counted, timed, serial;
    };
    std::map<std::pair<std::uint32_t, std::uint64_t>, Alike> bySignature;
    for (std::uint32_t row = 0; row < run.launches.size(); ++row) {
        const Launch& launch = run.launches[row];
        if (!countedFirst.contains(launch.process)) continue;
        Alike& rows = bySignature[{launch.process, launchSignature(run, launch)}];
        if (!launch.duration)
            rows.counted.push_back(row);
        else
            (isEarly(run, row, countedFirst) ? rows.serial : rows.timed).push_back(row);
    }
    const std::vector<std::string> group = groupsOf(run);
    bool groups = false;
    std::map<std::uint32_t, std::uint32_t> receiver;  // by removed row
    for (auto& [signature, rows] : bySignature) {
        std::vector<std::uint32_t>& receivers = rows.timed.empty() ? rows.serial : rows.timed;
        if (receivers.empty()) continue;
        sortByDistanceToMedian(run, receivers);
        std::map<std::string, std::size_t> next;  // by group
        for (const std::uint32_t row : rows.counted) {
            std::size_t& place = next[group[row]];
            receiver[row] =
                !group[row].empty() && place < receivers.size() ? receivers[place++] : kNobody;
        }
        next.erase("");  // rows without values
        groups = groups || next.size() > 1;
    }
    run.issues.push_back(countedFirstIssue(run, countedFirst, receiver.size(), groups));
    removeCountedLaunches(run, receiver);
    // Count only the launches of the timed part; those before it are like launches of another run.
    for (const auto& entry : countedFirst) {
        // In clang 14 lambdas cannot capture structured bindings.
        const std::uint32_t process = entry.first;
        run.processes[process].launchesSeen = static_cast<std::uint64_t>(std::ranges::count_if(
            run.launches, [&](const Launch& l) { return l.process == process && l.start; }));
    }
    return receiver.size();
}

void joinGroups(Profile& run) {
    const std::vector<std::string> group = groupsOf(run);
    /// Rows with counters of one process and signature, by group.
    using Rows = std::map<std::string, std::vector<std::uint32_t>>;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Rows> alike;
    for (std::uint32_t row = 0; row < run.launches.size(); ++row)
        if (const Launch& launch = run.launches[row]; !group[row].empty())
            alike[{launch.process, launchSignature(run, launch)}][group[row]].push_back(row);
    std::map<std::uint32_t, std::uint32_t> receiver;
    for (const auto& [signature, rows] : alike) {
        const std::vector<std::uint32_t>& first = rows.begin()->second;
        for (const auto& [name, others] : rows)
            for (std::size_t i = 0; i < std::min(first.size(), others.size()); ++i)
                if (others[i] != first[i]) receiver[others[i]] = first[i];
    }
    if (receiver.empty()) return;
    run.counters = movedCounters(run, run.launches.size(),
                                 [&](std::uint32_t row) { return receiverOf(receiver, row); });
}

namespace {

/// Whether launches that do far more than the longest counted one take much of their time: the
/// first launches of a kernel may be those of a small layer.
bool hasLongerWork(const Profile& run, const std::vector<std::uint32_t>& rows, double longest) {
    // kSpread as in workDiffers() (representative_launches.cpp)
    constexpr double kSpread = 4, kMuch = 0.25;
    double all = 0, longer = 0;
    // The first launch may have loaded code.
    for (const std::uint32_t row : std::span(rows).subspan(1)) {
        const double seconds = run.launches[row].duration.value_or(Seconds{}).value;
        all += seconds;
        if (seconds > kSpread * longest) longer += seconds;
    }
    return longer > kMuch * all;
}

}  // namespace

std::vector<std::uint32_t> timedOnly(const Profile& run, bool anyShare) {
    struct Seen {
        std::uint32_t kernel = 0;
        double seconds = 0;
        bool hardware = false, instrumented = false, counted = false;
        double longest = 0;  ///< seconds of the longest launch with counters
        std::vector<std::uint32_t> rows;
    };
    // Counters may have been read group by group: a kernel is counted if it got both groups.
    std::vector<std::string> hardware, instrumented;
    for (const std::string& name : run.counters.names())
        (isInstrumented(name) ? instrumented : hardware).push_back(name);
    const std::vector<bool> hasHardware = measuredAt(run, hardware),
                            hasInstrumented = measuredAt(run, instrumented);
    std::map<std::uint64_t, Seen> signatures;
    double all = 0;
    for (std::uint32_t row = 0; row < run.launches.size(); ++row) {
        const Launch& launch = run.launches[row];
        Seen& seen = signatures[launchSignature(run, launch)];
        seen.kernel = launch.kernel;
        const double seconds = launch.duration.value_or(Seconds{}).value;
        all += seconds;
        seen.seconds += seconds;
        seen.hardware |= hasHardware[row] || (hardware.empty() && !instrumented.empty());
        seen.instrumented |= hasInstrumented[row] || (instrumented.empty() && !hardware.empty());
        // Kernels that wait for other GPUs (NCCL's) are never counted.
        seen.counted |= (seen.hardware && seen.instrumented) ||
                        waitsForPeers(run.kernels[launch.kernel].symbol);
        // Counters may stand at another launch than the one that was counted.
        if (hasHardware[row] || hasInstrumented[row])
            seen.longest = std::max(
                seen.longest,
                run.counters.value("gpu__time_duration.sum", row).value_or(seconds * 1e9) * 1e-9);
        seen.rows.push_back(row);
    }
    for (auto& [signature, seen] : signatures)
        if (seen.counted && seen.longest > 0 && hasLongerWork(run, seen.rows, seen.longest))
            seen.counted = false;
    // If the GPU idles most of the time, no kernel is worth a further run.
    const double timed = spanOfTimed(run);
    if (!anyShare) all = std::max(all, timed);
    std::map<std::uint32_t, std::size_t> shapes;  // with counters, by kernel
    for (const auto& [signature, seen] : signatures) shapes[seen.kernel] += seen.counted ? 1 : 0;
    std::vector<std::uint32_t> missing;
    double together = 0;
    for (const auto& [signature, seen] : signatures) {
        const double least =
            shapes[seen.kernel] >= kEnoughShapes ? kLeastShareOfShape : kLeastShareWorthRun;
        if (seen.counted || (!anyShare && seen.seconds < least * all)) continue;
        together += seen.seconds;
        missing.insert(missing.end(), seen.rows.begin(), seen.rows.end());
    }
    if (!anyShare && together < kLeastJointShareWorthRun * all) return {};
    std::ranges::sort(missing);
    return missing;
}

}  // namespace roofscope
