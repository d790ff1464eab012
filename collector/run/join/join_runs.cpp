// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/join_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "collector/configuration/run_configuration.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/join/join_ranges.h"
#include "collector/run/join/process_pairs.h"
#include "profile/operations/timeline_spans.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// The place of a launch: it is the n-th of its signature in a process (numbered as in the base),
/// or the n-th of the process if launches were lost there.
using Place = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;

/// One of the two runs that are joined.
struct Side {
    const Profile& profile;
    const LaunchPositions& positions;
};

/// The places of the launches of both runs, counted in the same way.
struct Places {
    std::vector<Place> ours, theirs;
};

/// Whether the place of a launch is unknown. Such a launch matches no other.
bool isUnknown(const Place& place) { return std::get<2>(place) == kUnknownPosition; }

template <class ProcessOf>
std::vector<Place> places(const Side& side, const std::set<std::uint32_t>& withLosses,
                          const ProcessOf& processOf) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> seen;
    std::map<std::uint32_t, std::uint64_t> launched;
    std::vector<Place> result;
    result.reserve(side.profile.launches.size());
    for (std::size_t row = 0; row < side.profile.launches.size(); ++row) {
        const Launch& launch = side.profile.launches[row];
        const std::uint32_t process = processOf(launch.process);
        const std::uint64_t s = launchSignature(side.profile, launch);
        const std::uint64_t nth = seen[{process, s}]++, inAll = launched[process]++;
        const auto position = side.positions.find(row);
        result.emplace_back(process, s,
                            !withLosses.contains(process)      ? nth
                            : position != side.positions.end() ? position->second
                                                               : inAll);
    }
    return result;
}

Places places(const Side& base, const Side& run, const ProcessPairs& pairs) {
    const auto inBase = [&](std::uint32_t process) {
        return pairs.inBaseOf(base.profile, process);
    };
    // If launches were lost in one run, its n-th launch of a signature may not be the n-th in the
    // other.
    std::set<std::uint32_t> withLosses;
    for (const auto& [row, position] : base.positions)
        withLosses.insert(base.profile.launches[row].process);
    for (const auto& [row, position] : run.positions)
        withLosses.insert(inBase(run.profile.launches[row].process));
    return {.ours = places(base, withLosses, std::identity()),
            .theirs = places(run, withLosses, inBase)};
}

std::string describe(const Profile& profile, std::uint32_t process, std::size_t nth) {
    for (const Launch& l : profile.launches)
        if (l.process == process && nth-- == 0)
            return fmt::format("{} with {}", profile.kernels[l.kernel].name,
                               countText(l.grid.total(), "block", "blocks"));
    return "none";
}

/// Describes where the order of signatures first differs within a process.
std::string firstDifference(const Profile& base, const Profile& run, const ProcessPairs& pairs) {
    if (pairs.without > 0)
        return fmt::format("{} launched kernels in one run, {} in the other",
                           countText(pairs.inBase, "process", "processes"), pairs.inRun);
    const ProcessWork ours = launchesByProcess(base), theirs = launchesByProcess(run);
    for (std::uint32_t other = 0; other < theirs.size(); ++other) {
        if (!pairs.partner[other]) continue;
        const std::uint32_t process = *pairs.partner[other];
        const auto &a = ours[process], &b = theirs[other];
        const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
        if (x == a.end() && y == b.end()) continue;
        const auto at = static_cast<std::size_t>(x - a.begin());
        return fmt::format("at launch {} of process {}: {} in one run, {} in the other", at + 1,
                           process + 1, describe(base, process, at), describe(run, other, at));
    }
    return {};
}

/// Reports that launches of processes without partner could not be joined.
void sayThatProcessesDiffer(Profile& base, const ProcessPairs& pairs, std::size_t leftOut) {
    if (pairs.without == 0) return;
    addIssue(base,
             {.severity = Severity::DataLoss,
              .source = "record",
              .code = "processes-differ",
              .message =
                  fmt::format("{} launched kernels in the first run and {} in a later one: {} of "
                              "them could not be matched, so the profile lacks {} of the later run",
                              countText(pairs.inBase, "process", "processes"), pairs.inRun,
                              pairs.without, countText(leftOut, "launch", "launches")),
              .advice = "record a program that starts the same processes every time, or one of "
                        "the processes"});
}

