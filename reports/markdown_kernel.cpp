// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/grouping.h"
#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "analyzer/rule.h"
#include "reports/ask_command.h"
#include "reports/compare/compare_report.h"
#include "reports/edit_text.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"
#include "reports/roof_advice.h"
#include "reports/source_window.h"

namespace roofscope::markdown {

namespace {

constexpr std::size_t kMaxSentence = 1500;

}  // namespace

std::string durationWords(const DurationStats& duration, Language language) {
    const Wording& w = wordingOf(language);
    if (duration.count == 0) return w.common.notMeasured.str();
    const auto time = [](Seconds value) { return formatNumber(value.value, Unit::Seconds); };
    const std::string words = duration.count > 1
                                  ? w.kernel.median(time(duration.median), time(duration.min),
                                                    time(duration.max), duration.count)
                                  : w.kernel.single(time(duration.median));
    return words + w.common.comma +
           (duration.unprofiled ? w.kernel.unprofiled : w.kernel.counterRun).str();
}

std::string headroomWords(const Verdict& verdict, Language language) {
    const Wording& w = wordingOf(language);
    if (verdict.headroom.missing == "counters")  // all of them
        return w.kernel.headroom(w.common.notMeasured.str());
    if (!verdict.headroom.has())
        return w.kernel.headroom(
            markdownText(formatMissing(verdict.headroom.missing, language), 300));
    std::string words =
        w.common.perLaunch(w.common.atMost(formatNumber(verdict.headroom->value, Unit::Seconds)));
    if (verdict.speedupBound.has())
        words = w.common.bracketed(words, formatNumber(*verdict.speedupBound, Unit::Factor));
    return verdict.headroomFrom.empty() ? w.kernel.headroom(words)
                                        : w.kernel.headroomByFinding(words, verdict.headroomFrom);
}

std::string noFindingsCell(const KernelAnalysis& kernel, Language language) {
    const Wording& w = wordingOf(language);
    switch (explainNoFindings(kernel)) {
        case NoFindings::NothingToFix:
            return w.common.nothingToFix.str();
        case NoFindings::LittleToFix:
            return w.common.littleToFix.str();
        default:
            return {};
    }
}

std::string gainWords(const Finding& finding, Language language) {
    const Wording& w = wordingOf(language);
    if (!finding.gain.has())
        return markdownText(formatMissing(finding.gain.missing, language), 300);
    std::string words = w.common.atMost(formatNumber(finding.gain->value, Unit::Seconds));
    if (finding.gainShare.has())
        words = w.common.bracketed(words, formatNumber(finding.gainShare->value, Unit::Share));
    return w.common.perLaunch(words);
}

std::string placesWords(const Finding& finding, Language language) {
    const Wording& w = wordingOf(language);
    const EscapeText code = [](std::string_view text) { return markdownCode(text, 100); };
    const EscapeText words = [](std::string_view text) { return markdownText(text, 200); };
    std::string text;
    for (const Place& place : finding.places)
        text += (text.empty() ? std::string() : w.common.semicolon.str()) +
                placeWords(place, code, words, w);
    return text;
}

std::string noFindings(const KernelAnalysis& kernel, Language language) {
    const Wording& w = wordingOf(language);
    const bool hasMinor = !minorFindings(kernel).empty();
    // The verdict stands above: its numbers are not said again.
    std::string none = (hasMinor ? w.kernel.onlyMinor : w.kernel.noFault).str();
    const std::string advice = markdownText(roofAdvice(kernel.verdict, language), kMaxSentence);
    const std::string reason = markdownText(verdictReason(kernel, language), kMaxSentence);
    switch (explainNoFindings(kernel)) {
        case NoFindings::NothingToFix:
            if (!advice.empty()) none += w.kernel.whatHelps(advice);
            return w.kernel.nothingToFix(none) + "\n";
        case NoFindings::LittleToFix:
            if (!advice.empty()) none += w.kernel.whatHelps(advice);
            return w.kernel.littleToFix(none) + "\n";
        case NoFindings::NoKnownFault:
            return w.kernel.noKnownFault(none) + "\n";
        case NoFindings::OnlyTimed:
            return w.kernel.noDiagnosis(w.kernel.onlyTimed) + "\n";
        case NoFindings::CannotTell:
            break;
    }
    return w.kernel.noDiagnosis(reason.empty() ? w.kernel.countersMissing.str() : reason) + "\n";
}

std::string otherFindings(const KernelAnalysis& kernel, Language language) {
    const Wording& w = wordingOf(language);
    const auto major = majorFindings(kernel);
    auto minor = minorFindings(kernel);
    std::string text;
    const auto list = [&](const std::string& intro, auto begin, auto end) {
        if (begin == end) return;
        text += "\n" + intro;
        for (auto it = begin; it != end; ++it) {
            const std::string title = markdownText(ruleTitle((*it)->ruleId, language), 100);
            text += (it == begin ? std::string() : w.common.semicolon.str()) +
                    ((*it)->gain.has()
                         ? w.common.bracketed(
                               title, "≤ " + formatNumber((*it)->gain->value, Unit::Seconds))
                         : title);
        }
        text += w.common.stop + "\n";
    };
    if (major.size() > kMaxFindings)
        list(w.kernel.also.str(), major.begin() + kMaxFindings, major.end());
    const auto blocked = std::stable_partition(minor.begin(), minor.end(),
                                               [](const Finding* f) { return !f->blocked; });
    list(w.kernel.minor.str(), minor.begin(), blocked);
    list(spaced(w.kernel.blocked(kernel.verdict.limiter.empty()
                                     ? w.verdict.busiestResource.str()
                                     : resourceWords(kernel.verdict.limiter, language)),
                language),
         blocked, minor.end());
    return text;
}

namespace {

/// A rule's sentence as markdown prose. The whole sentence is escaped, arguments included.
std::string prose(std::string_view phrase, std::span<const Arg> args, Language language) {
    // An argument can be a list of names (unfused-chain): the sentence as a whole is capped.
    const auto clean = [](std::string_view text) { return cleanText(text, kMaxSentence); };
    return markdownText(fillPhrase(phrase, args, clean, language), kMaxSentence);
}

std::string identity(const Analysis& analysis, const KernelAnalysis& kernel, bool standalone,
                     const Wording& w) {
    const Language language = w.language;
    const auto fact = [&w](const Label& name, const std::string& words) {
        return "- " + name + w.common.colon + words + "\n";
    };
    std::string text;
    if (kernel.fullName != kernel.name)
        text += fact(w.kernel.fullName, markdownCode(kernel.fullName, 300));
    if (!kernel.range.empty()) text += fact(w.kernel.range, markdownCode(kernel.range));
    const Device& device = deviceOf(analysis, kernel);
    if (standalone) {
        const auto& q = kernel.quantities;
        text +=
            fact(w.header.gpu, w.kernel.gpuLine(deviceLine(device, language),
                                                formatDerived(q.smClock, Unit::Hertz, language),
                                                formatDerived(q.dramClock, Unit::Hertz, language),
                                                softwareLine(*analysis.profile, language)));
        text += fact(w.header.measured, measuredLine(*analysis.profile, language));
        if (hasOnlyTimes(*analysis.profile)) text += fact(w.header.note, w.header.onlyTimes.str());
        if (!isMeasured(analysis.profile->capture))
            text += "- **" + w.common.madeUp(markdownText(analysis.profile->capture.origin, 40)) +
                    "**\n";
        const auto& issues = analysis.profile->issues;
        const auto lost = std::count_if(issues.begin(), issues.end(), [](const Issue& issue) {
            return issue.severity != Severity::Info;
        });
        if (lost > 0) text += "- " + w.kernel.problems(static_cast<std::size_t>(lost)) + "\n";
        text += "- " + w.kernel.names + "\n";
    } else if (analysis.profile->devices.size() > 1) {
        const auto devices = devicesOf(*analysis.profile, kernel.group);
        const auto& sentence = devices.size() > 1 ? w.kernel.gpuNumbers : w.kernel.gpuNumber;
        text += "- " + sentence(deviceNumbers(devices), deviceLine(device, language)) + "\n";
    }
    std::string duration = durationWords(kernel.quantities.duration, language);
    if (kernel.timeShare.has())
        duration += w.common.comma +
                    w.common.ofAllGpuTime(formatNumber(kernel.timeShare->value, Unit::Share));
    text += fact(w.kernel.duration, duration);
    if (const auto& over = kernel.quantities.averagedOver)
        text += fact(w.kernel.counters, w.kernel.averagedOver(over->first, over->second));
    return text;
}

std::string busyLine(const Quantities& q, Convention convention, Language language) {
    const Common& words = wordingOf(language).common;
    std::string line;
    for (const BusyResource& busy : busyResources(q, convention, language)) {
        line += (line.empty() ? "" : " · ") + busy.name + " ";
        const std::string share = busy.share ? formatNumber(*busy.share, Unit::Share)
                                             : std::string(busy.detail.empty() ? "" : "n/a");
        line += busy.detail.empty() ? share : words.bracketed(share, busy.detail);
    }
    return spaced(line, language);
}

std::string verdictPart(const KernelAnalysis& kernel, Convention convention, const Wording& w) {
    const Verdict& verdict = kernel.verdict;
    const Language language = w.language;
    std::string text = w.kernel.verdict(markdownText(verdictWords(verdict, language), 80),
                                        confidenceWords(verdict.confidence, language));
    const bool explained = !majorFindings(kernel).empty();
    if (const std::string reason = verdictReason(kernel, language, explained); !reason.empty())
        text += w.common.gap.str() + markdownText(reason, kMaxSentence) + w.common.stop;
    text += w.common.gap.str() + headroomWords(verdict, language) + "\n";
    if (const std::string busy = busyLine(kernel.quantities, convention, language); !busy.empty())
        text +=
            "\n" +
            w.kernel.roofShares(
                convention == Convention::Ncu ? w.kernel.ncuCounting.str() : std::string(), busy) +
            "\n";
    if (const std::string effective = effectiveWords(kernel.quantities, language);
        !effective.empty())
        text += "\n" + effective + "\n";
    return text;
}

std::string exactBytes(std::uint64_t bytes) {
    return formatExact(static_cast<double>(bytes)) + " B";
}

std::string launchPart(const Analysis& analysis, const KernelAnalysis& kernel, const Wording& w) {
    const Language language = w.language;
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    const Occupancy& occupancy = kernel.quantities.occupancy;
    const auto orUnknown = [&w](const auto& value) {
        return value ? fmt::format("{}", *value) : w.common.notRecorded.str();
    };
    const auto bytesOrUnknown = [&w](const auto& value) {
        return value ? exactBytes(*value) : w.common.notRecorded.str();
    };
    const std::string limiter = limiterWords(occupancy.limiter, language);
    return w.kernel.launch(
               formatDim(group.grid), formatDim(group.block),
               group.cluster && group.cluster->total() > 1
                   ? w.kernel.cluster(formatDim(*group.cluster))
                   : std::string(),
               orUnknown(function.registersPerThread), bytesOrUnknown(function.staticSharedBytes),
               exactBytes(group.dynamicSharedBytes), bytesOrUnknown(function.localBytesPerThread)) +
           "\n" +
           w.kernel.occupancy(formatDerived(occupancy.residentBlocksPerSm, Unit::Count, language),
                              formatDerived(occupancy.theoretical, Unit::Share, language),
                              limiter.empty() ? std::string() : w.kernel.limitedBy(limiter),
                              hasOnlyTimes(*analysis.profile)
                                  ? w.common.notMeasured.str()
                                  : formatDerived(occupancy.achieved, Unit::Share, language),
                              formatDerived(occupancy.waves, Unit::Count, language),
                              occupancy.waveEfficiency.has()
                                  ? w.kernel.waveEfficiency(
                                        formatNumber(occupancy.waveEfficiency->value, Unit::Share))
                                  : std::string()) +
           "\n";
}

std::string evidenceLine(const Evidence& evidence, const Wording& w) {
    std::string value = "**" + formatNumber(evidence.value, evidence.unit) + "**";
    std::string bounds;
    if (evidence.threshold)
        bounds = w.kernel.threshold(formatNumber(*evidence.threshold, evidence.unit));
    if (evidence.healthy)
        bounds += (bounds.empty() ? std::string() : w.common.comma.str()) +
                  w.kernel.healthy(formatNumber(*evidence.healthy, evidence.unit));
    if (!bounds.empty()) value = w.common.bracketed(value, bounds);
    std::string line =
        "- " + markdownText(evidence.label.in(w.language), 120) + w.common.colon + value;
    if (!evidence.formula.empty()) line += " = " + markdownCode(evidence.formula, 300);
    return line + "\n";
}

/// Lines of code inside a fence that they cannot close.
std::string codeBlock(const CodeLines& lines, const Wording& w) {
    const auto& [before, after] = lines;
    if (lines.empty()) return {};
    std::string text = "```cuda\n";
    if (!before.empty()) text += "// " + w.kernel.before + "\n" + std::string(before) + "\n";
    if (!after.empty()) text += "// " + w.kernel.after + "\n" + std::string(after) + "\n";
    return text + "```\n";
}

std::string findingText(const Finding& finding, KernelOrigin origin, std::size_t number,
                        const Wording& w) {
    const Language language = w.language;
    const Rule* rule = findRule(finding.ruleId);
    std::string text =
        w.common.bracketed(
            fmt::format("**{}. {}{}{}**", number,
                        markdownText(ruleTitle(finding.ruleId, language), 100),
                        std::string_view(w.common.colon), gainWords(finding, language)),
            markdownCode(finding.ruleId, 60)) +
        "\n\n";
    if (rule)
        text += prose(rule->text(language).sentence, finding.args, language) + w.common.gap.str() +
                prose(rule->text(language).mechanism, finding.args, language) + "\n";
    if (!finding.places.empty())
        text += "\n" + w.source.where + placesWords(finding, language) + w.common.stop + "\n";
    if (!finding.evidence.empty()) text += "\n";
    for (const Evidence& evidence : finding.evidence) text += evidenceLine(evidence, w);
    if (rule) {
        text += "\n" + w.kernel.edit +
                prose(editPhrase(*rule, finding, language), finding.args, language) + "\n";
        const std::string code = codeBlock(codeLines(*rule, finding, origin), w);
        if (!code.empty()) text += "\n" + code;
    }
    if (!finding.gainFormula.empty())
        text += "\n" + w.kernel.gainBound + markdownText(finding.gainFormula.in(language), 400) +
                w.common.stop + "\n";
    if (!finding.expected.empty()) {
        text += "\n" + w.kernel.expect + "\n";
        for (const ExpectedMovement& move : finding.expected)
            text += "- " + markdownCode(move.counter.in(language), 120) + w.common.colon +
                    w.kernel.fromTo(
                        formatNumber(move.from, move.unit),
                        (move.to > move.from ? "≥ " : "≤ ") + formatNumber(move.to, move.unit)) +
                    "\n";
    }
    return text;
}

std::string findingsPart(const KernelAnalysis& kernel, const Wording& w) {
    const auto major = majorFindings(kernel);
    std::string text;
    if (major.empty()) {
        text += noFindings(kernel, w.language);
    } else {
        text += "### " + w.kernel.whatToFix + "\n";
        for (std::size_t i = 0; i < std::min(major.size(), kMaxFindings); ++i)
            text += "\n" + findingText(*major[i], kernel.origin, i + 1, w);
    }
    return text + otherFindings(kernel, w.language);
}

std::string ruledOutPart(const KernelAnalysis& kernel, const Wording& w) {
    std::string text;
    for (const RuledOut& out : kernel.ruledOut) {
        const Rule* rule = findRule(out.ruleId);
        const std::string words = rule
                                      ? prose(rule->text(w.language).ruledOut, out.args, w.language)
                                      : w.kernel.not_(markdownText(out.ruleId, 60));
        text += (text.empty() ? w.kernel.ruledOut : w.common.semicolon).str() + words;
    }
    return text.empty() ? text : text + w.common.stop + "\n";
}

std::string constraintsPart(const Analysis& analysis, const KernelAnalysis& kernel,
                            const Wording& w) {
    const Device& device = deviceOf(analysis, kernel);
    std::string text = (editKeepsKernel(kernel) && !isForeign(kernel.origin) ? w.kernel.constraints
                                                                             : w.kernel.keepResults)
                           .str();
    std::string limits;
    const auto limit = [&](const std::string& words) {
        limits += (limits.empty() ? std::string() : w.common.listComma.str()) + words;
    };
    if (device.maxThreadsPerBlock)
        limit(w.kernel.threadsPerBlock(formatExact(*device.maxThreadsPerBlock)));
    if (device.sharedPerBlockOptinBytes)
        limit(w.kernel.sharedPerBlock(exactBytes(*device.sharedPerBlockOptinBytes)));
    if (device.registersPerSm) limit(w.kernel.registersPerSm(formatExact(*device.registersPerSm)));
    if (!limits.empty()) text += w.common.gap.str() + w.kernel.allows(limits);
    std::string lacks;
    for (const std::string& feature : missingFeatures(device, w.language))
        lacks += (lacks.empty() ? std::string() : w.common.listComma.str()) + feature;
    if (!lacks.empty()) text += w.common.gap.str() + w.kernel.lacks(lacks);
    double fp64 = 0, fp32 = 0;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != kernel.group.device || roof.kind != Roof::Kind::Compute || roof.measured)
            continue;
        if (roof.precision == Precision::Fp64) fp64 = roof.rate;
        if (roof.precision == Precision::Fp32) fp32 = roof.rate;
    }
    constexpr double kWeak = 8;  // data-centre GPUs have 1/2
    if (fp64 > 0 && fp32 / fp64 >= kWeak)
        text += w.common.gap.str() + w.kernel.weakFp64(fp32 / fp64);
    return text + "\n";
}

