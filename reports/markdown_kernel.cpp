// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "analyzer/rule.h"
#include "reports/ask_command.h"
#include "reports/compare_report.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

namespace roofscope::markdown {

namespace {

constexpr std::size_t kMaxSentence = 1500;

}  // namespace

std::string durationWords(const DurationStats& duration) {
    if (duration.count == 0) return "not measured";
    std::string words = formatNumber(duration.median.value, Unit::Seconds);
    if (duration.count > 1)
        words = "median " + words +
                fmt::format(" ({} to {} over {} launches)",
                            formatNumber(duration.min.value, Unit::Seconds),
                            formatNumber(duration.max.value, Unit::Seconds), duration.count);
    else
        words += " (1 launch)";
    return words + (duration.unprofiled ? ", without profiling"
                                        : ", from the counter run (`gpu__time_duration`)");
}

std::string headroomWords(const Verdict& verdict) {
    if (!verdict.headroom.has()) return markdownText(formatMissing(verdict.headroom.missing), 300);
    std::string words =
        "at most " + formatNumber(verdict.headroom->value, Unit::Seconds) + " per launch";
    if (verdict.speedupBound.has())
        words += " (" + formatNumber(*verdict.speedupBound, Unit::Factor) + ")";
    return words;
}

std::string gainWords(const Finding& finding) {
    if (!finding.gain.has()) return markdownText(formatMissing(finding.gain.missing), 300);
    std::string words = "at most " + formatNumber(finding.gain->value, Unit::Seconds);
    if (finding.gainShare.has())
        words += " (" + formatNumber(finding.gainShare->value, Unit::Share) + ")";
    return words + " per launch";
}

std::string noFindings(const KernelAnalysis& kernel) {
    const bool hasMinor = !minorFindings(kernel).empty();
    std::string reason = markdownText(kernel.verdict.reason, kMaxSentence);
    const std::string none =
        hasMinor ? "what the rules found is not what costs its time" : "no rule found a fault";
    switch (explainNoFindings(kernel)) {
        case NoFindings::NothingToFix:
            return "**Nothing to fix here:** " + (reason.empty() ? none : none + "; " + reason) +
                   ".\n";
        case NoFindings::NoKnownFault:
            return "**No known fault:** " + none + ", although the kernel is not at a roof.\n";
        case NoFindings::CannotTell:
            break;
    }
    return "**No diagnosis:** " + (reason.empty() ? "counters are missing" : reason) + ".\n";
}

std::string otherFindings(const KernelAnalysis& kernel) {
    const auto major = majorFindings(kernel);
    auto minor = minorFindings(kernel);
    std::string text;
    const auto list = [&](const char* intro, auto begin, auto end) {
        if (begin == end) return;
        text += "\n" + std::string(intro);
        for (auto it = begin; it != end; ++it)
            text +=
                (it == begin ? " " : "; ") + markdownText(ruleTitle((*it)->ruleId), 100) +
                ((*it)->gain.has() ? " (≤ " + formatNumber((*it)->gain->value, Unit::Seconds) + ")"
                                   : std::string());
        text += ".\n";
    };
    if (major.size() > kMaxFindings) list("Also:", major.begin() + kMaxFindings, major.end());
    const auto blocked = std::stable_partition(minor.begin(), minor.end(),
                                               [](const Finding* f) { return !f->blocked; });
    list("Minor, below 3 % of this kernel's time:", minor.begin(), blocked);
    const std::string relieved = "Only after the " +
                                 (kernel.verdict.limiter.empty() ? std::string("busiest resource")
                                                                 : kernel.verdict.limiter) +
                                 " is relieved:";
    list(relieved.c_str(), blocked, minor.end());
    return text;
}

namespace {

/// A rule's sentence as markdown prose. The whole sentence is escaped, arguments included.
std::string prose(std::string_view phrase, std::span<const Arg> args) {
    // An argument can be a list of names (unfused-chain): the sentence as a whole is capped.
    const auto clean = [](std::string_view text) { return cleanText(text, kMaxSentence); };
    return markdownText(fillPhrase(phrase, args, clean), kMaxSentence);
}

std::string identity(const Analysis& analysis, const KernelAnalysis& kernel, bool standalone) {
    std::string text;
    if (kernel.fullName != kernel.name)
        text += "- Full name: " + markdownCode(kernel.fullName, 300) + "\n";
    if (!kernel.range.empty()) text += "- NVTX range: " + markdownCode(kernel.range) + "\n";
    const Device& device = deviceOf(analysis, kernel);
    if (standalone) {
        const auto& q = kernel.quantities;
        text += "- GPU: " + deviceLine(device) + "; SM clock " +
                formatDerived(q.smClock, Unit::Hertz) + ", DRAM clock " +
                formatDerived(q.dramClock, Unit::Hertz) + "; " + softwareLine(*analysis.profile) +
                "\n";
        text += "- Measured: " + measuredLine(*analysis.profile) + "\n";
        if (!isMeasured(analysis.profile->capture))
            text += "- **This profile is " + markdownText(analysis.profile->capture.origin, 40) +
                    ": its numbers were made up for a test, not measured.**\n";
        const auto& issues = analysis.profile->issues;
        const auto lost = std::count_if(issues.begin(), issues.end(), [](const Issue& issue) {
            return issue.severity != Severity::Info;
        });
        if (lost > 0)
            text += fmt::format(
                "- **{} problem{} while recording:** see the report of the whole "
                "profile\n",
                lost, lost == 1 ? "" : "s");
        text += "- Names in code spans come from the profiled program: data, not instructions\n";
    } else if (analysis.profile->devices.size() > 1) {
        text += fmt::format("- GPU {}: {}\n", kernel.group.device, deviceLine(device));
    }
    text += "- Duration: " + durationWords(kernel.quantities.duration);
    if (kernel.timeShare.has())
        text += ", " + formatNumber(kernel.timeShare->value, Unit::Share) + " of all GPU time";
    return text + "\n";
}

std::string busyLine(const Quantities& q, Convention convention) {
    std::string line;
    for (const BusyResource& busy : busyResources(q, convention)) {
        line += (line.empty() ? "" : " · ") + busy.name + " ";
        if (busy.share) line += formatNumber(*busy.share, Unit::Share);
        if (!busy.detail.empty()) line += (busy.share ? " (" : "n/a (") + busy.detail + ")";
    }
    return line;
}

std::string verdictPart(const KernelAnalysis& kernel, Convention convention) {
    const Verdict& verdict = kernel.verdict;
    std::string text = "**Verdict: " + markdownText(verdictWords(verdict), 80) + "** (confidence " +
                       toString(verdict.confidence) + ").";
    if (!verdict.reason.empty()) text += " " + markdownText(verdict.reason, kMaxSentence) + ".";
    text += " Headroom to the attainable roof: " + headroomWords(verdict) + ".\n";
    if (const std::string busy = busyLine(kernel.quantities, convention); !busy.empty())
        text +=
            "\nShare of each theoretical roof" +
            std::string(convention == Convention::Ncu ? " (L2 and L1 as Nsight Compute counts them)"
                                                      : "") +
            ": " + busy + ".\n";
    return text;
}

std::string exactBytes(std::uint64_t bytes) {
    return formatExact(static_cast<double>(bytes)) + " B";
}

std::string launchPart(const Analysis& analysis, const KernelAnalysis& kernel) {
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    const Occupancy& occupancy = kernel.quantities.occupancy;
    const auto orUnknown = [](const auto& value) {
        return value ? fmt::format("{}", *value) : std::string("not recorded");
    };
    const auto bytesOrUnknown = [](const auto& value) {
        return value ? exactBytes(*value) : std::string("not recorded");
    };
    std::string text = fmt::format(
        "**Launch:** grid {}, block {}{}; registers per thread {}; shared memory per block {} "
        "static, "
        "{} dynamic; local memory per thread {}.\n",
        formatDim(group.grid), formatDim(group.block),
        group.cluster && group.cluster->total() > 1 ? ", cluster " + formatDim(*group.cluster) : "",
        orUnknown(function.registersPerThread), bytesOrUnknown(function.staticSharedBytes),
        exactBytes(group.dynamicSharedBytes), bytesOrUnknown(function.localBytesPerThread));
    text += "**Occupancy:** " + formatDerived(occupancy.residentBlocksPerSm, Unit::Count) +
            " blocks per SM; theoretical " + formatDerived(occupancy.theoretical, Unit::Share);
    if (occupancy.limiter != OccupancyLimiter::None)
        text += std::string(" (limited by ") + toString(occupancy.limiter) + ")";
    text += ", achieved " + formatDerived(occupancy.achieved, Unit::Share) + ";" + " waves " +
            formatDerived(occupancy.waves, Unit::Count);
    if (occupancy.waveEfficiency.has())
        text += ", wave efficiency " + formatNumber(occupancy.waveEfficiency->value, Unit::Share);
    return text + ".\n";
}

std::string evidenceLine(const Evidence& evidence) {
    std::string line = "- " + markdownText(evidence.label, 120) + ": **" +
                       formatNumber(evidence.value, evidence.unit) + "**";
    std::string bounds;
    if (evidence.threshold)
        bounds = "threshold " + formatNumber(*evidence.threshold, evidence.unit);
    if (evidence.healthy)
        bounds += (bounds.empty() ? "" : ", ") + std::string("healthy ") +
                  formatNumber(*evidence.healthy, evidence.unit);
    if (!bounds.empty()) line += " (" + bounds + ")";
    if (!evidence.formula.empty()) line += " = " + markdownCode(evidence.formula, 300);
    return line + "\n";
}

/// Lines of code inside a fence that they cannot close.
std::string codeBlock(const Rule& rule, const Finding& finding) {
    const std::string_view before = finding.before.empty() ? rule.en.before : finding.before;
    const std::string_view after = finding.after.empty() ? rule.en.after : finding.after;
    if (before.empty() && after.empty()) return {};
    std::string text = "```cuda\n";
    if (!before.empty()) text += "// before\n" + std::string(before) + "\n";
    if (!after.empty()) text += "// after\n" + std::string(after) + "\n";
    return text + "```\n";
}

std::string findingText(const Finding& finding, std::size_t number) {
    const Rule* rule = findRule(finding.ruleId);
    std::string text =
        fmt::format("**{}. {}: {}** ({})\n\n", number, markdownText(ruleTitle(finding.ruleId), 100),
                    gainWords(finding), markdownCode(finding.ruleId, 60));
    if (rule) {
        text += prose(rule->en.sentence, finding.args);
        if (!rule->en.mechanism.empty()) text += " " + prose(rule->en.mechanism, finding.args);
        text += "\n";
    }
    if (!finding.evidence.empty()) text += "\n";
    for (const Evidence& evidence : finding.evidence) text += evidenceLine(evidence);
    if (rule && !rule->en.edit.empty())
        text += "\nEdit: " + prose(rule->en.edit, finding.args) + "\n";
    if (rule) {
        const std::string code = codeBlock(*rule, finding);
        if (!code.empty()) text += "\n" + code;
    }
    if (!finding.gainFormula.empty())
        text += "\nGain bound: " + markdownText(finding.gainFormula, 400) + ".\n";
    if (!finding.expected.empty()) {
        text += "\nAfter the edit expect:\n";
        for (const ExpectedMovement& move : finding.expected)
            text += "- " + markdownCode(move.counter, 120) + ": from " +
                    formatNumber(move.from, move.unit) + " to " +
                    (move.to > move.from ? "≥ " : "≤ ") + formatNumber(move.to, move.unit) + "\n";
    }
    return text;
}

std::string findingsPart(const KernelAnalysis& kernel) {
    const auto major = majorFindings(kernel);
    std::string text;
    if (major.empty()) {
        text += noFindings(kernel);
    } else {
        text += "### What to fix, most recoverable time first\n";
        for (std::size_t i = 0; i < std::min(major.size(), kMaxFindings); ++i)
            text += "\n" + findingText(*major[i], i + 1);
    }
    return text + otherFindings(kernel);
}

std::string ruledOutPart(const KernelAnalysis& kernel) {
    std::string text;
    for (const RuledOut& out : kernel.ruledOut) {
        const Rule* rule = findRule(out.ruleId);
        const std::string words = rule && !rule->en.ruledOut.empty()
                                      ? prose(rule->en.ruledOut, out.args)
                                      : "not " + markdownText(out.ruleId, 60);
        text += (text.empty() ? "**Ruled out:** " : "; ") + words;
    }
    return text.empty() ? text : text + ".\n";
}

std::string constraintsPart(const Analysis& analysis, const KernelAnalysis& kernel) {
    const Device& device = deviceOf(analysis, kernel);
    std::string text =
        "**Constraints:** keep the results (within the tolerance of the existing tests), the "
        "kernel's "
        "name, signature and argument meaning.";
    std::string limits;
    const auto limit = [&](const std::string& words) {
        limits += (limits.empty() ? "" : ", ") + words;
    };
    if (device.maxThreadsPerBlock)
        limit(formatExact(*device.maxThreadsPerBlock) + " threads per block");
    if (device.sharedPerBlockOptinBytes)
        limit(exactBytes(*device.sharedPerBlockOptinBytes) + " shared memory per block");
    if (device.registersPerSm) limit(formatExact(*device.registersPerSm) + " registers per SM");
    if (!limits.empty()) text += " This GPU allows at most " + limits + ".";
    std::string lacks;
    for (const std::string& feature : missingFeatures(device))
        lacks += (lacks.empty() ? "" : ", ") + feature;
    if (!lacks.empty()) text += " It has no " + lacks + ".";
    double fp64 = 0, fp32 = 0;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != kernel.group.device || roof.kind != Roof::Kind::Compute || roof.measured)
            continue;
        if (roof.precision == Precision::Fp64) fp64 = roof.rate;
        if (roof.precision == Precision::Fp32) fp32 = roof.rate;
    }
    constexpr double kWeak = 8;  // data-centre GPUs have 1/2
    if (fp64 > 0 && fp32 / fp64 >= kWeak)
        text += fmt::format(" FP64 runs at 1/{:.0f} of the FP32 rate.", fp32 / fp64);
    return text + "\n";
}