/// Before a launch of another profile is added, adds what the launch refers to.
class Adder {
public:
    Adder(Profile& base, const Profile& run, const ProcessPairs& pairs)
        : m_base(base), m_run(run), m_processes(pairs.partner) {}

    Launch adopt(Launch launch) {
        launch.kernel = kernel(launch.kernel);
        launch.device = device(launch.device);
        if (launch.range) launch.range = range(*launch.range);
        std::optional<std::uint32_t>& process = m_processes[launch.process];
        if (!process) {
            process = static_cast<std::uint32_t>(m_base.processes.size());
            m_base.processes.push_back(m_run.processes[launch.process]);
        }
        launch.process = *process;
        // Buffers are numbered per run, so those of another run mean nothing here.
        if (!m_base.launches.empty()) launch.arguments.reset();
        launch.start.reset();
        return launch;
    }
    std::uint32_t device(std::uint32_t index) {
        // Processes may have started in another order, so GPUs are matched
        // by UUID if they have one.
        const std::string& uuid = m_run.devices[index].uuid;
        for (std::uint32_t i = 0; !uuid.empty() && i < m_base.devices.size(); ++i)
            if (m_base.devices[i].uuid == uuid) return i;
        if (index < m_base.devices.size() && (uuid.empty() || m_base.devices[index].uuid.empty()))
            return index;
        if (!uuid.empty()) {
            m_base.devices.push_back(m_run.devices[index]);
            return static_cast<std::uint32_t>(m_base.devices.size() - 1);
        }
        while (m_base.devices.size() <= index)
            m_base.devices.push_back(m_run.devices[m_base.devices.size()]);
        return index;
    }

    std::uint32_t kernel(std::uint32_t index) {
        const Kernel& wanted = m_run.kernels[index];
        const auto same = [&](const Kernel& k) {
            return k.symbol == wanted.symbol && k.registersPerThread == wanted.registersPerThread &&
                   k.staticSharedBytes == wanted.staticSharedBytes &&
                   k.localBytesPerThread == wanted.localBytesPerThread &&
                   k.binaryVersion == wanted.binaryVersion;
        };
        auto& list = m_base.kernels;
        const auto it = std::ranges::find_if(list, same);
        const auto found = static_cast<std::uint32_t>(it - list.begin());
        if (it == list.end()) list.push_back(wanted);
        return found;
    }

private:
    std::uint32_t range(std::uint32_t index) {
        auto& list = m_base.ranges;
        const auto it = std::ranges::find(list, m_run.ranges[index]);
        const auto found = static_cast<std::uint32_t>(it - list.begin());
        if (it == list.end()) list.push_back(m_run.ranges[index]);
        return found;
    }

    Profile& m_base;
    const Profile& m_run;
    std::vector<std::optional<std::uint32_t>> m_processes;  ///< in the base
};

}  // namespace

