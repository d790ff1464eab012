// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/kernel_facts.h"
#include "reports/markdown_html.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

/// What tables and lists show better than sentences is written here; sentences come from the
/// markdown report, so that both say the same.
namespace roofscope::html {

namespace {

constexpr std::size_t kMaxSentence = 1500;

std::string prose(std::string_view phrase, std::span<const Arg> args) {
    // An argument can be a list of names (unfused-chain): the sentence as a whole is capped.
    const auto clean = [](std::string_view text) { return cleanText(text, kMaxSentence); };
    return xmlText(fillPhrase(phrase, args, clean), kMaxSentence);
}

/// A list of names and values; entries without a value are left out.
class Facts {
public:
    void add(const char* name, const std::string& html) {
        if (!html.empty()) m_rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
    }
    [[nodiscard]] std::string take() const {
        return m_rows.empty() ? m_rows : "<dl class=\"facts\">\n" + m_rows + "</dl>\n";
    }

private:
    std::string m_rows;
};

std::string identity(const Analysis& analysis, const KernelAnalysis& kernel) {
    Facts facts;
    if (kernel.fullName != kernel.name) facts.add("Full name", code(kernel.fullName, 300));
    if (!kernel.range.empty()) facts.add("NVTX range", code(kernel.range, kMaxName));
    if (analysis.profile->devices.size() > 1)
        facts.add(
            "GPU",
            fmt::format("{}: {}", kernel.group.device,
                        markdownInlineToHtml(markdown::deviceLine(deviceOf(analysis, kernel)))));
    std::string duration =
        markdownInlineToHtml(markdown::durationWords(kernel.quantities.duration));
    if (kernel.timeShare.has())
        duration += ", " + formatNumber(kernel.timeShare->value, Unit::Share) + " of all GPU time";
    facts.add("Duration", duration);
    return facts.take();
}

std::string verdict(const Verdict& verdict) {
    std::string text =
        "<p class=\"verdict\">" + verdictBadge(verdict) +
        fmt::format(" <span class=\"muted\">confidence {} ·</span> ", toString(verdict.confidence));
    if (!verdict.reason.empty()) text += xmlText(verdict.reason, kMaxSentence) + ". ";
    return text + "Headroom to the attainable roof: " +
           markdownInlineToHtml(markdown::headroomWords(verdict)) + ".</p>\n";
}

std::string busyTable(const KernelAnalysis& kernel, Convention convention) {
    const auto all = busyResources(kernel.quantities, convention);
    if (all.empty()) return {};
    std::string text = std::string("<div class=\"panel\">\n<h4>Share of each theoretical roof") +
                       (convention == Convention::Ncu
                            ? " <span class=\"muted\">L2 and L1 as Nsight Compute counts "
                              "them</span>"
                            : "") +
                       "</h4>\n<table class=\"busy\"><tbody>\n";
    for (const BusyResource& busy : all)
        text += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td "
            "class=\"muted\">{}</td></tr>\n",
            xmlText(busy.name), busy.share ? shareBar(*busy.share) : std::string(),
            busy.share ? formatNumber(*busy.share, Unit::Share) : std::string("n/a"),
            xmlText(busy.detail));
    return text + "</tbody></table>\n</div>\n";
}

std::string launchFacts(const Analysis& analysis, const KernelAnalysis& kernel) {
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    const Occupancy& occupancy = kernel.quantities.occupancy;
    const auto bytes = [](std::uint64_t value) {
        return formatExact(static_cast<double>(value)) + " B";
    };
    const auto orUnknown = [&](const auto& value) {
        return value ? bytes(*value) : std::string("not recorded");
    };
    const auto escaped = [](const std::string& text) { return xmlText(text, 300); };
    Facts facts;
    facts.add("Grid", formatDim(group.grid));
    facts.add("Block", formatDim(group.block));
    if (group.cluster && group.cluster->total() > 1)
        facts.add("Cluster", formatDim(*group.cluster));
    facts.add("Registers per thread", function.registersPerThread
                                          ? fmt::format("{}", *function.registersPerThread)
                                          : std::string("not recorded"));
    facts.add("Shared memory per block", orUnknown(function.staticSharedBytes) + " static, " +
                                             bytes(group.dynamicSharedBytes) + " dynamic");
    facts.add("Local memory per thread", orUnknown(function.localBytesPerThread));
    facts.add("Blocks per SM", escaped(formatDerived(occupancy.residentBlocksPerSm, Unit::Count)));
    std::string theoretical = escaped(formatDerived(occupancy.theoretical, Unit::Share));
    if (occupancy.limiter != OccupancyLimiter::None)
        theoretical += std::string(", limited by ") + toString(occupancy.limiter);
    facts.add("Occupancy, theoretical", theoretical);
    facts.add("Occupancy, achieved", escaped(formatDerived(occupancy.achieved, Unit::Share)));
    std::string waves = escaped(formatDerived(occupancy.waves, Unit::Count));
    if (occupancy.waveEfficiency.has())
        waves += ", efficiency " + formatNumber(occupancy.waveEfficiency->value, Unit::Share);
    facts.add("Waves", waves);
    return "<div class=\"panel\">\n<h4>Launch and resources</h4>\n" + facts.take() + "</div>\n";
}

std::string evidenceTable(const Finding& finding) {
    if (finding.evidence.empty()) return {};
    std::string text =
        "<div class=\"scroll\" role=\"region\" aria-label=\"Evidence\" tabindex=\"0\">\n"
        "<table class=\"evidence\">\n<thead><tr><th scope=\"col\">evidence</th>"
        "<th scope=\"col\" class=\"number\">value</th>"
        "<th scope=\"col\" class=\"number\">threshold</th>"
        "<th scope=\"col\" class=\"number\">healthy</th>"
        "<th scope=\"col\">from</th></tr></thead>\n<tbody>\n";
    const auto bound = [](const std::optional<double>& value, Unit unit) {
        return value ? formatNumber(*value, unit) : std::string();
    };
    for (const Evidence& evidence : finding.evidence)
        text += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"number\"><strong>{}</strong></td>"
            "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            xmlText(evidence.label, 120), formatNumber(evidence.value, evidence.unit),
            bound(evidence.threshold, evidence.unit), bound(evidence.healthy, evidence.unit),
            evidence.formula.empty() ? std::string() : code(evidence.formula, 300));
    return text + "</tbody>\n</table>\n</div>\n";
}

