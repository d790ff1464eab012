// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "analyzer/diagnosis/block_reduction.h"
#include "analyzer/diagnosis/queue_users.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/staged_loads.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"
#include "analyzer/source/waits.h"

namespace roofscope::rules {

namespace {

/// 30 % of the time of all resident warps. There are about a dozen reasons; below this share, no
/// single edit changes much.
constexpr double kDominates = 0.30;

/// The share of atomics among the samples of warps that wait for the queue of accesses; absent
/// without samples and machine code.
std::optional<double> atomicsAmongWaits(const SourceAnalysis* source) {
    if (!source || !source->hasSass) return std::nullopt;
    const SampledStalls::State* state = source->stalls.find("lg_throttle");
    if (!state || !(state->total > 0)) return std::nullopt;
    double atomics = 0;
    for (std::size_t row = 0; row < source->facts.size(); ++row)
        if (isGlobalAtomic(source->facts[row].kind)) atomics += state->perRow[row];
    return atomics / state->total;
}

/// The edit for accesses that wait in a queue although the caches are not busy, as atomics on few
/// addresses do.
Words queueEdit(const RuleInput& input) {
    constexpr double kQueues = 0.25, kHaveTime = 0.4, kMany = 0.3;
    if (input.kernel.origin != KernelOrigin::Own) return {};
    const Resources resources = resourcesOf(input.kernel.quantities);
    if (stallsOf(input.profile, input.kernel).shareOf("lg_throttle") < kQueues ||
        std::max({resources.busy(ResourceId::L1), resources.busy(ResourceId::L2),
                  resources.busy(ResourceId::Dram)}) > kHaveTime)
        return {};
    const auto share = atomicsAmongWaits(input.kernel.source.get());
    if (share && *share >= kMany)
        return Words(
            "Accesses wait in a queue although the caches have time: atomics that go to few "
            "addresses at a time. Add up in registers, by shuffles or in shared memory first, and "
            "send one atomic for a warp or block.");
    if (share && *share == 0)
        return Words(
            "Accesses wait in a queue although the caches have time: load or store more bytes with "
            "each instruction.");
    return Words(
        "Accesses wait in a queue although the caches have time. If the kernel uses atomics, they "
        "may go to few addresses: add up in registers, by shuffles or in shared memory first "
        "(--groups default,atomics shows them). Otherwise load or store more bytes with each "
        "instruction.");
}

/// The edit for chains of exponentials, logarithms, divisions or square roots, in which each step
/// waits for the result before.
Words chainEdit(const RuleInput& input) {
    constexpr double kMany = 0.1, kIdle = 0.05;
    if (input.kernel.origin != KernelOrigin::Own) return {};
    const Resources resources = resourcesOf(input.kernel.quantities);
    const double busy = resources.busy(ResourceId::SpecialFunction);
    if (busy < kMany || resources.busy(ResourceId::Dram) > kIdle) return {};
    constexpr double kPercent = 100;
    return wordsOf(
        "Special functions are {:.0f} % busy: exponentials, logarithms, divisions and square roots "
        "are chains of instructions that wait for each other. Compute what does not change once, "
        "multiply by a reciprocal in place of dividing, allow approximations (__expf, __fdividef, "
        "-use_fast_math) where the result tolerates it, and let each thread work on several "
        "independent elements.",
        busy * kPercent);
}

/// The edit for the wait, as the kernel's author can make it.
Words editOf(const RuleInput& input, const StallCause& cause, const Words& blamed) {
    if (cause.reason == "barrier")
        if (Words edit = blockReductionEdit(input); !edit.empty()) return edit;
    if (cause.reason == "barrier" || cause.reason == "long_scoreboard")
        if (Words edit = stagedLoadsEdit(input); !edit.empty()) return edit;
    if (cause.reason == "lg_throttle" || cause.reason == "long_scoreboard")
        if (Words edit = queueEdit(input); !edit.empty()) return edit;
    if (cause.reason == "wait" || cause.reason == "short_scoreboard")
        if (Words edit = chainEdit(input); !edit.empty()) return edit;
    if (input.kernel.origin == KernelOrigin::Triton && !cause.inTriton.empty())
        return cause.inTriton;
    return blamed.empty() ? cause.edit : blamed;
}

/// More warps hide such a wait, too, if the grid leaves room for them.
Words roomForWarps(const RuleInput& input, std::string_view reason) {
    constexpr double kFewWaves = 0.75;
    constexpr std::array<std::string_view, 5> kHidden{
        "barrier", "branch_resolving", "long_scoreboard", "short_scoreboard", "wait"};
    const Occupancy& occupancy = input.kernel.quantities.occupancy;
    if (!occupancy.waves.has() || !occupancy.blocks.has() || !(*occupancy.waves > 0) ||
        *occupancy.waves > kFewWaves || std::ranges::find(kHidden, reason) == kHidden.end())
        return {};
    return wordsOf(
        "More warps hide this wait, too: the grid has {:.0f} blocks where {:.0f} fit at once; "
        "divide the work among more of them.",
        *occupancy.blocks, *occupancy.blocks / *occupancy.waves);
}

/// What the machine code shows about the wait and its cure, for the instruction at which most warps
/// were sampled.
struct Blame {
    Words sentence{"."};  ///< ends the one before: ": 83 % of that at line 31 …"
    Words edit = {};
};

Blame blameOf(const RuleInput& input) {
    const SourceAnalysis& source = *input.kernel.source;
    if (source.waits.empty()) return {};
    const SourcePass& pass = input.profile.sources[source.pass];
    const Wait& wait = source.waits.front();
    const Words sentence = waitWords(pass, source, wait);
    if (sentence.empty()) return {};
    return {.sentence = wordsOf(": {}.", sentence),
            .edit = waitEdit(pass, wait, resourcesOf(input.kernel.quantities).busiestExcept({}))};
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    // Near a roof, warps wait because the roof is busy, so the wait is not what to fix.
    if (kernel.verdict.cls != VerdictClass::LatencyBound || kernel.verdict.reason.emptyLaunch)
        return NotApplicable{};
    const Stalls stalls = stallsOf(input.profile, kernel);
    if (!stalls.missing.empty()) {
        const double few = kernel.source ? kernel.source->stalls.total : 0;
        if (!(few > 0) || kernel.source->stalls.enough())
            return cannotTell(stalls.missing, CounterGroup::Stalls);
        return cannotTell(wordsOf("enough stall samples ({:.0f} of {:.0f})", few, kEnoughSamples),
                          CounterGroup::Stalls);
    }
    if (stalls.reasons.empty()) return NotApplicable{};  // no warp was ever resident
    const Stall& top = stalls.reasons.front();
    // If one SM works alone, the warps of its block wait for the one that works. The rule imbalance
    // reports that.
    if (top.reason == "barrier" && oneSmWorksAlone(input)) return NotApplicable{};
    const StallCause* cause = findStallCause(top.reason);
    // Without these waits each warp ends sooner by their share, but not before the busiest resource
    // is done.
    const double gain =
        limitToEmptyLaunch(input, std::min(top.share * shareBeforeTail(kernel.overTime.get()),
                                           1.0 - resourcesOf(kernel.quantities).busiestExcept({})));
    const RuledOut ruledOut{
        .args = {arg("reason", Words::same(top.reason)), arg("share", top.share, Unit::Share)},
        .cost = gain};
    if (top.share < kDominates || !cause) return ruledOut;
    if (gain < kLeastReportedGain) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    const QueueUser user = queueUserOf(input, top.reason);
    const auto& stores = kernel.quantities.stores.requests;
    const bool onlyAtomics = top.reason == "drain" && stores.has() && !(*stores > 0);
    const Words what = onlyAtomics         ? Words("their last atomics to leave")
                       : user.what.empty() ? stallWords(top.reason)
                                           : user.what;
    finding.title = wordsOf("Warps wait for {}", what);
    const Blame blame = stalls.sampled ? blameOf(input) : Blame();
    finding.args = {
        arg("reason", Words::same(top.reason)),
        arg("share", top.share, Unit::Share),
        arg("what", what),
        arg("why", onlyAtomics ? Words("A warp that has finished keeps its slot until "
                                       "all of its atomics have left the SM.")
                               : cause->why),
        arg("blame", blame.sentence),
        arg("edit",
            onlyAtomics
                ? Words("The kernel writes by atomics alone: add up in "
                        "registers or shared memory first, so that fewer "
                        "atomics are sent, to more addresses.")
                : joinedSentences(user.edit.empty() ? editOf(input, *cause, blame.edit) : user.edit,
                                  roomForWarps(input, top.reason))),
        arg("again",
            stalls.sampled ? Words("with --source") : Words("with the counter group \"stalls\""))};
    finding.stall = top.reason;
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 0; i < std::min(kNamed, stalls.reasons.size()); ++i) {
        const Stall& stall = stalls.reasons[i];
        if (!(stall.share > 0)) break;
        finding.evidence.push_back(
            {.label = wordsOf("resident warps waiting, {}", stall.reason),
             .formula = stallFormula(stalls, stall.reason),
             .value = stall.share,
             .unit = Unit::Share,
             .threshold = i == 0 ? std::optional(kDominates) : std::nullopt});
    }
    if (stalls.sampled) finding.places = waitingPlaces(input.profile, *kernel.source, top.reason);
    finding.expected = {withoutStall(stalls, top)};
    return finding;
}

}  // namespace

extern const Rule dominant_stall;
const Rule dominant_stall{
    .id = "dominant-stall",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Stalls},
    .helpedBy = {CounterGroup::Source},
    .en = {.title = "Dominant stall reason",
           .firesWhen =
               "The kernel is latency-bound, and one stall reason holds at least 30 % of the time "
               "of its resident warps.",
           .sentence =
               "Resident warps spend {share} of their time waiting for {what} ({reason}){blame}",
           .mechanism = "{why} Nothing on the GPU is busy meanwhile.",
           .edit =
               "{edit} Then record again {again}: what warps wait for next may be something else.",
           .ruledOut = "single stall reason (largest: {reason}, {share})",
           .gain = "min(share of the resident warps' time, 1 − busiest resource) × duration: what "
                   "is left when nothing waits for this, and nothing else takes longer instead",
           .editInGeneral = "Depends on the reason. Then record again: what warps wait for next "
                            "may be something else.",
           .editInTriton =
               "{edit} Then record again {again}: what warps wait for next may be something else."},
    .check = check,
    .namesLine = NamesLine::BySamples};

}  // namespace roofscope::rules
