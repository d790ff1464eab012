// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/memory_sums.h"

namespace roofscope::rules {

namespace {

/// Rounds of a warp. With fewer, the loop may be over elements that a thread owns.
constexpr double kLeastRounds = 16;
/// What remains in a register, for each load and store: an addition.
constexpr double kInstructions = 2;

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const SourceAnalysis* source = kernel.source.get();
    if (kernel.origin != KernelOrigin::Own || !source || !source->hasSass ||
        !(source->total.executed.value_or(0) > 0))
        return NotApplicable{};
    const auto sums = memorySums(input.profile, *source, kLeastRounds * launchedWarps(input));
    if (sums.empty()) return NotApplicable{};
    double samples = 0, executed = 0;
    for (const MemorySum& sum : sums) samples += sum.samples, executed += sum.executed;
    const bool sampled = source->stalls.enough();
    const double share = sampled ? samples / source->stalls.total
                                 : kInstructions * executed / *source->total.executed;
    const double gain = limitToEmptyLaunch(input, std::min(share, 1.0));
    if (gain < kMinorShare) return NotApplicable{};
    Finding finding = makeEstimate(input, gain);
    finding.relief = relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue});
    const double rounds =
        executed / static_cast<double>(sums.size()) / std::max(1.0, launchedWarps(input));
    finding.args = {arg("count", static_cast<double>(sums.size()), Unit::Count),
                    arg("rounds", rounds, Unit::Count)};
    finding.evidence = {
        {.label = sampled ? Words("samples of waits for data at these accesses and what needs them")
                          : Words("instructions that load and store them"),
         .formula = sampled ? "samples in long_scoreboard at these instructions / all samples"
                            : "warp instructions of these / all warp instructions",
         .value = share,
         .unit = Unit::Share,
         .threshold = kMinorShare,
         .healthy = 0.0}};
    finding.places = worstPlaces(input.profile, *source, Words("values that are kept in memory"),
                                 executed, [&](std::size_t row) {
                                     const auto found =
                                         std::ranges::find(sums, row, &MemorySum::store);
                                     return found == sums.end() ? 0.0 : found->executed;
                                 });
    if (const auto stores = jointSums(input, {counter::kGlobalStores}); stores.ok())
        finding.expected =
            movementOf(counter::kGlobalStores, stores.mean(0),
                       std::max(0.0, stores.mean(0) - executed * (1.0 - 1.0 / rounds)));
    return finding;
}

}  // namespace

extern const Rule memory_sum;
const Rule memory_sum{
    .id = "memory-sum",
    .category = "memory",
    .needs = {CounterGroup::Source},
    .before = "for (int k = 0; k < n; ++k) sum[i] += f(k, x);  // loads and stores sum[i] n times",
    .after =
        "float s = sum[i];\n"
        "for (int k = 0; k < n; ++k) s += f(k, x);\n"
        "sum[i] = s;",
    .en = {.title = "Sums are kept in global memory within a loop",
           .firesWhen =
               "By the machine code of the program's own kernel, values in global memory are "
               "loaded, changed and stored again at the same address in each round of a loop, 16 "
               "times or more by each warp, and that takes 3 % of the time or more.",
           .sentence = "{count} {count?value:values} in global memory {count?is:are} loaded, "
                       "changed and stored {rounds} times by each warp, at addresses that stay "
                       "the same.",
           .mechanism = "Each round waits for the load before it can go on. The compiler leaves "
                        "them in memory even where the pointers are declared __restrict__.",
           .edit = "Keep these values in registers: load them before the loop, and store them once "
                   "after it.",
           .ruledOut = "sums in memory",
           .gain = "share of the samples that wait for data at these accesses and what needs them "
                   "(without samples: of the instructions) × duration"},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .causesStalls = {"long_scoreboard"}};

}  // namespace roofscope::rules
