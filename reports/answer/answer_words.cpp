// SPDX-License-Identifier: Apache-2.0
#include "reports/answer/answer_words.h"

#include <cmath>

#include "analyzer/roofline/roofline.h"
#include "reports/answer/finding_words.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/source/source_words.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"

namespace roofscope {

std::string resourceName(const AnsweredResource& resource, Convention convention, Language l) {
    // Our share of the L2 is that of its busier direction.
    return resource.use.id == ResourceId::L2 && convention == Convention::Ncu
               ? say(l, "L2 (read return)")
               : resourceWords(resource.use.id, l);
}

namespace {

/// "BF16 638 TFLOP/s, 64 % of its roof": what the tensor cores do, by type.
std::string tensorRates(const Quantities& q, Language l) {
    std::string rates;
    for (const TensorWork* work : tensorWork(q)) {
        if (!work->rate.has()) continue;
        if (!rates.empty()) rates += marksOf(l).semicolon;
        rates +=
            std::string(toString(work->type)) + " " + formatRate(work->rate->value, work->type);
        if (work->utilisation.has())
            rates +=
                say(l, ", {} of its roof",
                    formatNumber(std::round(work->utilisation->value * 100) / 100, Unit::Share));
        if (work->byBusyCycles) rates += say(l, ", by busy cycles");
    }
    return rates;
}

std::string flopRate(const Quantities& q, Precision precision) {
    const auto& rate = q.flopRate[precision];
    if (!rate.has()) return {};
    // FP16 operations include conversions and constants.
    return (precision == Precision::Fp16 ? "≤ " : "") +
           formatNumber(rate->value, Unit::FlopsPerSecond);
}

}  // namespace

std::string resourceDetail(const KernelAnalysis& kernel, const AnsweredResource& resource,
                           Convention convention, Language l) {
    const Quantities& q = kernel.quantities;
    switch (resource.use.id) {
        case ResourceId::Dram: {
            const auto& rate = q.bandwidth[Level::Dram];
            return rate.has() ? formatNumber(rate->value, Unit::BytesPerSecond) : std::string();
        }
        case ResourceId::L1:
        case ResourceId::L1DataPipe:
            if (!bypassesL1(q)) return {};
            // Nsight Compute's formula leaves out cp.async too, ours only what bypasses the L1.
            return convention == Convention::Roofscope
                       ? say(l, "bulk copies are not counted")
                       : say(l, "asynchronous copies are not counted");
        case ResourceId::Fp64:
            return flopRate(q, Precision::Fp64);
        case ResourceId::Fp32:
            return flopRate(q, Precision::Fp32);
        case ResourceId::Fp16:
            return flopRate(q, Precision::Fp16);
        case ResourceId::Tensor:
            return tensorRates(q, l);
        default:
            return {};
    }
}

namespace {

/// Which edits a joint bound leaves out: "without fusing or smaller data types".
std::string excludedEditsWords(const std::vector<BeyondJoint>& without, Language l) {
    std::string words;
    for (const BeyondJoint beyond : without) {
        const std::string what = beyond == BeyondJoint::Fusing       ? say(l, "fusing")
                                 : beyond == BeyondJoint::MoreFusing ? say(l, "more fusing")
                                                                     : say(l, "smaller data types");
        words += words.empty() ? say(l, "without {}", what) : say(l, " or {}", what);
    }
    return words;
}

/// "fewer shared-memory accesses (…)".
std::string adviceWords(RoofAdvice advice, Language l) {
    switch (advice) {
        case RoofAdvice::FewerDramBytes:
            return say(l,
                       "fewer bytes per launch (fuse it with a neighbour that reads or writes the "
                       "same arrays, smaller types)");
        case RoofAdvice::FewerL2Bytes:
            return say(l,
                       "fewer bytes from the L2 (keep reused data in shared memory or registers)");
        case RoofAdvice::FewerL1Accesses:
            return say(l,
                       "fewer accesses (wider loads and stores; keep reused values in registers)");
        case RoofAdvice::FewerSharedAccesses:
            return say(l,
                       "fewer shared-memory accesses (compute several results per thread from "
                       "operands kept in registers)");
        case RoofAdvice::None:
            break;
    }
    return {};
}

std::string nameOf(const std::string& rule, RuleName name, Language l) {
    return name == RuleName::Title ? ruleTitle(rule, l) : rule;
}

doc::Text mentioned(std::span<const Finding* const> findings, Language l) {
    return doc::joined(findings, marksOf(l).semicolon,
                       [l](const Finding* finding) { return findingMention(*finding, l); });
}

/// "at most 9.29 µs per launch (1.40×)".
std::string withSpeedup(const std::string& bound, std::optional<double> factor, Language l) {
    const std::string text = factor ? speedupText(*factor) : std::string();
    return text.empty() ? bound : bracketed(l, bound, text);
}

}  // namespace

doc::Text headroomSentence(const KernelAnswer& answer, Language l) {
    const Verdict& verdict = answer.kernel->verdict;
    switch (answer.headroom) {
        case Headroom::SaidElsewhere:
            break;
        case Headroom::NothingCounted:
            return tell(l, "Headroom: {}.", say(l, "not measured"));
        case Headroom::NotMeasured:
            return tell(l, "Headroom: {}.", formatMissing(verdict.headroom.missing, l));
        case Headroom::AtRoof:
            return say(l, "It is at its roof.");
        case Headroom::AsShortAsLaunch:
            return say(l, "It is as short as the launch of an empty kernel.");
        case Headroom::Left: {
            const std::string bound =
                say(l, "{} per launch", boundWords(*verdict.headroom, false, l));
            return tell(l, "Headroom at the attainable roof: {}.",
                        withSpeedup(bound, verdict.speedupBound.value, l));
        }
    }
    return {};
}

doc::Text jointGainSentence(const KernelAnswer& answer, Language l) {
    if (!answer.joint) return {};
    const JointAnswer& joint = *answer.joint;
    const std::string bound =
        withSpeedup(say(l, "{} per launch", boundWords(joint.bound, false, l)), joint.factor, l);
    switch (joint.from) {
        case JointFrom::Work:
            return tell(l, "Bound from its DRAM bytes and operations alone: {}.", bound);
        case JointFrom::WorkThatStays:
            return tell(l, "Bound from the DRAM bytes and operations that stay: {}.", bound);
        case JointFrom::Edits:
            break;
    }
    return tell(l, "All edits together, {}: {}.", excludedEditsWords(joint.without, l), bound);
}

doc::Text nothingSentence(const std::optional<NothingToEdit>& nothing, Language l) {
    if (!nothing) return {};
    // The verdict stands above, so do not repeat its numbers.
    std::string none = nothing->minorFindings
                           ? say(l, "what the rules found costs little of its time")
                           : say(l, "no rule found a fault");
    if (nothing->advice != RoofAdvice::None)
        none += say(l, "; what would help is {}", adviceWords(nothing->advice, l));
    switch (nothing->why) {
        case NoFindings::NothingToFix:
            return doc::toned(doc::Tone::Good, tell(l, "**Stop here:** {}.", none));
        case NoFindings::LittleToFix:
            return doc::toned(doc::Tone::Good, tell(l, "**Little to fix here:** {}.", none));
        case NoFindings::NoKnownFault:
            return tell(l, "**No known fault:** {}, although the kernel is not at a roof.", none);
        case NoFindings::Undecided:
            return tell(l,
                        "**No diagnosis yet:** it may be {}; the counters for that were not read.",
                        doc::joined(nothing->undecided, say(l, " or "),
                                    [](const std::string& rule) { return doc::code(rule, 60); }));
        case NoFindings::OnlyTimed:
            return tell(l, "**No diagnosis:** it waits for other GPUs, so it was only timed.");
        case NoFindings::OtherState:
            return tell(
                l, "**No diagnosis:** its counters are not those of the launch in the program.");
        case NoFindings::CannotTell:
            break;
    }
    // The verdict above says what is missing.
    return tell(l, "**No diagnosis:** {}.",
                nothing->onlyTimed ? say(l, "it was only timed") : say(l, "counters are missing"));
}

std::string nothingLabel(const NothingToEdit& nothing, Language l) {
    switch (nothing.why) {
        case NoFindings::NothingToFix:
            return say(l, "stop here");
        case NoFindings::LittleToFix:
            return say(l, "little to fix");
        case NoFindings::NoKnownFault:
            return say(l, "no known fault");
        case NoFindings::Undecided:
            return say(l, "no diagnosis yet");
        case NoFindings::OnlyTimed:
            return say(l, "only timed");
        case NoFindings::OtherState:
        case NoFindings::CannotTell:
            break;
    }
    return nothing.onlyTimed ? say(l, "only timed") : say(l, "no diagnosis");
}

doc::Text furtherSentence(const KernelAnswer& answer, Language l) {
    return tellOf(mentioned(answer.further, l), l, "Also: {}.");
}

doc::Text minorSentence(const KernelAnswer& answer, Language l) {
    return tellOf(mentioned(answer.minor, l), l, "Minor, below 3 % of this kernel's time: {}.");
}

doc::Text blockedSentence(const Verdict& verdict, std::span<const Finding* const> blocked,
                          Language l) {
    if (blocked.empty()) return {};
    return tell(l, "Only after the {} is relieved: {}.",
                verdict.limiter ? resourceWords(*verdict.limiter, l) : say(l, "busiest resource"),
                mentioned(blocked, l));
}

doc::Text undecidedSentence(const KernelAnswer& answer, RuleName name, Language l) {
    return tellOf(doc::joined(answer.undecided, marksOf(l).listComma,
                              [&](const RuledOut* out) {
                                  return doc::fromProfile(nameOf(out->ruleId, name, l), 60);
                              }),
                  l, "**Neither found nor ruled out:** {}.");
}

std::vector<doc::Text> ruledOutWords(const KernelAnswer& answer, RuleName name, Language l) {
    std::vector<doc::Text> items;
    for (const RuledOut& out : answer.ruledOut) {
        const Rule* rule = name == RuleName::Title ? findRule(out.ruleId) : nullptr;
        items.push_back(rule ? ruleProse(rule->text(l).ruledOut, out.args, l)
                             : doc::fromProfile(out.ruleId, 60));
    }
    return items;
}

std::vector<doc::Text> notMeasuredWords(const Analysis& analysis, const KernelAnswer& answer,
                                        bool byProfile, RuleName name, Language l) {
    std::vector<doc::Text> items;
    if (byProfile || !analysis.profile->sources.empty())
        items = missingSource(analysis, *answer.kernel, l);
    if (byProfile && answer.durationFromCounterRun)
        items.emplace_back(say(l, "duration without profiling (no timing run)"));
    const std::string_view between =
        name == RuleName::Title ? marksOf(l).semicolon : marksOf(l).listComma;
    for (const Lack& lack : answer.lacks) {
        std::string what = lack.advice.in(l);
        if (what.empty()) what = namesOfMissing(lack.missing.in(l), l);
        std::string rules;
        for (const SharedText& rule : lack.rules)
            rules += (rules.empty() ? "" : std::string(between)) + nameOf(rule, name, l);
        doc::Text item = doc::fromProfile(rules, 200);
        if (!what.empty()) item += doc::Text(marksOf(l).colon) + doc::fromProfile(what, 200);
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace roofscope
