// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "profile/codec/codec.h"
#include "profile/model/call_site_index.h"
#include "profile/model/device_model.h"
#include "profile/operations/merge_timeline.h"

namespace roofscope {
namespace {

constexpr std::size_t kMostNames = 3;  ///< inputs named in one message
constexpr std::size_t kMostEntries = std::numeric_limits<std::uint32_t>::max();
constexpr const char* kMixed = "mixed";

using Map = std::vector<std::uint32_t>;  ///< an input's index → the result's

auto tied(const Kernel& k) {
    return std::tie(k.name, k.symbol, k.registersPerThread, k.staticSharedBytes,
                    k.localBytesPerThread, k.maxThreadsPerBlock, k.ptxVersion, k.binaryVersion);
}

/// The same as values, which can be stored as a key.
auto keyOf(const Kernel& kernel) {
    return std::apply([](const auto&... part) { return std::tuple(part...); }, tied(kernel));
}

/// Combines what was observed of one GPU in several recordings.
void addObserved(std::optional<ObservedClocks>& all, std::optional<ObservedClocks> more) {
    if (!more) return;
    if (!all) {
        all = std::move(more);
        return;
    }
    const auto extreme = [](auto& mine, const auto& other, bool lower) {
        if (other && (!mine || (lower ? *other < *mine : *other > *mine))) mine = other;
    };
    extreme(all->smLowest, more->smLowest, true);
    extreme(all->smHighest, more->smHighest, false);
    extreme(all->memoryLowest, more->memoryLowest, true);
    extreme(all->memoryHighest, more->memoryHighest, false);
    extreme(all->temperatureHighestC, more->temperatureHighestC, false);
    extreme(all->powerHighestW, more->powerHighestW, false);
    const auto sum = [](std::uint32_t a, std::uint32_t b) {
        return a + std::min(b, std::numeric_limits<std::uint32_t>::max() - a);
    };
    all->samples = sum(all->samples, more->samples);
    // Known only if both know it: a partial count would look complete.
    if (all->throttledSamples && more->throttledSamples)
        all->throttledSamples = sum(*all->throttledSamples, *more->throttledSamples);
    else
        all->throttledSamples.reset();
    for (auto& reason : more->throttledBy)
        if (std::ranges::find(all->throttledBy, reason) == all->throttledBy.end())
            all->throttledBy.push_back(std::move(reason));
}

bool sameProcess(const Process& a, const Process& b) {
    const auto tie = [](const Process& p) {
        return std::tie(p.pid, p.host, p.rank, p.localRank, p.worldSize, p.cuptiPath,
                        p.launchesSeen, p.endedCleanly);
    };
    return tie(a) == tie(b);
}

bool sameValues(const CounterColumn& a, const CounterColumn& b) {
    const auto measured = [](const CounterColumn& column) {
        std::vector<std::pair<std::size_t, double>> list;
        column.forEach([&](std::size_t row, double value) { list.emplace_back(row, value); });
        return list;
    };
    return a.size() == b.size() && measured(a) == measured(b);
}

/// Whether two inputs are the same recording. Measured values never repeat to the last digit over a
/// whole recording.
bool sameRecording(const Profile& a, const Profile& b) {
    if (a.launches.empty() || a.counters.names().empty()) return false;
    if (a.capture.createdUtc != b.capture.createdUtc || a.launches.size() != b.launches.size() ||
        a.counters.names() != b.counters.names() ||
        !std::ranges::equal(a.processes, b.processes, sameProcess))
        return false;
    return std::ranges::all_of(a.counters.names(), [&](const std::string& name) {
        return sameValues(a.counters.column(name), b.counters.column(name));
    });
}

/// The host of each device of a profile; empty if it is unknown or ambiguous.
std::vector<std::string> hostsOfDevices(const Profile& profile) {
    std::vector<std::set<std::string>> found(profile.devices.size());
    for (const Launch& launch : profile.launches)
        found[launch.device].insert(profile.processes[launch.process].host);
    for (const RangeMeasurement& range : profile.rangeMeasurements)
        found[range.device].insert(profile.processes[range.process].host);
    std::vector<std::string> hosts;
    for (auto& names : found) hosts.push_back(names.size() == 1 ? *names.begin() : std::string());
    return hosts;
}

std::string namesText(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
    return text;
}

/// A capture field if all inputs agree on it, else `otherwise`.
template <class T>
T common(const std::vector<MergeInput>& inputs, T Capture::*member, T otherwise) {
    const T& first = inputs.front().profile.capture.*member;
    for (const MergeInput& input : inputs)
        if (input.profile.capture.*member != first) return otherwise;
    return first;
}

Capture mergedCapture(const std::vector<MergeInput>& inputs) {
    Capture c;
    c.tool = common(inputs, &Capture::tool, std::string(kMixed));
    c.toolVersion = common(inputs, &Capture::toolVersion, std::string(kMixed));
    c.origin = inputs.front().profile.capture.origin;
    c.strategy = common(inputs, &Capture::strategy, std::string(kMixed));
    c.passes = common(inputs, &Capture::passes, std::uint32_t{0});
    c.cacheControl = common(inputs, &Capture::cacheControl, std::string(kMixed));
    c.clockControl = common(inputs, &Capture::clockControl, std::string(kMixed));
    c.command = common(inputs, &Capture::command, std::vector<std::string>{});
    c.toolCommand = common(inputs, &Capture::toolCommand, std::vector<std::string>{});
    c.exitCode = common(inputs, &Capture::exitCode, std::optional<int>());
    c.termSignal = common(inputs, &Capture::termSignal, std::optional<int>());
    // If any input shows a part of a run, so does the result, with the steps of the first such
    // input.
    for (const MergeInput& input : inputs) {
        const auto& snap = input.profile.capture.snap;
        if (!snap) continue;
        if (!c.snap) c.snap = snap;
        if (c.snap->endedEarly.empty()) c.snap->endedEarly = snap->endedEarly;
    }
    std::uint32_t firstLaunch = 0;
    for (const MergeInput& input : inputs) {
        const Capture& one = input.profile.capture;
        for (FurtherReading reading : one.further) {
            for (std::uint32_t& launch : reading.launches) launch += firstLaunch;
            c.further.push_back(std::move(reading));
        }
        firstLaunch += static_cast<std::uint32_t>(input.profile.launches.size());
        // The earliest time; ISO 8601 sorts as text.
        if (!one.createdUtc.empty() && (c.createdUtc.empty() || one.createdUtc < c.createdUtc))
            c.createdUtc = one.createdUtc;
        for (const auto& group : one.groups)
            if (std::ranges::find(c.groups, group) == c.groups.end()) c.groups.push_back(group);
    }
    return c;
}

class Merger {
public:
    void add(MergeInput&& input) {
        Profile& p = input.profile;
        const auto firstProcess = static_cast<std::uint32_t>(m_result.processes.size());
        const auto firstLaunch = static_cast<std::uint32_t>(m_result.launches.size());
        const auto firstBuffer = static_cast<std::uint32_t>(m_result.buffers.size());
        const auto firstList = static_cast<std::uint32_t>(m_result.argumentLists.size());
        const Map devices = addDevices(p), kernels = addKernels(p), ranges = addRanges(p);
        const auto firstThread = static_cast<std::uint32_t>(m_result.timeline.threads.size());
        for (Process& process : p.processes) {
            if (process.cpuSamples)
                for (CpuSample& sample : process.cpuSamples->samples) sample.thread += firstThread;
            m_result.processes.push_back(std::move(process));
        }

        // Number the allocations anew, after those so far: an input may use any numbers.
        std::unordered_map<std::uint32_t, std::uint32_t> allocations;
        for (Buffer buffer : p.buffers) {
            const auto [it, isNew] = allocations.try_emplace(buffer.allocation, m_allocations);
            if (isNew) ++m_allocations;
            buffer.allocation = it->second;
            m_result.buffers.push_back(buffer);
        }
        for (std::size_t i = 0; i < p.argumentLists.size(); ++i) {
            const auto list = p.argumentLists[i];
            std::vector<BufferArgument> moved(list.begin(), list.end());
            for (BufferArgument& argument : moved) argument.buffer += firstBuffer;
            m_result.argumentLists.add(moved);
        }
        for (Launch launch : p.launches) {
            launch.kernel = kernels[launch.kernel];
            launch.device = devices[launch.device];
            launch.process += firstProcess;
            if (launch.range) launch.range = ranges[*launch.range];
            if (launch.arguments) launch.arguments = *launch.arguments + firstList;
            m_result.launches.push_back(launch);
        }
        // Pad counters to the number of launches, so that rows stay aligned.
        p.counters.resize(p.launches.size());
        m_result.counters.append(p.counters);
        m_result.counters.resize(m_result.launches.size());
        for (RangeMeasurement measured : p.rangeMeasurements) {
            measured.range = ranges[measured.range];
            measured.process += firstProcess;
            measured.device = devices[measured.device];
            m_result.rangeMeasurements.push_back(measured);
        }
        m_result.rangeCounters.append(p.rangeCounters);
        const auto moved = [&](auto detail) {
            detail.kernel = kernels[detail.kernel];
            if (detail.launch) detail.launch = *detail.launch + firstLaunch;
            return detail;
        };
        for (SourcePass& pass : p.sources) m_result.sources.push_back(moved(std::move(pass)));
        for (OverTime& trace : p.overTime) m_result.overTime.push_back(moved(std::move(trace)));
        for (CallSite site : p.callSites) {
            if (site.kernel) site.kernel = kernels[*site.kernel];
            m_callSites.add(std::move(site));
        }
        appendTimeline(m_result.timeline, std::move(p.timeline),
                       {.firstProcess = firstProcess,
                        .firstLaunch = firstLaunch,
                        .devices = devices,
                        .ranges = ranges});
        for (Issue& issue : p.issues) note(std::move(issue), input.name);
    }

