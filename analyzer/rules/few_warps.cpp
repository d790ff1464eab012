// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"

namespace roofscope::rules {

namespace {

/// More than four times as many blocks would fit at once.
constexpr double kFewWaves = 0.25;
/// A loop over some hundred neighbours or more. Sharing a shorter one among lanes gains nothing,
/// because combining their results takes as long.
constexpr double kLeastEach = 4'000;
/// With blocks on fewer SMs, the grid itself is the fault.
constexpr double kLeastSms = 0.5;

/// Whether a part of the SMs has no block, but most have.
bool leavesSomeSms(const RuleInput& input) {
    const Device& device = deviceOf(input);
    return isUnderfilled(device, input.kernel.group) &&
           static_cast<double>(input.kernel.group.grid.total()) >= kLeastSms * device.smCount;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    const Device& device = deviceOf(input);
    const bool someSms = leavesSomeSms(input);
    const double busiest = resourcesOf(q).busiestExcept({});
    // Near a roof, more warps change nothing.
    if (!(kernel.verdict.cls == VerdictClass::LatencyBound || (someSms && busiest < kBusyShare)) ||
        kernel.verdict.reason.emptyLaunch || device.smCount == 0 || isForeign(kernel.origin))
        return NotApplicable{};
    const auto& waves = q.occupancy.waves;
    const auto each = longLoopOf(input, kLeastEach);
    if (!waves.has() || !(*waves > 0) || *waves > kFewWaves || !each) return NotApplicable{};
    const double gain = limitToEmptyLaunch(input, 1.0 - std::max(*waves, busiest));
    if (gain < kLeastReportedGain) return NotApplicable{};

    const auto blocks = static_cast<double>(kernel.group.grid.total());
    Finding finding = makeFinding(input, gain);
    finding.args = {arg("blocks", blocks, Unit::Count), arg("fit", blocks / *waves, Unit::Count),
                    arg("warps", launchedWarps(input) / device.smCount, Unit::Count),
                    arg("each", *each, Unit::Count)};
    finding.evidence = {{.label = Words("waves"),
                         .formula = q.occupancy.waves.how,
                         .value = *waves,
                         .unit = Unit::Count,
                         .threshold = kFewWaves,
                         .healthy = 1.0},
                        instructionsOfWarp(*each, kLeastEach)};
    if (someSms) finding.alsoFixes = "grid-too-small";
    finding.expected = {{.counter = Words("blocks"),
                         .what = moved::Value::Blocks,
                         .from = blocks,
                         .to = blocks / *waves,
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule few_warps;
const Rule few_warps{
    .id = "few-warps",
    .category = "parallelism",
    .needs = {CounterGroup::Default},
    .before = "for (int j = 0; j < n; ++j) sum += f(x[i], x[j]);  // one thread per item i",
    .after =
        "for (int j = lane; j < n; j += 32) sum += f(x[i], x[j]);  // one warp per item i\n"
        "for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);",
    .en = {.title = "Too few warps, each of which works long",
           .firesWhen =
               "The kernel is latency-bound (or some SMs have no block, and no resource is busy), "
               "at least half of the SMs have a block, less than a quarter of the blocks that fit "
               "at once are launched, and each warp runs 4,000 instructions or more.",
           .sentence = "{blocks} {blocks?block:blocks} are launched where {fit} fit at once: an SM "
                       "has {warps} warps, too few to hide their waits, and each runs {each} "
                       "instructions in a row.",
           .mechanism =
               "While a warp waits for its last result, an SM issues instructions of other "
               "warps. With one or two for each scheduler, it mostly issues nothing.",
           .edit =
               "Use more threads: up to {fit} blocks if the loop goes over the grid; else split "
               "an item's loop (a warp for each item and a sum over its lanes, blocks that add "
               "their parts, a recurrence in chunks with a short pass that carries the state "
               "over). Or give a launch more items, or run launches side by side.",
           .ruledOut = "few warps",
           .gain = "duration × (1 − the larger of waves and the busiest resource)",
           .editInGeneral = "Split the loop of a thread over several threads, or over blocks.",
           .editInTriton = "In Triton, launch more programs that share the loop of one: a sum in "
                           "parts (tl.atomic_add, or a second kernel), a scan in chunks "
                           "(tl.associative_scan within a chunk, and a short pass that carries the "
                           "state over). Load several steps of the loop at once, or give a launch "
                           "more items."},
    .check = check,
    .explains = {"dominant-stall"}};

}  // namespace roofscope::rules
