// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/writes_per_warp.h"
#include "analyzer/roofline/occupancy.h"

namespace roofscope::rules {

namespace {

/// Stores and atomics per warp; with fewer, at least 95 % of the warps change nothing.
constexpr double kHardlyAny = 0.05;
/// A warp that looks at its elements and ends: it loads a few values, and runs few instructions (19
/// in the kernel that was seen on an H200).
constexpr double kMostLoads = 4, kMostInstructions = 40;
/// It tests a state and computes nothing: a kernel that computes distances looks for something else
/// each time. Floating-point operations per thread.
constexpr double kNoArithmetic = 0.1;
/// With so many writes per block, each block writes what all of its warps found.
constexpr double kOneForBlock = 0.9;
/// Launches of the window that are needed to call it a sweep, and how many of them follow another
/// one of the same kernel, with at most one launch between them.
constexpr std::size_t kLeastLaunches = 16;
constexpr double kMostFollow = 0.75;
/// Its launches are at least this part of all: rounds are many.
constexpr double kLeastOfAll = 0.01;
/// New data, as a part of what the kernel loads: then it must look at it.
constexpr double kNewData = 0.1;

/// Whether kernels of this function hardly write, as far as they were counted.
bool hardlyWrites(const RuleInput& input, std::uint32_t kernel) {
    constexpr std::size_t kEnough = 64;
    std::vector<std::uint32_t> launches;
    double warps = 0;
    const auto& all = input.profile.launches;
    for (std::uint32_t i = 0; i < all.size() && launches.size() < kEnough; ++i)
        if (all[i].kernel == kernel) {
            launches.push_back(i);
            warps += static_cast<double>(all[i].grid.total() *
                                         warpsOf(deviceOf(input), all[i].block.total()));
        }
    const auto sums = GroupSums(input.counters, launches)
                          .joint({counter::kGlobalInstructions, counter::kGlobalLoads});
    return sums.ok() &&
           sums.mean(0) - sums.mean(1) <= kHardlyAny * warps / static_cast<double>(launches.size());
}

/// Whether two launches get the same buffers, as far as these are known.
bool onSameData(const Profile& profile, const Launch& a, const Launch& b) {
    const auto known = [&](const Launch& launch) {
        return launch.arguments && *launch.arguments < profile.argumentLists.size();
    };
    const auto same = [&](const BufferArgument& one, const BufferArgument& other) {
        return one.parameter == other.parameter &&
               profile.buffers[one.buffer] == profile.buffers[other.buffer];
    };
    return !known(a) || !known(b) ||
           std::ranges::equal(profile.argumentLists[*a.arguments],
                              profile.argumentLists[*b.arguments], same);
}

/// Whether the kernel is launched again and again, with nothing between that writes much.
bool comesAgain(const RuleInput& input) {
    const auto& all = input.profile.launches;
    const auto& own = input.kernel.group.launches;
    // Where launches were chosen, others may have run between.
    if (own.size() < kLeastLaunches || !input.profile.capture.filters.empty() ||
        input.profile.capture.origin == "imported" ||
        static_cast<double>(own.size()) < kLeastOfAll * static_cast<double>(all.size()))
        return false;
    std::size_t follow = 0;
    std::optional<std::uint32_t> between;
    for (const std::uint32_t i : own) {
        const auto follows = [&](std::uint32_t distance) {
            return i >= distance && all[i - distance].kernel == all[i].kernel &&
                   onSameData(input.profile, all[i - distance], all[i]);
        };
        if (follows(1)) {
            ++follow;
        } else if (follows(2) && (!between || *between == all[i - 1].kernel)) {
            between = all[i - 1].kernel;
            ++follow;
        }
    }
    return static_cast<double>(follow) >= kMostFollow * static_cast<double>(own.size()) &&
           (!between || hardlyWrites(input, *between));
}

/// Bytes that are copied or set on the GPU for each launch.
double bytesMade(const RuleInput& input) {
    double bytes = 0;
    for (const Transfer& transfer : input.profile.timeline.transfers)
        if (transfer.kind != TransferKind::DeviceToHost &&
            transfer.kind != TransferKind::HostToHost)
            bytes += static_cast<double>(transfer.bytes);
    return bytes / static_cast<double>(input.kernel.group.launches.size());
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (input.kernel.origin != KernelOrigin::Own && input.kernel.origin != KernelOrigin::Numba)
        return NotApplicable{};
    const std::optional<double> writes = writesPerWarp(input);
    const double blocks = static_cast<double>(input.kernel.group.grid.total());
    if (!writes || *writes > kHardlyAny ||
        *writes * launchedWarps(input) >= kOneForBlock * blocks || !q.warpInstructions.has())
        return NotApplicable{};
    const auto sums = jointSums(input, {counter::kGlobalLoads, counter::kGlobalLoadBytes,
                                        counter::kFp32Add, counter::kFp32Mul, counter::kFp32Fma,
                                        counter::kFp64Add, counter::kFp64Mul, counter::kFp64Fma});
    if (!sums.ok() || isNearlyEmptyLaunch(input)) return NotApplicable{};
    const double warps = launchedWarps(input), each = *q.warpInstructions / warps;
    double arithmetic = 0;
    for (std::size_t i = 2; i < 8; ++i) arithmetic += sums.mean(i);
    const double loads = sums.mean(0) / warps;
    if (loads < 1 - kHardlyAny || loads > kMostLoads || each > kMostInstructions ||
        arithmetic > kNoArithmetic * warps * deviceOf(input).warpSize || !comesAgain(input) ||
        bytesMade(input) > kNewData * sums.mean(1))
        return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, 1.0 - *writes);
    if (gain < kMinorShare) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({ResourceId::Dram, ResourceId::L2, ResourceId::L1, ResourceId::Issue,
                               ResourceId::Integer, ResourceId::BlockStarts});
    finding.args = {arg("warps", warps, Unit::Count), arg("idle", 1.0 - *writes, Unit::Share),
                    arg("bytes", sums.mean(1), Unit::Bytes)};
    finding.evidence = {writesOfWarp(*writes, kHardlyAny),
                        instructionsOfWarp(each, kMostInstructions)};
    finding.expected =
        movementOf(counter::kWarpInstructions, *q.warpInstructions, *q.warpInstructions / 10);
    return finding;
}

}  // namespace

