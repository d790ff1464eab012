// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// A quarter of all warp instructions with one lane. A thread that writes one result per row after
/// its warp's reduction stays below that, even for rows of 32 elements.
constexpr double kLeastShare = 0.25;
/// One thread of the block writes at least this many values one after the other: enough for a warp.
constexpr double kLeastStores = 32;
/// A block of one warp has nobody to share the work with.
constexpr std::uint64_t kLeastThreads = 64;
/// As in idle-lanes: if warps rarely issue, instructions do not show what they wait for.
constexpr double kIssues = 0.25;

/// Whether it was executed, but never by more than one lane.
bool isSingleLane(const SourceSums& sums) {
    return sums.executed && sums.threads && *sums.executed > 0 && *sums.threads <= *sums.executed;
}

bool isStore(const SassFacts& facts) {
    return std::ranges::find(kGlobalStoreKinds, facts.kind) != kGlobalStoreKinds.end();
}

RuleResult check(const RuleInput& input) {
    const SourceAnalysis* source = input.kernel.source.get();
    const LaunchGroup& group = input.kernel.group;
    // Without a source pass, say nothing: few kernels have one.
    if (!source || !source->total.executed || !(*source->total.executed > 0) ||
        group.block.total() < kLeastThreads)
        return NotApplicable{};
    double alone = 0, stores = 0;
    for (std::size_t row = 0; row < source->perRow.size(); ++row) {
        const SourceSums& sums = source->perRow[row];
        if (!isSingleLane(sums)) continue;
        alone += *sums.executed;
        if (isStore(source->facts[row])) stores += *sums.executed;
    }
    const double share = alone / *source->total.executed;
    const double perBlock = stores / static_cast<double>(group.grid.total());
    if (share < kLeastShare || perBlock < kLeastStores) return NotApplicable{};
    const Quantities& q = input.kernel.quantities;
    // One elected lane feeds the tensor cores; such kernels are meant to work like this.
    if (usesTensorCores(q)) return NotApplicable{};
    if (isUnderfilled(deviceOf(input), group)) return NotApplicable{};
    const Resources resources = resourcesOf(q);
    const double issue = resources.busy(ResourceId::Issue);
    const double others = resources.busiestExcept({ResourceId::Issue});
    const bool issueLeads = issue >= kBusyShare && issue >= others;
    if (!issueLeads &&
        !(input.kernel.verdict.cls == VerdictClass::LatencyBound && issue >= kIssues))
        return NotApplicable{};

    constexpr double kIdleLanes = 31.0 / 32.0;  // what a full warp would save of them
    const double gain =
        limitToEmptyLaunch(input, std::max(0.0, std::min(share * kIdleLanes, 1.0 - others)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::Issue, ResourceId::L1, ResourceId::L2});
    finding.args = {arg("share", share, Unit::Share), arg("stores", perBlock, Unit::Count)};
    finding.evidence = {
        {.label = Words("warp instructions with a single lane"),
         .formula = std::string(counter::kSassExecuted) + " where " +
                    std::string(counter::kSassThreads) + " is no more, / all of them",
         .value = share,
         .unit = Unit::Share,
         .threshold = kLeastShare,
         .healthy = 0.0},
        {.label = Words("stores of a single lane per block"),
         .formula = std::string(counter::kSassExecuted) + " of these stores / blocks",
         .value = perBlock,
         .unit = Unit::Count,
         .threshold = kLeastStores}};
    finding.expected = movementOf(counter::kWarpInstructions, *source->total.executed,
                                  *source->total.executed - kIdleLanes * alone);
    finding.places = worstPlaces(
        input.profile, *source, Words("stores of a single lane"), stores, [&](std::size_t row) {
            return isStore(source->facts[row]) && isSingleLane(source->perRow[row])
                       ? *source->perRow[row].executed
                       : 0.0;
        });
    return finding;
}

}  // namespace

extern const Rule serial_epilogue;
const Rule serial_epilogue{
    .id = "serial-epilogue",
    .category = "parallelism",
    .needs = {CounterGroup::Source},
    .before = "if (threadIdx.x == 0) for (int e = 0; e < E; ++e) y[e] = acc[e];",
    .after = "for (int e = threadIdx.x; e < E; e += blockDim.x) y[e] = acc[e];",
    .en = {.title = "One thread writes what the whole block could write",
           .firesWhen =
               "Instructions were counted, at least a quarter of the warp instructions run with a "
               "single lane, one thread of a block stores at least 32 values that way, and issuing "
               "instructions is what limits or nothing is busy.",
           .sentence = "{share} of the warp instructions run with a single lane, and a block "
                       "stores {stores} values to global memory one lane at a time.",
           .mechanism =
               "An instruction of one lane takes the same issue slot as one of 32, and each of its "
               "stores a sector of 32 bytes for one value, while the other warps of the block have "
               "nothing left to do.",
           .edit = "Put the results into shared memory, synchronise, and let all threads of the "
                   "block write them, neighbouring threads to neighbouring addresses.",
           .ruledOut = "serial epilogue ({share} of the warp instructions with one lane)",
           .gain = "min(31/32 × warp instructions with a single lane / all warp instructions, 1 − "
                   "busiest resource other than issue) × duration"},
    .check = check,
    .namesLine = NamesLine::ByCounters};

}  // namespace roofscope::rules
