// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/producers.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// Of the samples. Below, a loop over tiles changes little.
constexpr double kLeastSetUp = 0.3;
/// With fewer rounds of blocks, a loop would leave SMs without work.
constexpr double kLeastWaves = 16;

/// Whether no instruction that runs jumps back. (The listing ends with a jump to itself.)
bool hasNoLoop(const SourcePass& pass, const SourceAnalysis& source) {
    for (std::size_t row = 0; row < pass.instructions.size(); ++row) {
        const Instruction& instruction = pass.instructions[row];
        if (!(source.stalls.perRow[row] > 0) || !isAny(splitSass(instruction.sass).name, {"BRA"}))
            continue;
        const auto target = jumpTarget(instruction.sass);
        if (!target || *target <= instruction.offset) return false;
    }
    return true;
}

/// The share of the samples before the first barrier, or at barriers; nullopt without a barrier, or
/// if hardly anything follows it: then what comes before is the work.
std::optional<double> setUpOf(const SourcePass& pass, const SourceAnalysis& source) {
    const auto first = std::ranges::find_if(pass.instructions, [](const Instruction& instruction) {
        return splitSass(instruction.sass).name == "BAR";
    });
    if (first == pass.instructions.end()) return std::nullopt;
    const auto end = static_cast<std::size_t>(first - pass.instructions.begin());
    const SampledStalls::State* const barrier = source.stalls.find("barrier");
    double samples = barrier ? barrier->total : 0.0;
    for (std::size_t row = 0; row < end; ++row)
        samples += source.stalls.perRow[row] - (barrier ? barrier->perRow[row] : 0.0);
    constexpr double kLeastAfter = 0.2;
    const double share = samples / source.stalls.total;
    return share <= 1 - kLeastAfter ? std::optional(share) : std::nullopt;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const SourceAnalysis* const source = kernel.source.get();
    const bool inSms = kernel.verdict.cls == VerdictClass::LatencyBound ||
                       kernel.verdict.limiter == ResourceId::Issue;
    const auto& waves = kernel.quantities.occupancy.waves;
    if (kernel.origin != KernelOrigin::Own || !inSms || !source || !source->hasSass ||
        !source->stalls.enough() || !waves.has() || *waves < kLeastWaves)
        return NotApplicable{};
    const SourcePass& pass = input.profile.sources[source->pass];
    const auto setUp = setUpOf(pass, *source);
    if (!setUp || !hasNoLoop(pass, *source)) return NotApplicable{};
    const double gain = limitToEmptyLaunch(
        input, std::min(*setUp, 1.0 - resourcesOf(kernel.quantities)
                                          .busiestExcept({ResourceId::Issue, ResourceId::L1})));
    if (*setUp < kLeastSetUp || gain < kLeastReportedGain)
        return RuledOut{.args = {arg("setUp", *setUp, Unit::Share)}, .cost = gain};
    Finding finding = makeFinding(input, gain);
    finding.relief = relieves(
        {ResourceId::Issue, ResourceId::L1, ResourceId::Integer, ResourceId::Fp32, ResourceId::L2});
    finding.args = {arg("setUp", *setUp, Unit::Share),
                    arg("blocks", static_cast<double>(kernel.group.grid.total()), Unit::Count)};
    finding.evidence = {{.label = Words("samples before the first barrier, and at barriers"),
                         .formula = "samples of instructions before the first BAR and of the state "
                                    "barrier / all samples",
                         .value = *setUp,
                         .unit = Unit::Share,
                         .threshold = kLeastSetUp}};
    return finding;
}

}  // namespace

extern const Rule short_blocks;
const Rule short_blocks{
    .id = "short-blocks",
    .category = "parallelism",
    .needs = {CounterGroup::Source},
    .before =
        "tile[tid] = x[first + tid];  // indices, loads and barriers for each block\n"
        "__syncthreads();\ny[i] = f(tile, i);  // one result for each thread",
    .after =
        "for (int t = blockIdx.x; t < tiles; t += gridDim.x) {  // as many blocks as fit\n"
        "    …  // what all tiles need is loaded once, before the loop\n}",
    .en = {.title = "Blocks do little beside what each does anew",
           .firesWhen = "Neither memory nor a pipe limits the program's own kernel, its code has "
                        "barriers and no loop, sixteen waves of blocks or more are launched, and "
                        "30 to 80 % of the samples lie before the first barrier or at barriers.",
           .sentence = "{blocks} blocks run code without a loop: {setUp} of their time goes into "
                       "indices, loads and waits at barriers before each thread computes one "
                       "result.",
           .mechanism = "Each block computes its indices, loads what it shares and waits for all "
                        "of its warps. One result for each thread is too little to pay for that.",
           .edit = "Let each thread compute several results, or each block several tiles in a "
                   "loop, so that what is loaded and computed once serves all of them. A sum over "
                   "the threads of a block becomes a loop in one thread without barriers, where "
                   "there are enough results.",
           .ruledOut = "set-up of blocks ({setUp} of the time)",
           .gain = "min(share of the samples before the first barrier and at barriers, "
                   "1 − busiest of L2, DRAM and the pipes) × duration"},
    .check = check};

}  // namespace roofscope::rules
