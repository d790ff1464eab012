// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/process_pairs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collector/configuration/run_configuration.h"

namespace roofscope {
namespace {

using Indices = std::vector<std::uint32_t>;

/// Processes that did something, grouped by rank; those without a rank are one group.
std::map<std::optional<std::uint32_t>, Indices> active(const std::vector<Process>& processes,
                                                       const ProcessWork& work) {
    std::map<std::optional<std::uint32_t>, Indices> groups;
    for (std::uint32_t i = 0; i < work.size(); ++i)
        if (!work[i].empty()) groups[processes[i].rank].push_back(i);
    return groups;
}

/// Removes the processes whose work equals `wanted` from the list and returns them.
Indices takeEqual(Indices& list, const ProcessWork& work,
                  const std::vector<std::uint64_t>& wanted) {
    Indices equal;
    std::erase_if(list, [&](std::uint32_t i) {
        if (work[i] != wanted) return false;
        equal.push_back(i);
        return true;
    });
    return equal;
}

/// Pairs processes of one rank that did the same work; the others stay in the lists. With
/// `sameNumber`, as many as possible are paired.
void pairEqual(Indices& ours, const ProcessWork& base, Indices& theirs, const ProcessWork& run,
               bool sameNumber, ProcessPairs& pairs) {
    Indices left;
    while (!theirs.empty()) {
        const auto& wanted = run[theirs.front()];
        const Indices same = takeEqual(theirs, run, wanted);
        Indices partners = takeEqual(ours, base, wanted);
        // If the numbers differ, it is unknown which of them one run lacks.
        const bool sure = sameNumber || same.size() == partners.size();
        const std::size_t both = sure ? std::min(same.size(), partners.size()) : 0;
        for (std::size_t i = 0; i < both; ++i) pairs.partner[same[i]] = partners[i];
        left.insert(left.end(), same.begin() + static_cast<std::ptrdiff_t>(both), same.end());
        ours.insert(ours.end(), partners.begin() + static_cast<std::ptrdiff_t>(both),
                    partners.end());
    }
    std::ranges::sort(ours);
    std::ranges::sort(left);
    theirs = std::move(left);
}

ProcessWork sorted(ProcessWork work) {
    for (auto& list : work) std::ranges::sort(list);
    return work;
}

}  // namespace

ProcessWork launchesByProcess(const Profile& profile) {
    ProcessWork work(profile.processes.size());
    for (const Launch& launch : profile.launches)
        work[launch.process].push_back(launchSignature(profile, launch));
    return work;
}

ProcessPairs pairProcesses(const std::vector<Process>& base, const ProcessWork& ours,
                           const std::vector<Process>& run, const ProcessWork& theirs) {
    ProcessPairs pairs;
    pairs.partner.resize(run.size());
    auto groups = active(base, ours);
    auto others = active(run, theirs);
    for (auto& [rank, list] : groups) {
        pairs.inBase += list.size();
        pairs.without += list.size();
    }
    std::optional<std::pair<ProcessWork, ProcessWork>> inAnyOrder;
    for (auto& [rank, list] : others) {
        const std::size_t all = list.size();
        pairs.inRun += all;
        Indices& partners = groups[rank];
        const bool sameNumber = partners.size() == all;
        // Threads may launch in a different order next time, so ignore the order.
        if (!partners.empty() && !(sameNumber && all == 1)) {
            if (!inAnyOrder) inAnyOrder.emplace(sorted(ours), sorted(theirs));
            pairEqual(partners, inAnyOrder->first, list, inAnyOrder->second, sameNumber, pairs);
        }
        if (sameNumber) {
            for (std::size_t i = 0; i < list.size(); ++i) pairs.partner[list[i]] = partners[i];
            list.clear();
        }
        pairs.without += list.size();
        pairs.without -= all - list.size();
    }
    return pairs;
}

ProcessPairs pairProcesses(const Profile& base, const Profile& run) {
    return pairProcesses(base.processes, launchesByProcess(base), run.processes,
                         launchesByProcess(run));
}

}  // namespace roofscope
