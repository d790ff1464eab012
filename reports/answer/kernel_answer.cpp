// SPDX-License-Identifier: Apache-2.0
#include "reports/answer/kernel_answer.h"

#include <algorithm>

#include "analyzer/diagnosis/verdict.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"

namespace roofscope {

namespace {

/// Whether both print the same number. To a reader, a count of 4, 4-way and 4× are the same.
bool printsSameNumber(const Arg& arg, const Evidence& evidence) {
    const auto plain = [](Unit unit) {
        return unit == Unit::Count || unit == Unit::Ways || unit == Unit::Factor ? Unit::Count
                                                                                 : unit;
    };
    // An argument with a text and a value of 0 has no number.
    const bool isNumber = arg.text.empty() || arg.value != 0;
    return isNumber && plain(arg.unit) == plain(evidence.unit) &&
           formatNumber(arg.value, Unit::Count) == formatNumber(evidence.value, Unit::Count);
}

/// The evidence that the fault's sentence does not mention. Checking the English sentence is
/// enough: a rule's sentences mention the same arguments in all languages.
std::vector<const Evidence*> unmentionedEvidence(const Finding& finding, const Rule* rule) {
    std::vector<const Evidence*> beyond;
    for (const Evidence& evidence : finding.evidence) {
        const bool said = rule && std::ranges::any_of(finding.args, [&](const Arg& arg) {
                              return printsSameNumber(arg, evidence) &&
                                     mentions(rule->en.sentence, arg.name.str());
                          });
        if (!said) beyond.push_back(&evidence);
    }
    return beyond;
}

std::vector<Statement> statementsOf(const AnsweredFinding& answer) {
    std::vector<Statement> statements;
    const auto add = [&](Statement statement, bool said) {
        if (said) statements.push_back(statement);
    };
    add(Statement::Fault, answer.rule);
    add(Statement::Mechanism, answer.rule);
    add(Statement::Cause, answer.cause.has_value());
    add(Statement::Where, !answer.found->places.empty());
    add(Statement::Edit, answer.rule);
    add(Statement::Code, answer.rule && !answer.code.empty());
    add(Statement::Evidence, !answer.evidence.empty());
    add(Statement::Expect, !answer.found->expected.empty());
    return statements;
}

Headroom headroomOf(const KernelAnalysis& kernel, const Profile& profile) {
    const Verdict& verdict = kernel.verdict;
    if (!verdict.headroom.has()) {
        if (!isKnown(verdict.cls) || verdict.cls == VerdictClass::WaitsForPeers)
            return Headroom::SaidElsewhere;  // the verdict's reason says why
        return hasOnlyTimes(profile) ? Headroom::NothingCounted : Headroom::NotMeasured;
    }
    if (hasNoHeadroom(verdict)) {
        // the verdict's reason says so
        if (verdict.reason.emptyLaunch) return Headroom::SaidElsewhere;
        const DurationStats& duration = kernel.quantities.duration;
        return duration.count > 0 && duration.median <= kEmptyLaunch ? Headroom::AsShortAsLaunch
                                                                     : Headroom::AtRoof;
    }
    // Where an edit can gain more than the headroom for the same work, the finding says so.
    return verdict.headroomFrom.empty() ? Headroom::Left : Headroom::SaidElsewhere;
}

/// The joint bound; nothing where it adds little to the headroom and the single findings.
std::optional<JointAnswer> jointOf(const KernelAnalysis& kernel,
                                   const std::vector<const Finding*>& major) {
    // For a shorter kernel without findings a bound from its bytes is not worth reporting.
    constexpr Seconds kShort{10e-6};
    constexpr double kMore =
        0.03;  // as a share of the time, beyond the largest bound already shown
    const Seconds time = kernel.quantities.duration.judged();
    const Derived<Seconds> gain = major.empty() ? gainByWorkAlone(kernel) : kernel.jointGain;
    if (!gain.has() || (major.empty() && time < kShort)) return std::nullopt;
    Seconds said = kernel.verdict.headroom.value.value_or(Seconds{});
    double left = 1;  // of the time, after one edit after the other
    for (const Finding* finding : major)
        if (finding->gain.has()) {
            said = std::max(said, *finding->gain);
            left *= std::max(0.0, 1 - *finding->gain / time);
        }
    if (*gain <= said + time * kMore) return std::nullopt;
    const Seconds stays = time - *gain;
    const bool beyondEdits = *gain > time * (1 - left + kMore);
    return JointAnswer{.bound = *gain,
                       .factor = stays.value > 0 ? std::optional(time / stays) : std::nullopt,
                       .from = major.empty() ? JointFrom::Work
                               : beyondEdits ? JointFrom::WorkThatStays
                                             : JointFrom::Edits,
                       .without = beyondJoint(kernel)};
}

RoofAdvice adviceOf(const Verdict& verdict) {
    if (verdict.cls != VerdictClass::NearRoof) return RoofAdvice::None;
    if (verdict.limiter == ResourceId::Dram) return RoofAdvice::FewerDramBytes;
    if (verdict.limiter == ResourceId::L2) return RoofAdvice::FewerL2Bytes;
    if (verdict.limiter == ResourceId::L1 || verdict.limiter == ResourceId::L1DataPipe ||
        verdict.limiter == ResourceId::LsuRequests)
        return RoofAdvice::FewerL1Accesses;
    if (verdict.limiter == ResourceId::SharedPipe) return RoofAdvice::FewerSharedAccesses;
    return RoofAdvice::None;
}

/// Groups the rules that lack the same counters, in the order of each group's first rule.
std::vector<Lack> lacksOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    std::vector<Lack> lacks;
    if (hasOnlyTimes(*analysis.profile)) return lacks;
    for (const CannotTell& unknown : kernel.cannotTell) {
        const bool advised = !unknown.advice.empty();
        const auto same = std::ranges::find_if(lacks, [&](const Lack& lack) {
            return advised ? lack.advice == unknown.advice
                           : lack.advice.empty() && lack.missing == unknown.missing;
        });
        if (same != lacks.end())
            same->rules.push_back(unknown.ruleId);
        else
            lacks.push_back(
                {.advice = unknown.advice, .missing = unknown.missing, .rules = {unknown.ruleId}});
    }
    return lacks;
}

}  // namespace