JoinReport joinCounters(Profile& base, const Profile& run, const LaunchPositions& basePositions,
                        const LaunchPositions& positions, UnmatchedLaunches unmatched) {
    JoinReport report;
    // Nothing was timed, so this run alone is the result.
    if (base.launches.empty()) {
        std::vector<Issue> issues = std::move(base.issues);
        Capture capture = std::move(base.capture);
        base = run;
        base.capture = std::move(capture);
        base.capture.passes += run.capture.passes;
        base.issues.insert(base.issues.begin(), issues.begin(), issues.end());
        report.matched = run.launches.size();
        return report;
    }
    const ProcessPairs pairs = pairProcesses(base, run);
    const auto [ours, theirs] = places({base, basePositions}, {run, positions}, pairs);
    report.firstDifference = firstDifference(base, run, pairs);

    std::map<Place, std::size_t> rows;
    std::map<std::uint64_t, bool> known;
    for (std::size_t row = 0; row < ours.size(); ++row) {
        if (!isUnknown(ours[row])) rows[ours[row]] = row;
        known[std::get<1>(ours[row])] = true;
    }
    Adder adder(base, run, pairs);
    std::size_t leftOut = 0;  // launches of processes without a partner
    std::vector<std::optional<std::size_t>> target(theirs.size());
    for (std::size_t row = 0; row < theirs.size(); ++row) {
        if (const auto it = rows.find(theirs[row]); it != rows.end()) {
            target[row] = it->second;
            ++report.matched;
            continue;
        }
        ++report.withoutPartner;
        if (known.contains(std::get<1>(theirs[row]))) {
            leftOut += pairs.partner[run.launches[row].process] ? 0 : 1;
            continue;
        }
        if (unmatched == UnmatchedLaunches::LeaveOut) continue;
        target[row] = base.launches.size();
        base.launches.push_back(adder.adopt(run.launches[row]));
    }
    base.counters.resize(base.launches.size());
    for (const std::string& name : run.counters.names()) {
        const CounterColumn before = base.counters.column(name);
        std::vector<std::pair<std::size_t, double>> added;
        run.counters.column(name).forEach([&](std::size_t row, double value) {
            if (row < target.size() && target[row] && std::isnan(before[*target[row]]))
                added.emplace_back(*target[row], value);
        });
        if (!base.counters.has(name)) base.counters.addSparseColumn(name, {}, {});
        for (const auto& [row, value] : added) base.counters.set(name, row, value);
    }
    // Keep those of the first run that has them: the counts of several runs must not be added.
    if (base.callSites.empty())
        for (CallSite site : run.callSites) {
            if (site.kernel) site.kernel = adder.kernel(*site.kernel);
            base.callSites.push_back(std::move(site));
        }
    for (std::uint32_t other = 0; other < run.processes.size(); ++other) {
        const auto& partner = pairs.partner[other];
        const auto& pace = run.processes[other].pace;
        if (!partner || !pace || pace->alone.empty()) continue;
        auto& without = base.processes[*partner].pace;
        if (without && without->alone.empty()) without->alone = pace->alone;
    }
    for (std::uint32_t d = 0; d < run.devices.size(); ++d)
        addDeviceFacts(base.devices[adder.device(d)], run.devices[d]);
    addIssues(base, run.issues);
    sayThatProcessesDiffer(base, pairs, leftOut);
    base.capture.passes += run.capture.passes;
    return report;
}

namespace {

/// The rows of the launches that have a start, sorted by it.
std::vector<std::size_t> byStart(const Profile& profile) {
    std::vector<std::size_t> order(profile.launches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t row) { return !profile.launches[row].start; });
    std::ranges::stable_sort(order, {},
                             [&](std::size_t row) { return profile.launches[row].start->value; });
    return order;
}

/// Converts times to a clock without the time by which kernels were shortened. That time is removed
/// at the end of each kernel.
class ShortenedClock {
public:
    /// Adds a kernel that ended at `end` before it was `shortened`. Call it in the order of starts.
    void add(Nanoseconds end, Nanoseconds shortened) {
        m_sum += shortened;
        m_ends.push_back({.end = end, .shortened = shortened, .sum = m_sum});
    }
    [[nodiscard]] Nanoseconds operator()(Nanoseconds at) const {
        const auto next = std::ranges::upper_bound(m_ends, at, {}, &End::end);
        const Nanoseconds before = next == m_ends.begin() ? 0 : std::prev(next)->sum;
        // A time inside the part that the next kernel loses becomes the kernel's new end.
        const Nanoseconds lost =
            next == m_ends.end() ? 0 : std::max<Nanoseconds>(0, at - (next->end - next->shortened));
        return at - before - lost;
    }

private:
    struct End {
        Nanoseconds end = 0, shortened = 0, sum = 0;
    };
    std::vector<End> m_ends;
    Nanoseconds m_sum = 0;
};

/// Moves everything after a shortened kernel earlier by the removed time (s, by row), so that gaps
/// and the timeline between kernels stay as they were. With several GPUs the shift would differ
/// between them, and the shift of a CPU call would be unknown. So a profile with a timeline and
/// several GPUs is left unchanged.
void shiftEarlier(Profile& base, const std::vector<double>& shortened) {
    const std::vector<std::size_t> order = byStart(base);
    const bool oneDevice = std::ranges::all_of(order, [&](std::size_t row) {
        return base.launches[row].device == base.launches[order.front()].device;
    });
    if (!base.timeline.empty() && !oneDevice) return;
    const auto ns = [](double seconds) {
        return static_cast<Nanoseconds>(std::llround(seconds * 1e9));
    };
    ShortenedClock clock;
    std::map<std::uint32_t, double> ahead;  // by device
    for (const std::size_t row : order) {
        Launch& launch = base.launches[row];
        double& sooner = ahead[launch.device];
        // `duration` is already the shorter one.
        const double end = launch.start->value + launch.duration.value_or(Seconds{}).value;
        if (shortened[row] > 0) clock.add(ns(end + shortened[row]), ns(shortened[row]));
        launch.start = Seconds{launch.start->value - sooner};
        sooner += shortened[row];
    }
    forEachSpan(base.timeline, [&](std::uint32_t, TimeSpan& span) {
        span = {clock(span.start), clock(span.end)};
    });
    forEachMoment(base.processes, [&](std::uint32_t, Nanoseconds& time) { time = clock(time); });
}

}  // namespace

