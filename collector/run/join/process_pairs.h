// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "profile/model/profile.h"

namespace roofscope {

/// What each process of a run did, in order, as signatures. Empty for a process that did nothing.
using ProcessWork = std::vector<std::vector<std::uint64_t>>;
/// The signatures of launches, by process.
[[nodiscard]] ProcessWork launchesByProcess(const Profile& profile);

/// Which processes of two runs of a program belong together.
struct ProcessPairs {
    std::vector<std::optional<std::uint32_t>> partner;  ///< in the base, by process of the run
    std::size_t inBase = 0, inRun = 0;                  ///< processes that did something
    std::size_t without = 0;                            ///< processes of either run without partner

    /// The partner in `base`; if there is none, a number that no process of `base` has.
    [[nodiscard]] std::uint32_t inBaseOf(const Profile& base, std::uint32_t process) const {
        return partner[process].value_or(static_cast<std::uint32_t>(base.processes.size()) +
                                         process);
    }
};

/// Pairs the processes that did something: one that only initialised CUDA must not shift the
/// others. Partners have the same rank, if they have one. Processes that did the same work are
/// partners. The others are paired in the order of their creation if both runs have the same number
/// of processes. Otherwise they stay without a partner, because a wrong partner would get the
/// counters of another process's launches.
[[nodiscard]] ProcessPairs pairProcesses(const std::vector<Process>& base, const ProcessWork& ours,
                                         const std::vector<Process>& run,
                                         const ProcessWork& theirs);
/// The same, by the launches of the processes.
[[nodiscard]] ProcessPairs pairProcesses(const Profile& base, const Profile& run);

/// Finds the detailed measurement (SourcePass, OverTime) that a run made of a launch with this
/// signature. The launch must be of the process that is `process` in the base, because other
/// processes may have measured launches of the same signature. Returns the end of the list if there
/// is none.
template <class Detail>
auto findDetail(std::vector<Detail>& details, const Profile& run, const ProcessPairs& pairs,
                std::uint32_t process, std::uint64_t signature) {
    return std::ranges::find_if(details, [&](const Detail& detail) {
        if (!detail.launch) return false;
        const Launch& launch = run.launches[*detail.launch];
        return pairs.partner[launch.process] == process &&
               launchSignature(run, launch) == signature;
    });
}

}  // namespace roofscope