extern const Rule idle_sweep;
const Rule idle_sweep{
    .id = "idle-sweep",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before =
        "if (state[i] != READY) return;  // a thread for each of n elements, every round\n"
        "...",
    .after =
        "int i = queue[k];  // only the elements that became ready in the round before\n"
        "...\n"
        "if (atomicSub(&pending[j], 1) == 1) next[atomicAdd(&count, 1)] = j;",
    .en = {.title = "Every launch looks at all elements to find the few with work",
           .firesWhen =
               "A kernel is launched again and again on the same buffers, its warps load up to "
               "four values, do hardly any floating-point arithmetic, run at most 40 "
               "instructions, and at most one store or atomic in 20 warps is executed; nothing "
               "between the launches writes much.",
           .sentence = "Of {warps} warps, {idle} or more change nothing: they load their part of "
                       "{bytes}, find no work, and end. The next launch looks again.",
           .mechanism = "The time of a launch grows with all elements, not with those that have "
                        "work, and is spent once for each round.",
           .edit = "Work on the elements that have work: each launch writes a list of those that "
                   "become ready, and the next one starts a thread for each entry. Or let a thread "
                   "go on with what it made ready (the last one to arrive, by an atomic counter), "
                   "so that one launch does all rounds. An order that stays the same between runs "
                   "is computed once; where each launch looks for another key, sort or hash the "
                   "keys.",
           .ruledOut = "launches that look for work",
           .gain = "warps without a store × duration"},
    .check = check,
    .explains = {"block-start-rate", "global-narrow-access", "bytes-in-flight", "dominant-stall",
                 "low-occupancy", "wave-tail", "integer-arithmetic", "grid-too-small"}};

}  // namespace roofscope::rules