std::size_t joinSerialTimes(Profile& base, const Profile& serial,
                            const LaunchPositions& basePositions,
                            const LaunchPositions& positions) {
    addIssues(base, serial.issues);
    std::map<Place, double> durations;
    const auto [ours, theirs] =
        places({base, basePositions}, {serial, positions}, pairProcesses(base, serial));
    for (std::size_t row = 0; row < theirs.size(); ++row)
        if (serial.launches[row].duration && !isUnknown(theirs[row]))
            durations.emplace(theirs[row], serial.launches[row].duration->value);
    std::size_t matched = 0;
    std::vector<double> shortened(ours.size(), 0.0);
    for (std::size_t row = 0; row < ours.size(); ++row) {
        const auto partner = durations.find(ours[row]);
        std::optional<Seconds>& duration = base.launches[row].duration;
        if (partner == durations.end() || !duration) continue;
        shortened[row] = std::max(0.0, duration->value - partner->second);
        duration = Seconds{duration->value - shortened[row]};
        ++matched;
    }
    shiftEarlier(base, shortened);
    return matched;
}

void joinSerialTimes(Profile& base, const SerialTimes& known) {
    std::map<std::uint64_t, std::vector<std::size_t>> rows;
    for (std::size_t row = 0; row < base.launches.size(); ++row)
        if (base.launches[row].start && base.launches[row].duration)
            rows[launchSignature(base, base.launches[row])].push_back(row);
    const double alone = timeAddedBySerialRuns(base, known).value;
    std::vector<double> shortened(base.launches.size(), 0.0);
    for (const auto& [signature, list] : rows) {
        const auto serial = known.find(signature);
        if (serial == known.end()) continue;
        std::vector<double> durations;
        for (const std::size_t row : list) durations.push_back(base.launches[row].duration->value);
        const double added = median(std::move(durations)) - (serial->second.value - alone);
        for (const std::size_t row : list) {
            Launch& launch = base.launches[row];
            shortened[row] = std::clamp(
                added, 0.0,
                std::min(mostInstrumentation(base, launch).value, launch.duration->value));
            launch.duration = Seconds{launch.duration->value - shortened[row]};
        }
    }
    shiftEarlier(base, shortened);
}

Profile joinTimings(std::vector<Profile> runs, const std::vector<LaunchPositions>& positions) {
    if (runs.empty()) return {};
    Profile base = std::move(runs.front());
    if (runs.size() == 1) return base;
    static const LaunchPositions kNone;
    const auto positionsOf = [&](std::size_t run) -> const LaunchPositions& {
        return run < positions.size() ? positions[run] : kNone;
    };
    std::vector<std::vector<double>> durations(base.launches.size());
    for (std::size_t row = 0; row < durations.size(); ++row)
        if (base.launches[row].duration)
            durations[row].push_back(base.launches[row].duration->value);
    std::vector<const Profile*> others;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const auto [ours, theirs] =
            places({base, positionsOf(0)}, {runs[i], positionsOf(i)}, pairProcesses(base, runs[i]));
        std::map<Place, std::size_t> rows;
        for (std::size_t row = 0; row < ours.size(); ++row)
            if (!isUnknown(ours[row])) rows[ours[row]] = row;
        for (std::size_t row = 0; row < theirs.size(); ++row)
            if (const auto it = rows.find(theirs[row]);
                it != rows.end() && runs[i].launches[row].duration)
                durations[it->second].push_back(runs[i].launches[row].duration->value);
        others.push_back(&runs[i]);
    }
    joinRangeTimes(base, others);
    for (std::size_t row = 0; row < durations.size(); ++row)
        if (!durations[row].empty())
            base.launches[row].duration = Seconds{median(std::move(durations[row]))};
    return base;
}

}  // namespace roofscope
