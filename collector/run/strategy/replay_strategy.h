// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/configuration/held_memory.h"
#include "collector/configuration/run_configuration.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Auto never chooses multiplexing, because its values are means over launches.
enum class ReplayChoice { Auto, Kernel, Application, Multiplex };

/// What determines the cost of collecting counters.
struct StrategyFacts {
    Seconds programTime;       ///< of one run without counters
    std::size_t launches = 0;  ///< of one run
    std::size_t counted = 0;   ///< how many of them kernel replay would measure
    std::size_t passes = 1;    ///< passes per launch under kernel replay
    /// Groups that fit one pass each; application replay makes one run for each.
    std::size_t runs = 1;
    bool someNeedSeveralPasses = false;  ///< counters that only kernel replay can read
    bool graphs = false;                 ///< CUDA graphs are launched
    bool waitsForPeers = false;          ///< kernels that wait for other processes (NCCL)
    bool oneOfRanks = false;  ///< other ranks record, too, and must run the program as often
    HeldMemory memory;        ///< of the GPU whose memory takes longest to save
};

struct Strategy {
    CountersMode::Replay replay = CountersMode::Replay::Kernel;
    /// With Replay::Kernel: the program runs once per group of counters that fits one pass, so that
    /// CUPTI neither replays a launch nor saves memory for it. This is application replay for
    /// selected launches and for graphs.
    bool onePass = false;
    /// Estimates of the time that counters will take.
    Seconds kernelCost, applicationCost, onePassCost;
    std::string reason;  ///< one clause
};

/// What replays cost (measured on an H200, docs/collecting.md).
struct ReplayCosts {
    Seconds kernelPass;                      ///< one pass of one launch, without memory to save
    Seconds applicationLaunch;               ///< one launch of one run
    Seconds open;                            ///< opening the counters, per run
    Seconds savingPerGB, savingPerGBInHost;  ///< for one kernel pass, per 10⁹ bytes held
    Seconds savingPerPinnedGB;               ///< for one launch, per 10⁹ bytes of pinned memory
};
[[nodiscard]] ReplayCosts replayCosts();

/// Chooses the faster replay, by costs measured on an H200 (docs/collecting.md). CUDA graphs need
/// kernel replay, at least with a single pass: their launches end user replay (CUPTI error 999). If
/// kernels wait for other processes, launches are never replayed. In that case, and in a rank, the
/// number of runs does not depend on estimates, because all ranks must decide alike.
[[nodiscard]] Strategy chooseStrategy(const StrategyFacts& facts, ReplayChoice asked);
/// The largest number of allocations that one process held at once, counted from its calls of
/// cuMemAlloc… and cuMemFree….
[[nodiscard]] std::uint64_t mostAllocations(const Timeline& timeline);

/// Whether an MPI launcher started this roofscope. It may then run a program
/// only once (Rank::startsOnce).
[[nodiscard]] bool startsOnce();

/// Whether CUDA graphs are launched.
[[nodiscard]] bool hasGraphs(const Profile& profile);

/// Whether there are kernels that wait for other processes (NCCL, NVSHMEM).
[[nodiscard]] bool hasPeerKernels(const Profile& profile);

}  // namespace roofscope
