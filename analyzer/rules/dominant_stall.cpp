// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"
#include "analyzer/source/waits.h"

namespace roofscope::rules {

namespace {

/// Three tenths of the time of all resident warps. There are about a dozen reasons; below this no
/// single edit changes much.
constexpr double kDominates = 0.30;

/// What to do about the wait, as the kernel's author can.
Words editOf(const RuleInput& input, const StallCause& cause, const Words& blamed) {
    if (input.kernel.origin == KernelOrigin::Triton && !cause.inTriton.empty())
        return Words::lasting(cause.inTriton, cause.inTritonZh);
    return blamed.empty() ? Words::lasting(cause.edit, cause.editZh) : blamed;
}

/// What the machine code says of the wait, and of its cure: for the instruction at which most warps
/// were seen.
struct Blame {
    Words sentence{".", "。"};  ///< ends the one before: ": 83 % of that at line 31 …"
    Words edit = {};
};

Blame blameOf(const RuleInput& input) {
    const SourceAnalysis& source = *input.kernel.source;
    if (source.waits.empty()) return {};
    const SourcePass& pass = input.profile.sources[source.pass];
    const Wait& wait = source.waits.front();
    const Words sentence = waitWords(pass, source, wait);
    if (sentence.empty()) return {};
    return {.sentence = {": " + sentence.in(Language::En) + ".",
                         "，" + sentence.in(Language::Zh) + "。"},
            .edit = waitEdit(pass, wait, resourcesOf(input.kernel.quantities).busiestExcept({}))};
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    // Near a roof warps wait because the roof is busy; the wait is not what to fix.
    if (kernel.verdict.cls != VerdictClass::LatencyBound || kernel.verdict.reason.emptyLaunch)
        return NotApplicable{};
    const Stalls stalls = stallsOf(input.profile, kernel);
    if (!stalls.missing.empty()) {
        const double few = kernel.source ? kernel.source->stalls.total : 0;
        if (!(few > 0) || kernel.source->stalls.enough())
            return cannotTell(stalls.missing, CounterGroup::Stalls);
        return cannotTell(
            Words(fmt::format("enough stall samples ({:.0f} of {:.0f})", few, kEnoughSamples),
                  fmt::format("足够的等待采样（{:.0f} 个，需要 {:.0f} 个）", few, kEnoughSamples)),
            CounterGroup::Stalls);
    }
    if (stalls.reasons.empty()) return NotApplicable{};  // no warp was ever resident
    const Stall& top = stalls.reasons.front();
    const StallCause* cause = findStallCause(top.reason);
    // Without these waits a warp is done that much sooner; what is busy stays busy.
    const double gain =
        aboveEmptyLaunch(input, std::min(top.share * shareBeforeTail(kernel.overTime.get()),
                                         1.0 - resourcesOf(kernel.quantities).busiestExcept({})));
    const RuledOut ruledOut{
        .args = {arg("reason", Words::same(top.reason)), arg("share", top.share, Unit::Share)},
        .cost = gain};
    if (top.share < kDominates || !cause) return ruledOut;
    if (gain < kWorthNaming) return ruledOut;
    Finding finding = makeEstimate(input, gain);
    const Blame blame = stalls.sampled ? blameOf(input) : Blame();
    finding.args = {arg("reason", Words::same(top.reason)),
                    arg("share", top.share, Unit::Share),
                    arg("what", stallWords(top.reason)),
                    arg("why", Words(std::string(cause->why), std::string(cause->whyZh))),
                    arg("blame", blame.sentence),
                    arg("edit", editOf(input, *cause, blame.edit)),
                    arg("again", stalls.sampled ? Words("with --source", "带 --source ")
                                                : Words("with the counter group \"stalls\"",
                                                        "带计数器组 \"stalls\" "))};
    finding.stall = top.reason;
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 0; i < std::min(kNamed, stalls.reasons.size()); ++i) {
        const Stall& stall = stalls.reasons[i];
        if (!(stall.share > 0)) break;
        finding.evidence.push_back(
            {.label = {"resident warps waiting, " + stall.reason,
                       "驻留线程束在等待，" + stall.reason},
             .formula = stallFormula(stalls, stall.reason),
             .value = stall.share,
             .unit = Unit::Share,
             .threshold = i == 0 ? std::optional(kDominates) : std::nullopt});
    }
    if (stalls.sampled) finding.places = waitingPlaces(input.profile, *kernel.source, top.reason);
    finding.expected = {
        {.counter = Words::same(stalls.sampled ? stallFormula(stalls, top.reason)
                                               : stallCounter(top.reason) + " / sum"),
         .from = top.share,
         .to = 0.0,
         .unit = Unit::Share}};
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
    .zh = {.title = "主要等待原因",
           .firesWhen = "内核是延迟瓶颈，并且某一种等待原因至少占驻留线程束时间的 30 %。",
           .sentence = "驻留线程束有 {share} 的时间在等待{what}（{reason}）{blame}",
           .mechanism = "{why}其间 GPU 上没有任何资源繁忙。",
           .edit = "{edit}然后{again}重新录制：接下来等待的可能是另一件事。",
           .ruledOut = "单一等待原因（最大：{reason}，{share}）",
           .gain = "min(占驻留线程束时间的比例, 1 − 最忙资源) × "
                   "耗时：假设完全不再为此等待，且其他等待不增加",
           .editInGeneral = "取决于等待原因。然后重新录制：接下来等待的可能是另一件事。",
           .editInTriton = "{edit}然后{again}重新录制：接下来等待的可能是另一件事。"},
    .check = check,
    .namesLine = NamesLine::BySamples};

}  // namespace roofscope::rules
