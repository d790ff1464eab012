// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "profile/profile.h"

namespace roofscope {

/// What each process of a run did, in order: signatures. Empty for one that did nothing.
using ProcessWork = std::vector<std::vector<std::uint64_t>>;
/// The signatures of launches, by process.
[[nodiscard]] ProcessWork launchesByProcess(const Profile& profile);

/// Which process of one run of a program is which of another.
struct ProcessPairs {
    std::vector<std::optional<std::uint32_t>> partner;  ///< in the base, by process of the run
    std::size_t inBase = 0, inRun = 0;                  ///< processes that did something
    std::size_t without = 0;                            ///< of either, those without partner

    /// The process of `base` that is meant, or a number that none there has.
    [[nodiscard]] std::uint32_t inBaseOf(const Profile& base, std::uint32_t process) const {
        return partner[process].value_or(static_cast<std::uint32_t>(base.processes.size()) +
                                         process);
    }
};

/// Pairs processes that did something; one that only initialised CUDA must not shift the others.
/// Partners have the same rank, where they have one. Those that did the same are partners, the
/// others by the order of their creation as long as both runs have equally many. Where they have
/// not, who did something else than everybody stays without a partner: a wrong one would give its
/// counters to another process' launches.
[[nodiscard]] ProcessPairs pairProcesses(const std::vector<Process>& base, const ProcessWork& ours,
                                         const std::vector<Process>& run,
                                         const ProcessWork& theirs);
/// The same by what they launched.
[[nodiscard]] ProcessPairs pairProcesses(const Profile& base, const Profile& run);

/// What a run measured in detail (SourcePass, OverTime) of a launch of this signature, in the
/// process that is `process` in the base: others launch the same kernels and are no less measured.
/// Ends where there is none.
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
