// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/run_rules.h"

#include <algorithm>
#include <functional>

#include "analyzer/chains/chains.h"
#include "analyzer/counters/counter_sources.h"
#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/library_edit.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/launches/launch_gaps.h"
#include "analyzer/quantities/coalescing.h"
#include "profile/trials/trial_results.h"

namespace roofscope {

namespace {

/// Whether Nsight Compute measured all that `--set full` has: counters of its sections about
/// source, memory and stalls are there.
bool isFullSetOfNcu(const Profile& profile) {
    constexpr std::string_view kOfSections[] = {
        "memory_l2_theoretical_sectors_global", "lts__t_sector_hit_rate.pct",
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"};
    return std::ranges::all_of(kOfSections,
                               [&](std::string_view name) { return profile.counters.has(name); });
}

/// Rules name the counters that roofscope records; this profile has substitutes for some of them.
void explain(std::vector<Finding>& findings, const std::vector<Substitute>& substitutes) {
    for (Finding& finding : findings) {
        for (Evidence& evidence : finding.evidence)
            evidence.formula = explainSubstitutes(evidence.formula.str(), substitutes);
        for (ExpectedMovement& movement : finding.expected)
            movement.counter = explainSubstitutes(movement.counter, substitutes);
    }
}

/// A fault counts as the cause of a stall if its gain is at least this share of the stall's gain.
constexpr double kCauseLeastShare = 0.9;

bool causes(const Finding& finding, const Finding& wait) {
    const Rule* rule = findRule(finding.ruleId);
    return rule && !finding.minor && finding.gain.has() &&
           finding.gain->value >= kCauseLeastShare * wait.gain->value &&
           std::ranges::find(rule->causesStalls, std::string_view(wait.stall)) !=
               rule->causesStalls.end();
}

/// Puts the cause of the dominant stall before it. `findings`: most recoverable time first.
void moveCauseBeforeStall(std::vector<Finding>& findings) {
    const auto wait = std::ranges::find_if(findings, [](const Finding& finding) {
        return !finding.stall.empty() && !finding.minor && finding.gain.has();
    });
    if (wait == findings.end()) return;
    const auto cause = std::ranges::find_if(
        findings, [wait](const Finding& finding) { return causes(finding, *wait); });
    if (cause == findings.end()) return;
    wait->cause = cause->ruleId;
    if (cause > wait) std::rotate(wait, cause, cause + 1);
}

/// Puts a finding whose edit also fixes another fault before the finding of that fault.
void moveJoinedEditFirst(std::vector<Finding>& findings) {
    const auto joined = std::ranges::find_if(findings, [](const Finding& finding) {
        return !finding.alsoFixes.empty() && !finding.minor;
    });
    if (joined == findings.end()) return;
    const auto other = std::ranges::find(findings, joined->alsoFixes, &Finding::ruleId);
    if (other == findings.end()) return;
    other->cause = joined->ruleId;
    if (joined > other) std::rotate(other, joined, joined + 1);
}

/// What the author or the caller can do about a kernel that is not the program's own CUDA code.
/// Empty if the rule's own edit applies, absent if nobody can change the kernel.
std::optional<Words> editForOtherOrigin(const KernelAnalysis& kernel, const Rule& rule) {
    if (kernel.origin == KernelOrigin::Triton && !rule.en.editInTriton.empty())
        return Words::translatable(rule.en.editInTriton);
    if (kernel.origin == KernelOrigin::Numba && !rule.en.editInNumba.empty())
        return Words::translatable(rule.en.editInNumba);
    if (rule.editPlace != EditPlace::Kernel) return Words{};
    if (rule.id == "global-uncoalesced" && isMostlyExcess(kernel.quantities.loads))
        if (auto edit = editOfStridedInput(kernel.origin, kernel.fullName)) return edit;
    return libraryEdit(kernel.origin, kernel.fullName, rule.tooLittleWork);
}

/// Writes the rule's id into its answer.
RuleResult taggedWith(const Rule& rule, RuleResult result) {
    std::visit(
        [&rule](auto& answer) {
            if constexpr (requires { answer.ruleId; }) answer.ruleId = rule.id;
        },
        result);
    return result;
}

/// A fault that may cost more is undecided.
bool isRuledOut(const RuledOut& fault) { return fault.cost < rules::kMinorShare; }

void judge(const Profile& profile, const CounterLookup& counters, const Chains& chains,
           const TrialResults* trials, KernelAnalysis& kernel) {
    // Such a kernel waits by design: neither its stalls nor its few blocks are a fault.
    if (kernel.verdict.cls == VerdictClass::WaitsForPeers) return;
    std::vector<Finding> findings;
    std::vector<RuledOut> ruledOut, undecided;
    std::vector<CannotTell> cannotTell;
    for (const Rule* rule : allRules()) {
        if (!rule->check) continue;
        RuleResult result = taggedWith(*rule, rule->check({.profile = profile,
                                                           .kernel = kernel,
                                                           .chains = chains,
                                                           .counters = counters,
                                                           .rule = *rule}));
        if (auto* finding = std::get_if<Finding>(&result))
            findings.push_back(std::move(*finding));
        else if (auto* out = std::get_if<RuledOut>(&result))
            (isRuledOut(*out) ? ruledOut : undecided).push_back(std::move(*out));
        else if (auto* unknown = std::get_if<CannotTell>(&result))
            cannotTell.push_back(std::move(*unknown));
    }
    // A finding that another one explains would repeat it, with the smaller of two bounds.
    for (const Rule* rule : allRules())
        if (!rule->explains.empty() &&
            std::ranges::find(findings, rule->id, &Finding::ruleId) != findings.end())
            std::erase_if(findings, [&](const Finding& finding) {
                return std::ranges::find(rule->explains, finding.ruleId) != rule->explains.end();
            });
    // A trial changes how libraries are used, never the program's own kernels.
    if (trials && isForeign(kernel.origin))
        for (Finding& finding : findings)
            finding.minor = finding.minor || trials->ruleOut(finding.ruleId);
    // Most recoverable time first, minor ones last; equal gains keep their order.
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        if (a.minor != b.minor) return !a.minor;
        return (a.gain.has() ? a.gain->value : -1.0) > (b.gain.has() ? b.gain->value : -1.0);
    });
    moveCauseBeforeStall(findings);
    moveJoinedEditFirst(findings);
    std::ranges::stable_sort(undecided, std::greater{}, &RuledOut::cost);
    // Do not ask again for a group that was recorded: the chip lacks the counter.
    for (CannotTell& unknown : cannotTell)
        std::erase_if(unknown.groups, [&](CounterGroup group) {
            return wasRead(profile.capture, kernel.group, group);
        });
    if (profile.capture.origin == "imported")
        for (CannotTell& unknown : cannotTell)
            if (!unknown.forImports)
                unknown.advice =
                    isFullSetOfNcu(profile)
                        ? Words("ncu --set full does not measure it: roofscope record")
                        : Words("measure with ncu --set full, or with roofscope record");
    const auto& substitutes = kernel.quantities.substitutes;
    if (!substitutes.empty()) explain(findings, substitutes);
    std::erase_if(findings, [&](Finding& finding) {
        const Rule* rule = findRule(finding.ruleId);
        if (!rule) return false;
        auto edit = editForOtherOrigin(kernel, *rule);
        if (!edit) return true;
        if (!edit->empty()) finding.edit = *std::move(edit);
        return false;
    });
    for (const CannotTell& unknown : cannotTell)
        if (const Rule* rule = findRule(unknown.ruleId); rule && rule->canChangeVerdict)
            kernel.verdict.reason.undecided.emplace_back(rule->id);
    if (!kernel.verdict.reason.undecided.empty()) kernel.verdict.confidence = Confidence::Low;
    kernel.findings = std::move(findings);
    kernel.ruledOut = std::move(ruledOut);
    kernel.undecided = std::move(undecided);
    kernel.cannotTell = std::move(cannotTell);
}

/// A finding may save more than the headroom with the same work. A finding that removes the launch
/// does not count: the kernel itself stays where its roof puts it.
void raiseHeadroom(KernelAnalysis& kernel) {
    Verdict& verdict = kernel.verdict;
    const DurationStats& duration = kernel.quantities.duration;
    for (const Finding& finding : kernel.findings) {
        if (finding.minor || !finding.gain.has() || !verdict.headroom.has()) continue;
        if (const Rule* rule = findRule(finding.ruleId); rule && rule->removesLaunch) continue;
        if (*finding.gain <= *verdict.headroom) continue;
        const Seconds left = duration.judged() - *finding.gain;
        const std::string how =
            "gain of " + finding.ruleId + ", which removes work that the roof counts as needed";
        verdict.headroom = Derived<Seconds>::of(*finding.gain, how);
        verdict.headroomFrom = finding.ruleId;
        if (left.value > 0)
            verdict.speedupBound = Derived<double>::of(duration.judged() / left, how);
    }
}

}  // namespace

void runRules(const Profile& profile, const CounterLookup& counters, const Chains& chains,
              const TrialResults* trials, KernelAnalysis& kernel) {
    judge(profile, counters, chains, trials, kernel);
    kernel.jointGain = jointGainOf(kernel);
    raiseHeadroom(kernel);
}

void runSequenceRules(const Profile& profile, const LaunchGaps& gaps, Analysis& analysis) {
    const SequenceInput input{.profile = profile, .gaps = gaps};
    for (const Rule* rule : allRules()) {
        if (!rule->checkSequence) continue;
        if (analysis.trials && analysis.trials->ruleOut(rule->id)) continue;
        RuleResult result = taggedWith(*rule, rule->checkSequence(input));
        if (auto* finding = std::get_if<Finding>(&result))
            analysis.sequenceFindings.push_back(std::move(*finding));
        else if (auto* unknown = std::get_if<CannotTell>(&result))
            analysis.sequenceCannotTell.push_back(std::move(*unknown));
    }
}

}  // namespace roofscope
