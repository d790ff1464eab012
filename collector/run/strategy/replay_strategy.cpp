// SPDX-License-Identifier: Apache-2.0
#include "collector/run/strategy/replay_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "collector/rank/rank.h"
#include "profile/names/peer_kernels.h"

namespace roofscope {
namespace {

/// Seconds for one pass of one launch under kernel replay, without memory
/// to save (H200, CUDA 13.0).
constexpr double kKernelReplayPass = 17e-3;
/// Seconds for one launch of one run under application replay: 0.77 ms for hardware counters, 0.05
/// ms for instrumented ones, 0.6 ms to deliver them.
constexpr double kApplicationLaunch = 1.3e-3;
/// Seconds for one launch under kernel replay with a single pass. Nothing is saved in that case, no
/// matter how much memory the program holds (10 to 12 ms; holding 110 GB made no difference).
constexpr double kOnePassLaunch = 12e-3;
/// Seconds to open the counters, once per run.
constexpr double kOpen = 0.3;

}  // namespace

ReplayCosts replayCosts() {
    return {.kernelPass = {kKernelReplayPass},
            .applicationLaunch = {kApplicationLaunch},
            .open = {kOpen},
            .savingPerGB = {kSecondsPerSavedByte * 1e9},
            .savingPerGBInHost = {kSecondsPerByteSavedInHost * 1e9},
            .savingPerPinnedGB = {kSecondsPerPinnedByte * 1e9}};
}

Strategy chooseStrategy(const StrategyFacts& f, ReplayChoice asked) {
    const auto counted = static_cast<double>(f.counted), runs = static_cast<double>(f.runs);
    const double run = f.programTime.value + kOpen;
    Strategy s;
    const bool tooMuch = savingCostsTooMuch(f.memory, f.passes);
    s.kernelCost = {run + counted * (static_cast<double>(f.passes) * kKernelReplayPass +
                                     savingPerLaunch(f.memory, f.passes).value)};
    s.applicationCost = {(run + static_cast<double>(f.launches) * kApplicationLaunch) * runs};
    s.onePassCost = {(run + counted * kOnePassLaunch) * runs};
    const auto inOnePass = [&](std::string reason) {
        s.onePass = true;
        s.reason = std::move(reason);
        return s;
    };
    if (asked == ReplayChoice::Kernel) {
        s.reason = "requested";
    } else if (asked == ReplayChoice::Multiplex && !f.graphs && !f.waitsForPeers) {
        s.replay = CountersMode::Replay::Multiplex;
        s.reason = "requested";
    } else if (asked == ReplayChoice::Multiplex) {
        s.reason = f.graphs ? "CUDA graphs cannot be multiplexed"
                            : "kernels that wait for other processes cannot be multiplexed";
    } else if (f.waitsForPeers || f.oneOfRanks) {
        return inOnePass(f.waitsForPeers
                             ? "kernels wait for other processes: no launch is repeated"
                             : "all ranks must run the program the same number of times");
    } else if (f.graphs && asked == ReplayChoice::Application) {
        return inOnePass("requested");
    } else if (asked == ReplayChoice::Application) {
        s.replay = CountersMode::Replay::Application;
        s.reason = "requested";
    } else if (tooMuch && s.onePassCost < s.kernelCost &&
               (f.graphs || s.onePassCost < s.applicationCost)) {
        return inOnePass(
            f.memory.bytesSavedInHost() > 0
                ? fmt::format("repeating launches would need more memory than the "
                              "GPU has: the program holds {:.0f} GB",
                              static_cast<double>(f.memory.bytes) * 1e-9)
                : fmt::format("repeating a launch would copy {}", slowToCopy(f.memory)));
    } else if (f.graphs ||
               (f.someNeedSeveralPasses && !(tooMuch && s.applicationCost < s.kernelCost))) {
        s.reason = f.graphs ? "CUDA graphs need it" : "some counters need several passes";
    } else {
        const bool application = s.applicationCost < s.kernelCost;
        if (application) s.replay = CountersMode::Replay::Application;
        s.reason = fmt::format("estimated {:.1f} s instead of {:.1f} s",
                               application ? s.applicationCost.value : s.kernelCost.value,
                               application ? s.kernelCost.value : s.applicationCost.value);
    }
    return s;
}

std::uint64_t mostAllocations(const Timeline& timeline) {
    // Only these allocate and free in pairs; similar functions have no counterpart or several.
    const auto isOneOf = [](const std::string& name, const char* driver, const char* runtime) {
        return name.starts_with(driver) || name.starts_with(runtime);
    };
    std::vector<int> steps;  // by name
    for (const CallName& call : timeline.callNames)
        steps.push_back(isOneOf(call.name, "cuMemAlloc", "cudaMalloc") ? 1
                        : isOneOf(call.name, "cuMemFree", "cudaFree")  ? -1
                                                                       : 0);
    std::map<std::uint32_t, std::uint64_t> held;  // by process
    std::uint64_t most = 0;
    for (const Call& call : timeline.calls) {
        const int step = steps[call.name];
        if (step == 0) continue;
        std::uint64_t& count = held[timeline.threads[call.thread].process];
        if (step > 0)
            most = std::max(most, ++count);
        else if (count > 0)
            --count;
    }
    return most;
}

bool startsOnce() {
    const auto rank = findRank();
    return rank && rank->startsOnce;
}

bool hasGraphs(const Profile& profile) {
    return std::ranges::any_of(profile.launches, &Launch::fromGraph);
}

bool hasPeerKernels(const Profile& profile) {
    return std::ranges::any_of(profile.kernels, waitsForPeers, &Kernel::symbol);
}

}  // namespace roofscope