bool AnsweredFinding::says(Statement statement) const {
    return std::ranges::find(statements, statement) != statements.end();
}

bool hasNoHeadroom(const Verdict& verdict) {
    // Anything smaller prints as "1.00×".
    constexpr double kLeastShown = 1.005;
    return verdict.headroom.has() && verdict.speedupBound.has() &&
           *verdict.speedupBound < kLeastShown;
}

AnsweredFinding answerOf(const KernelAnalysis& kernel, const Finding& finding, std::size_t number) {
    const Rule* rule = findRule(finding.ruleId);
    AnsweredFinding answer{.found = &finding, .rule = rule, .number = number};
    if (!finding.cause.empty()) {
        const auto cause = std::ranges::find(kernel.findings, finding.cause, &Finding::ruleId);
        const auto before = static_cast<std::size_t>(cause - kernel.findings.begin()) + 1;
        if (before < number) answer.cause = before;
    }
    answer.evidence = unmentionedEvidence(finding, rule);
    if (rule) answer.code = codeLines(*rule, finding, kernel.origin);
    answer.fusesLaunches = rule && rule->removesLaunch;
    answer.statements = statementsOf(answer);
    return answer;
}

std::optional<NothingToEdit> nothingToEdit(const KernelAnalysis& kernel) {
    if (!majorFindings(kernel).empty()) return std::nullopt;
    NothingToEdit nothing{.why = explainNoFindings(kernel),
                          .onlyTimed = wasOnlyTimed(kernel),
                          .minorFindings = !minorFindings(kernel).empty(),
                          .advice = adviceOf(kernel.verdict),
                          .undecided = {}};
    if (nothing.why == NoFindings::Undecided) nothing.undecided = kernel.verdict.reason.undecided;
    return nothing;
}

namespace {

/// The busiest resources, the one that limits, and DRAM, because it is worth knowing if DRAM is
/// idle.
std::vector<AnsweredResource> shownResources(const KernelAnalysis& kernel) {
    constexpr std::size_t kMost = 6, kAlways = 2;
    constexpr double kLeast = 0.02;  // of a share; smaller ones say nothing beside the others
    std::vector<AnsweredResource> all;
    const Resources resources = resourcesOf(kernel.quantities);
    for (const Resource& use : resources.items)
        all.push_back({.use = use, .limits = kernel.verdict.limiter == use.id});
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [](const AnsweredResource& each) { return each.use.busy; });
    std::vector<AnsweredResource> shown;
    for (const AnsweredResource& each : all) {
        const double least = shown.size() < kAlways ? 0 : kLeast;
        if (each.limits || each.use.id == ResourceId::Dram ||
            (each.use.busy > least && shown.size() < kMost))
            shown.push_back(each);
    }
    return shown;
}

Stalls shownStalls(const Analysis& analysis, const KernelAnalysis& kernel) {
    constexpr std::size_t kMost = 5;
    constexpr double kLeast = 0.05;
    Stalls stalls = stallsOf(*analysis.profile, kernel);
    std::erase_if(stalls.reasons, [](const Stall& stall) { return stall.share < kLeast; });
    if (stalls.reasons.size() > kMost) stalls.reasons.resize(kMost);
    return stalls;
}

}  // namespace

KernelAnswer answerOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    const std::vector<const Finding*> major = majorFindings(kernel);
    KernelAnswer answer{.kernel = &kernel,
                        .resources = shownResources(kernel),
                        .stalls = shownStalls(analysis, kernel),
                        .headroom = headroomOf(kernel, *analysis.profile),
                        .joint = jointOf(kernel, major),
                        .findings = {},
                        .nothing = nothingToEdit(kernel),
                        .further = {},
                        .minor = {},
                        .blocked = {},
                        .undecided = {},
                        .ruledOut = kernel.ruledOut,
                        .lacks = lacksOf(analysis, kernel)};
    for (std::size_t i = 0; i < major.size(); ++i) {
        if (i < kMostFindings)
            answer.findings.push_back(answerOf(kernel, *major[i], i + 1));
        else
            answer.further.push_back(major[i]);
    }
    for (const Finding* finding : minorFindings(kernel))
        (finding->blocked ? answer.blocked : answer.minor).push_back(finding);
    // Where there is a finding, or the kernel is at a roof, they would only distract.
    constexpr std::size_t kMostUndecided = 3;
    if (answer.nothing && isKnown(kernel.verdict.cls) &&
        answer.nothing->why != NoFindings::NothingToFix)
        for (const RuledOut& fault : kernel.undecided)
            if (answer.undecided.size() < kMostUndecided) answer.undecided.push_back(&fault);
    const DurationStats& duration = kernel.quantities.duration;
    answer.durationFromCounterRun = duration.count > 0 && !duration.unprofiled();
    return answer;
}

}  // namespace roofscope