    Profile finish(Capture capture) {
        m_result.capture = std::move(capture);
        for (auto& [issue, names] : m_issues) {
            issue.message = fmt::format("{}: {}", namesText(names), issue.message);
            m_result.issues.push_back(std::move(issue));
        }
        alignClocks(m_result);
        return std::move(m_result);
    }

private:
    Map addDevices(Profile& p) {
        Map map;
        const auto hosts = hostsOfDevices(p);
        std::set<std::size_t> own;  // two GPUs of one input stay separate
        for (std::size_t i = 0; i < p.devices.size(); ++i) {
            std::size_t at = m_result.devices.size();
            for (std::size_t known = 0; known < m_result.devices.size() && !hosts[i].empty();
                 ++known)
                if (!own.contains(known) && m_hosts[known] == hosts[i] &&
                    maybeSameGpu(m_result.devices[known], p.devices[i])) {
                    at = known;
                    break;
                }
            if (at == m_result.devices.size()) {
                m_result.devices.push_back(std::move(p.devices[i]));
                m_hosts.push_back(hosts[i]);
            } else {
                addObserved(m_result.devices[at].observed, std::move(p.devices[i].observed));
            }
            own.insert(at);
            map.push_back(static_cast<std::uint32_t>(at));
        }
        return map;
    }