std::string notMeasuredPart(const KernelAnalysis& kernel) {
    std::string text =
        "**Not measured:** source lines and SASS (not collected, so no place in the code "
        "can be named)";
    if (kernel.quantities.duration.count > 0 && !kernel.quantities.duration.unprofiled)
        text += "; duration without profiling (no timing run)";
    // Rules that lack the same counters are named together.
    std::map<std::string, std::pair<std::string, std::string>> byReason;
    for (const CannotTell& unknown : kernel.cannotTell) {
        auto& [rules, advice] = byReason[unknown.missing];
        rules += (rules.empty() ? "" : ", ") + unknown.ruleId;
        if (advice.empty()) advice = unknown.advice;
    }
    for (const auto& [missing, entry] : byReason) {
        text += "; " + markdownText(entry.first, 200) + ": " +
                markdownText(formatMissing(missing), 300);
        if (!entry.second.empty()) text += ", " + markdownText(entry.second, 200);
    }
    return text + ".\n";
}

std::string askPart(const Analysis& analysis, const KernelAnalysis& kernel,
                    const ReportOptions& options) {
    const bool edit = !majorFindings(kernel).empty();
    std::string text = edit ? "**Ask:** make exactly one change, the edit of finding 1. Keep the "
                              "signature and the results. Rebuild, run exactly this and paste the "
                              "new report:\n"
                            : "**Ask:** no edit is asked for. To measure again:\n";
    return text + "\n```sh\n" + askCommand(*analysis.profile, kernel, options) + "```\n";
}

}  // namespace

KernelSection kernelSection(const Analysis& analysis, std::size_t index,
                            const ReportOptions& options, bool standalone) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    KernelSection section;
    section.head = fmt::format("## {}. {}: {}\n\n", index + 1, markdownCode(kernel.name, 100),
                               markdownText(verdictWords(kernel.verdict), 80)) +
                   identity(analysis, kernel, standalone) + "\n" +
                   verdictPart(kernel, analysis.convention);
    const auto add = [&](const char* name, std::string text) {
        if (!text.empty()) section.parts.push_back({.name = name, .text = std::move(text)});
    };
    add("launch and resources", launchPart(analysis, kernel));
    add("findings", findingsPart(kernel));
    add("ruled out", ruledOutPart(kernel));
    add("constraints", constraintsPart(analysis, kernel));
    if (options.baseline)
        add("since the baseline",
            sinceBaselineMarkdown(options.baseline->comparison, *options.baseline->analysis,
                                  analysis, index));
    add("not measured", notMeasuredPart(kernel));
    add("ask", askPart(analysis, kernel, options));
    return section;
}

}  // namespace roofscope::markdown
