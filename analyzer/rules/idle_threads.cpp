// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Accesses of memory per warp; with fewer, at least 95 % of the warps touch nothing.
constexpr double kHardlyAny = 0.05;
/// Instructions of a warp that computes its index, compares and ends (15 in the kernel that was
/// seen on an H200). A kernel that does some work without memory runs more.
constexpr double kEndsAtOnce = 24;
/// Textures and surfaces are not counted as accesses, but their bytes pass the L2.
constexpr double kL2BytesPerThread = 0.25;

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (input.kernel.origin != KernelOrigin::Own || !q.warpInstructions.has() || !q.l2Counted.has())
        return NotApplicable{};
    const double warps = launchedWarps(input);
    // Launches may differ: in some of them all threads work.
    const GroupSums launches(input.counters, input.kernel.group.launches);
    if (std::ranges::any_of(launches.perLaunch(counter::kGlobalInstructions),
                            [&](double one) { return one > kHardlyAny * warps; }))
        return NotApplicable{};
    const auto sums = jointSums(input, {counter::kGlobalInstructions, counter::kSharedInstructions,
                                        counter::kLocalSectors});
    if (!sums.ok() || isNearlyEmptyLaunch(input)) return NotApplicable{};
    const double accesses = sums.mean(0), each = *q.warpInstructions / warps;
    if (!(accesses > 0) || sums.mean(1) > 0 || sums.mean(2) > 0 || each > kEndsAtOnce ||
        q.l2Counted->value > kL2BytesPerThread * warps * deviceOf(input).warpSize)
        return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, 1.0);
    if (gain < kMinorShare) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves({ResourceId::Issue, ResourceId::Integer, ResourceId::L1});
    finding.args = {arg("warps", warps, Unit::Count), arg("accesses", accesses, Unit::Count),
                    arg("each", each, Unit::Count)};
    finding.evidence = {{.label = Words("accesses of memory per warp"),
                         .formula = std::string(counter::kGlobalInstructions) + " / warps",
                         .value = accesses / warps,
                         .unit = Unit::Count,
                         .threshold = kHardlyAny},
                        instructionsOfWarp(each, kEndsAtOnce)};
    finding.expected =
        movementOf(counter::kWarpInstructions, *q.warpInstructions, *q.warpInstructions / 2);
    return finding;
}

}  // namespace

extern const Rule idle_threads;
const Rule idle_threads{
    .id = "idle-threads",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "if (i == source) field[i] += value;  // a thread for each of n cells",
    .after = "field[source] += value;  // <<<1, 1>>>, or in the kernel that updates the cells",
    .en = {.title = "Nearly all threads have nothing to do",
           .firesWhen =
               "At most one warp in 20 accesses memory, none uses shared or local memory, and a "
               "warp runs at most 24 instructions.",
           .sentence =
               "{warps} warps are launched and access memory {accesses} times in all: a warp "
               "runs {each} instructions on average, which find its index and end it.",
           .mechanism = "Starting a warp, computing its index and ending it takes time, however "
                        "little it does.",
           .edit = "Launch threads for those elements that have work (a single one: <<<1, 1>>>; a "
                   "list of them: one thread for each entry), or let a kernel do it that "
                   "passes these elements anyway, which spares the launch, too.",
           .ruledOut = "threads without work",
           .gain = "duration − empty launch"},
    .check = check,
    .explains = {"block-start-rate", "dominant-stall", "low-occupancy", "wave-tail"}};

}  // namespace roofscope::rules