std::string codeExample(const Rule& rule, const Finding& finding) {
    const std::string_view before = finding.before.empty() ? rule.en.before : finding.before;
    const std::string_view after = finding.after.empty() ? rule.en.after : finding.after;
    if (before.empty() && after.empty()) return {};
    // Line by line: escaping makes one line of a text.
    const auto block = [](const char* title, std::string_view lines) {
        if (lines.empty()) return std::string();
        std::string text;
        for (std::size_t from = 0; from <= lines.size();) {
            const std::size_t end = std::min(lines.find('\n', from), lines.size());
            text += (from > 0 ? "\n" : "") + xmlText(lines.substr(from, end - from), 400);
            from = end + 1;
        }
        return fmt::format(
            "<figure><figcaption>{}</figcaption><pre tabindex=\"0\"><code>{}</code></pre>"
            "</figure>\n",
            title, text);
    };
    return "<div class=\"edit\">\n" + block("before", before) + block("after", after) + "</div>\n";
}

std::string findingBlock(const Finding& finding, std::size_t number) {
    const Rule* rule = findRule(finding.ruleId);
    std::string text = fmt::format(
        "<article class=\"finding\">\n<h4>{}. {} <span class=\"gain\">{}</span> {}</h4>\n", number,
        xmlText(ruleTitle(finding.ruleId), 100), markdownInlineToHtml(markdown::gainWords(finding)),
        code(finding.ruleId, 60));
    if (rule) {
        text += "<p>" + prose(rule->en.sentence, finding.args);
        if (!rule->en.mechanism.empty()) text += " " + prose(rule->en.mechanism, finding.args);
        text += "</p>\n";
    }
    text += evidenceTable(finding);
    if (rule && !rule->en.edit.empty())
        text += "<p><strong>Edit:</strong> " + prose(rule->en.edit, finding.args) + "</p>\n";
    if (rule) text += codeExample(*rule, finding);
    if (!finding.gainFormula.empty())
        text += "<p class=\"muted\">Gain bound: " + xmlText(finding.gainFormula, 400) + ".</p>\n";
    if (!finding.expected.empty()) {
        text += "<p><strong>After the edit expect:</strong></p>\n<ul>\n";
        for (const ExpectedMovement& move : finding.expected)
            text += "<li>" + code(move.counter, 120) + ": from " +
                    formatNumber(move.from, move.unit) + " to " +
                    (move.to > move.from ? "≥ " : "≤ ") + formatNumber(move.to, move.unit) +
                    "</li>\n";
        text += "</ul>\n";
    }
    return text + "</article>\n";
}

std::string findings(const KernelAnalysis& kernel) {
    const auto major = majorFindings(kernel);
    std::string text;
    if (major.empty())
        text += "<div class=\"finding none\">" + markdownToHtml(markdown::noFindings(kernel)) +
                "</div>\n";
    for (std::size_t i = 0; i < std::min(major.size(), markdown::kMaxFindings); ++i)
        text += findingBlock(*major[i], i + 1);
    return text + markdownToHtml(markdown::otherFindings(kernel));
}

}  // namespace

std::string kernelSection(const Analysis& analysis, std::size_t index, const ReportOptions& options,
                          bool open) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    std::string meta;
    if (kernel.timeShare.has())
        meta = formatNumber(kernel.timeShare->value, Unit::Share) + " of GPU time";
    std::string text = fmt::format(
        "<details class=\"kernel\" data-kernel=\"{0}\"{1}>\n<summary><h3>{0}. {2}</h3> {3} "
        "<span class=\"muted\">{4}</span></summary>\n<div class=\"body\" id=\"{5}\">\n",
        index + 1, open ? " open=\"\"" : "", code(kernel.name, 100), verdictBadge(kernel.verdict),
        meta, kernelId(index));
    text += identity(analysis, kernel) + verdict(kernel.verdict);
    text += "<div class=\"panels\">\n" + busyTable(kernel, analysis.convention) +
            launchFacts(analysis, kernel) + "</div>\n";
    text += findings(kernel);
    const markdown::KernelSection sentences =
        markdown::kernelSection(analysis, index, options, false);
    for (const markdown::Part& part : sentences.parts)
        if (part.name != "launch and resources" && part.name != "findings")
            text += markdownToHtml(part.text);
    return text + "</div>\n</details>\n";
}

}  // namespace roofscope::html