std::string notMeasuredPart(const Analysis& analysis, const KernelAnalysis& kernel,
                            const Wording& w) {
    const bool onlyTimes = hasOnlyTimes(*analysis.profile);
    std::vector<std::string> items = missingSource(analysis, kernel, w);
    if (kernel.quantities.duration.count > 0 && !kernel.quantities.duration.unprofiled)
        items.push_back(w.kernel.noTimingRun.str());
    // Rules that lack the same counters are named together.
    std::map<std::string, std::pair<std::string, std::string>> byReason;
    for (const CannotTell& unknown : kernel.cannotTell) {
        if (onlyTimes) break;  // the header says so once
        auto& [rules, advice] = byReason[unknown.missing.in(w.language)];
        rules += (rules.empty() ? std::string() : w.common.listComma.str()) + unknown.ruleId;
        if (advice.empty()) advice = unknown.advice.in(w.language);
    }
    for (const auto& [missing, entry] : byReason) {
        const std::string rules = markdownText(entry.first, 200);
        const std::string names = markdownText(namesOfMissing(missing, w.language), 300);
        items.push_back(names.empty() ? rules : w.common.bracketed(rules, names));
        if (!entry.second.empty()) items.back() += w.common.colon + markdownText(entry.second, 200);
    }
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? w.kernel.notMeasured : w.common.semicolon).str() + item;
    return text.empty() ? text : text + w.common.stop + "\n";
}

