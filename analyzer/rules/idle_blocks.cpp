// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/writes_per_warp.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/sass.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// With fewer, the tests at the edges of an array end more warps than are worth a word.
constexpr double kMostIdle = 0.75;
/// The bounds check is among the first instructions.
constexpr std::size_t kFirstInstructions = 48;
/// Without machine code: so few writes per warp make idle blocks likely enough to look.
constexpr double kFewWrites = 0.05;

/// Instructions of work that are no access of memory by SassKind: exchanges between lanes,
/// barriers, textures, special functions.
constexpr std::array<std::string_view, 8> kWork{"SHFL", "VOTE", "BAR",  "MUFU",
                                                "TEX",  "TLD",  "SULD", "SUST"};

/// The share of the warps that end at the bounds check: the first exit under a condition, before
/// anything else is done. Absent without one.
std::optional<double> endAtOnce(const SourcePass& pass, const SourceAnalysis& source) {
    if (!source.hasSass || !source.agrees || source.perRow.empty()) return std::nullopt;
    const double all = source.perRow.front().executed.value_or(0);
    const std::size_t end = std::min(source.perRow.size(), kFirstInstructions);
    if (!(all > 0)) return std::nullopt;
    for (std::size_t row = 0; row + 1 < end; ++row) {
        const SassParts parts = splitSass(pass.instructions[row].sass);
        if (source.facts[row].kind != SassKind::Other ||
            std::ranges::find(kWork, parts.name) != kWork.end())
            return std::nullopt;
        if (parts.name != "EXIT") continue;
        const auto after = source.perRow[row + 1].executed;
        if (!parts.predicated || !after || !(*after > 0)) return std::nullopt;
        return 1.0 - *after / all;
    }
    return std::nullopt;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    if (kernel.origin != KernelOrigin::Own || !q.blockStartUtilisation.has() ||
        q.blockStartUtilisation->value >= kBlockStartsLimit || isNearlyEmptyLaunch(input))
        return NotApplicable{};
    const double starts = q.blockStartUtilisation->value;
    const SourceAnalysis* source = kernel.source.get();
    if (!source) {
        const auto writes = writesPerWarp(input);
        if (!writes || *writes > kFewWrites || starts < kMinorShare) return NotApplicable{};
        return cannotTell(Words("how many blocks end at once"), CounterGroup::Source);
    }
    const auto idle = endAtOnce(input.profile.sources[source->pass], *source);
    if (!idle || *idle < kMostIdle) return NotApplicable{};
    const double others = resourcesOf(q).busiestExcept({ResourceId::BlockStarts});
    const double gain = limitToEmptyLaunch(input, std::min(*idle * starts, 1.0 - others));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    const auto blocks = static_cast<double>(kernel.group.grid.total());
    finding.relief = relieves({ResourceId::BlockStarts});
    finding.args = {arg("idle", *idle, Unit::Share), arg("blocks", blocks, Unit::Count)};
    finding.evidence = {{.label = Words("warps that end at the bounds check"),
                         .formula = "1 − executed after the first EXIT / executed at the start",
                         .value = *idle,
                         .unit = Unit::Share,
                         .threshold = kMostIdle},
                        {.label = Words("blocks started, share of the most that this GPU starts"),
                         .formula = q.blockStartUtilisation.how,
                         .value = starts,
                         .unit = Unit::Share}};
    finding.expected = {{.counter = Words("blocks"),
                         .what = moved::Value::Blocks,
                         .from = blocks,
                         .to = blocks * (1.0 - *idle),
                         .unit = Unit::Count}};
    return finding;
}

}  // namespace

extern const Rule idle_blocks;
const Rule idle_blocks{
    .id = "idle-blocks",
    .category = "parallelism",
    .needs = {CounterGroup::Source},
    .before = "kernel<<<n, 256>>>(n, ...);  // in the kernel: if (i >= n) return;",
    .after = "kernel<<<(n + 255) / 256, 256>>>(n, ...);",
    .en = {.title = "Most blocks end at once",
           .firesWhen = "Three quarters of the warps or more end at a test among the first "
                        "instructions.",
           .sentence = "{idle} of the warps of {blocks} blocks end at a test among the first "
                       "instructions.",
           .mechanism = "Blocks that have nothing to do are started one after the other as well, "
                        "take the place of others, and leave SMs unevenly loaded.",
           .edit = "Start only as many blocks as there is work: compare the grid with the kernel's "
                   "bounds check.",
           .ruledOut = "blocks that end at once",
           .gain = "min(share of these warps × time to start all blocks at the highest rate, 1 − "
                   "busiest resource)"},
    .check = check};

}  // namespace roofscope::rules