    Map addKernels(const Profile& p) {
        Map map;
        for (const Kernel& kernel : p.kernels) {
            const auto [it, isNew] = m_kernels.try_emplace(
                keyOf(kernel), static_cast<std::uint32_t>(m_result.kernels.size()));
            if (isNew) m_result.kernels.push_back(kernel);
            map.push_back(it->second);
        }
        return map;
    }

    Map addRanges(const Profile& p) {
        Map map;
        for (const std::string& range : p.ranges) {
            const auto [it, isNew] =
                m_ranges.try_emplace(range, static_cast<std::uint32_t>(m_result.ranges.size()));
            if (isNew) m_result.ranges.push_back(range);
            map.push_back(it->second);
        }
        return map;
    }

    void note(Issue&& issue, const std::string& name) {
        const auto key = std::tuple(static_cast<int>(issue.severity), issue.source, issue.code,
                                    issue.message, issue.advice);
        const auto [it, isNew] = m_issueIndex.try_emplace(key, m_issues.size());
        if (isNew) m_issues.push_back({std::move(issue), {}});
        auto& names = m_issues[it->second].second;
        if (names.empty() || names.back() != name) names.push_back(name);
    }

    Profile m_result;
    CallSiteIndex m_callSites{m_result.callSites};
    std::vector<std::string> m_hosts;  ///< of m_result.devices
    std::map<decltype(keyOf(Kernel{})), std::uint32_t> m_kernels;
    std::unordered_map<std::string, std::uint32_t> m_ranges;
    std::uint32_t m_allocations = 0;
    std::vector<std::pair<Issue, std::vector<std::string>>> m_issues;
    std::map<std::tuple<int, std::string, std::string, std::string, std::string>, std::size_t>
        m_issueIndex;
};

Error refuse(std::string what, std::string where, std::string advice) {
    return {.code = ErrorCode::BadData,
            .what = std::move(what),
            .where = std::move(where),
            .advice = std::move(advice)};
}

/// Finds what cannot be merged before anything is merged.
Result<void> check(const std::vector<MergeInput>& inputs) {
    if (inputs.size() < 2) return refuse("takes at least two profiles", "merge", "");
    std::uint64_t launches = 0, ranges = 0, buffers = 0, lists = 0, transfers = 0, calls = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& [profile, name] = inputs[i];
        const MergeInput& first = inputs.front();
        if (auto ok = validateProfile(profile, name); !ok) return ok.error();
        if (profile.capture.origin != first.profile.capture.origin)
            return refuse(fmt::format("is {}, but {} is {}", profile.capture.origin, first.name,
                                      first.profile.capture.origin),
                          name, "only profiles of one origin are merged");
        for (std::size_t other = 0; other < i; ++other)
            if (sameRecording(inputs[other].profile, profile))
                return refuse(fmt::format("is the same recording as {}", inputs[other].name), name,
                              "name each profile once");
        launches += profile.launches.size();
        ranges += profile.rangeMeasurements.size();
        buffers += profile.buffers.size();
        lists += profile.argumentLists.size();
        transfers += profile.timeline.transfers.size();
        calls += profile.timeline.calls.size();
    }
    const ReadLimits most;
    if (launches > most.maxLaunches || lists > kMostEntries ||
        std::max({ranges, buffers, transfers, calls}) > most.maxRows())
        return refuse("the profiles together have too many entries", "merge",
                      "merge fewer of them");
    return {};
}

}  // namespace

Result<Profile> mergeProfiles(std::vector<MergeInput> inputs) {
    if (auto ok = check(inputs); !ok) return ok.error();
    Capture capture = mergedCapture(inputs);
    Merger merger;
    for (MergeInput& input : inputs) {
        merger.add(std::move(input));
        input = {};  // free the input: many ranks take much memory
    }
    Profile merged = merger.finish(std::move(capture));
    if (auto ok = validateProfile(merged, "merge"); !ok) return ok.error();
    return merged;
}

}  // namespace roofscope