std::string askPart(const Analysis& analysis, const KernelAnalysis& kernel,
                    const ReportOptions& options) {
    const Wording& w = wordingOf(options.language);
    const bool edit = !majorFindings(kernel).empty();
    const auto groups = lackingGroups(*analysis.profile, kernel);
    const Label& ask = edit ? editKeepsKernel(kernel) ? w.kernel.askEdit : w.kernel.askCallerEdit
                       : groups.empty() ? w.kernel.askAgain
                                        : w.kernel.askGroups;
    return ask + "\n\n```sh\n" + askCommand(*analysis.profile, kernel, options, groups) + "```\n";
}

}  // namespace

KernelSection kernelSection(const Analysis& analysis, std::size_t index,
                            const ReportOptions& options, bool standalone) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const Wording& w = wordingOf(options.language);
    KernelSection section;
    section.head = fmt::format("## {}. {}{}{}\n\n", index + 1, markdownCode(kernel.name, 100),
                               std::string_view(w.common.colon),
                               markdownText(verdictWords(kernel.verdict, options.language), 80)) +
                   identity(analysis, kernel, standalone, w) + "\n" +
                   verdictPart(kernel, analysis.convention, w);
    const auto add = [&](PartKind kind, const Label& name, std::string text) {
        if (!text.empty())
            section.parts.push_back({.kind = kind, .name = name.str(), .text = std::move(text)});
    };
    add(PartKind::Launch, w.kernel.partLaunch, launchPart(analysis, kernel, w));
    add(PartKind::Findings, w.kernel.partFindings, findingsPart(kernel, w));
    add(PartKind::RuledOut, w.kernel.partRuledOut, ruledOutPart(kernel, w));
    add(PartKind::Constraints, w.kernel.partConstraints, constraintsPart(analysis, kernel, w));
    add(PartKind::Source, w.kernel.partSource,
        sourceWindowMarkdown(sourceWindow(analysis, kernel), w));
    if (options.baseline)
        add(PartKind::SinceBaseline, w.kernel.partSinceBaseline,
            sinceBaselineMarkdown(options.baseline->comparison, *options.baseline->analysis,
                                  analysis, index, options.language));
    add(PartKind::NotMeasured, w.kernel.partNotMeasured, notMeasuredPart(analysis, kernel, w));
    add(PartKind::Ask, w.kernel.partAsk, askPart(analysis, kernel, options));
    return section;
}

}  // namespace roofscope::markdown
