// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/grouping.h"
#include "analyzer/rule.h"
#include "reports/edit_text.h"
#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_html.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

/// What tables and lists show better than sentences is written here; sentences come from the
/// markdown report, so that both say the same.
namespace roofscope::html {

namespace {

constexpr std::size_t kMaxSentence = 1500;

std::string prose(std::string_view phrase, std::span<const Arg> args, Language language) {
    // An argument can be a list of names (unfused-chain): the sentence as a whole is capped.
    const auto clean = [](std::string_view text) { return cleanText(text, kMaxSentence); };
    return xmlText(fillPhrase(phrase, args, clean, language), kMaxSentence);
}

/// A list of names and values; entries without a value are left out.
class Facts {
public:
    void add(const Label& name, const std::string& html) {
        if (!html.empty())
            m_rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", std::string_view(name), html);
    }
    [[nodiscard]] std::string take() const {
        return m_rows.empty() ? m_rows : "<dl class=\"facts\">\n" + m_rows + "</dl>\n";
    }

private:
    std::string m_rows;
};

std::string identity(const Analysis& analysis, const KernelAnalysis& kernel, const Wording& w) {
    const Language language = w.language;
    Facts facts;
    if (kernel.fullName != kernel.name)
        facts.add(w.kernel.fullName, code(kernel.fullName, 300, language));
    if (!kernel.range.empty()) facts.add(w.kernel.range, code(kernel.range, kMaxName, language));
    if (analysis.profile->devices.size() > 1)
        facts.add(w.header.gpu,
                  fmt::format("{}: {}", deviceNumbers(devicesOf(*analysis.profile, kernel.group)),
                              markdownInlineToHtml(
                                  markdown::deviceLine(deviceOf(analysis, kernel), language))));
    std::string duration =
        markdownInlineToHtml(markdown::durationWords(kernel.quantities.duration, language));
    if (kernel.timeShare.has())
        duration += w.common.comma +
                    w.common.ofAllGpuTime(formatNumber(kernel.timeShare->value, Unit::Share));
    facts.add(w.kernel.duration, duration);
    if (const auto& over = kernel.quantities.averagedOver)
        facts.add(w.kernel.counters, w.kernel.averagedOver(over->first, over->second));
    return facts.take();
}

std::string verdict(const KernelAnalysis& kernel, const Wording& w) {
    const Verdict& verdict = kernel.verdict;
    const Language language = w.language;
    std::string text =
        "<p class=\"verdict\">" + verdictBadge(verdict, language) +
        fmt::format(" <span class=\"muted\">{}</span> ",
                    w.html.confidence(confidenceWords(verdict.confidence, language)));
    const bool explained = !majorFindings(kernel).empty();
    if (const std::string reason = verdictReason(kernel, language, explained); !reason.empty())
        text += xmlText(reason, kMaxSentence) + w.common.stop + w.common.gap.str();
    return text + markdownInlineToHtml(markdown::headroomWords(verdict, language)) + "</p>\n";
}

std::string busyTable(const KernelAnalysis& kernel, Convention convention, const Wording& w) {
    const auto all = busyResources(kernel.quantities, convention, w.language);
    if (all.empty()) return {};
    std::string text =
        "<div class=\"panel\">\n<h4>" + w.html.roofShares +
        (convention == Convention::Ncu ? " <span class=\"muted\">" + w.html.ncuCounting + "</span>"
                                       : std::string()) +
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

std::string launchFacts(const Analysis& analysis, const KernelAnalysis& kernel, const Wording& w) {
    const HtmlWords& h = w.html;
    const Language language = w.language;
    const LaunchGroup& group = kernel.group;
    const Kernel& function = functionOf(analysis, kernel);
    const Occupancy& occupancy = kernel.quantities.occupancy;
    const auto bytes = [](std::uint64_t value) {
        return formatExact(static_cast<double>(value)) + " B";
    };
    const auto orUnknown = [&](const auto& value) {
        return value ? bytes(*value) : w.common.notRecorded.str();
    };
    const auto escaped = [](const std::string& text) { return xmlText(text, 300); };
    Facts facts;
    facts.add(h.grid, formatDim(group.grid));
    facts.add(h.block, formatDim(group.block));
    if (group.cluster && group.cluster->total() > 1)
        facts.add(h.cluster, formatDim(*group.cluster));
    facts.add(h.registers, function.registersPerThread
                               ? fmt::format("{}", *function.registersPerThread)
                               : w.common.notRecorded.str());
    facts.add(h.shared, h.sharedParts(orUnknown(function.staticSharedBytes),
                                      bytes(group.dynamicSharedBytes)));
    facts.add(h.local, orUnknown(function.localBytesPerThread));
    facts.add(h.blocksPerSm,
              escaped(formatDerived(occupancy.residentBlocksPerSm, Unit::Count, language)));
    std::string theoretical = escaped(formatDerived(occupancy.theoretical, Unit::Share, language));
    if (const std::string limiter = limiterWords(occupancy.limiter, language); !limiter.empty())
        theoretical += h.limitedBy(limiter);
    facts.add(h.theoretical, theoretical);
    facts.add(h.achieved, escaped(formatDerived(occupancy.achieved, Unit::Share, language)));
    std::string waves = escaped(formatDerived(occupancy.waves, Unit::Count, language));
    if (occupancy.waveEfficiency.has())
        waves += h.efficiency(formatNumber(occupancy.waveEfficiency->value, Unit::Share));
    facts.add(h.waves, waves);
    return "<div class=\"panel\">\n<h4>" + h.launch + "</h4>\n" + facts.take() + "</div>\n";
}

std::string evidenceTable(const Finding& finding, const Wording& w) {
    const HtmlWords& h = w.html;
    if (finding.evidence.empty()) return {};
    std::string text = "<div class=\"scroll\" role=\"region\" aria-label=\"" + h.evidenceTable +
                       "\" tabindex=\"0\">\n"
                       "<table class=\"evidence\">\n<thead><tr><th scope=\"col\">" +
                       h.evidence +
                       "</th>"
                       "<th scope=\"col\" class=\"number\">" +
                       h.value +
                       "</th>"
                       "<th scope=\"col\" class=\"number\">" +
                       h.threshold +
                       "</th>"
                       "<th scope=\"col\" class=\"number\">" +
                       h.healthy +
                       "</th>"
                       "<th scope=\"col\">" +
                       h.from + "</th></tr></thead>\n<tbody>\n";
    const auto bound = [](const std::optional<double>& value, Unit unit) {
        return value ? formatNumber(*value, unit) : std::string();
    };
    for (const Evidence& evidence : finding.evidence)
        text += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"number\"><strong>{}</strong></td>"
            "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            xmlText(evidence.label.in(w.language), 120),
            formatNumber(evidence.value, evidence.unit), bound(evidence.threshold, evidence.unit),
            bound(evidence.healthy, evidence.unit),
            evidence.formula.empty() ? std::string() : code(evidence.formula, 300, w.language));
    return text + "</tbody>\n</table>\n</div>\n";
}

std::string codeExample(const CodeLines& lines, const Wording& w) {
    if (lines.empty()) return {};
    // Line by line: escaping makes one line of a text.
    const auto block = [](const Label& title, std::string_view code) {
        if (code.empty()) return std::string();
        std::string text;
        for (std::size_t from = 0; from <= code.size();) {
            const std::size_t end = std::min(code.find('\n', from), code.size());
            text += (from > 0 ? "\n" : "") + xmlText(code.substr(from, end - from), 400);
            from = end + 1;
        }
        return fmt::format(
            "<figure><figcaption>{}</figcaption><pre tabindex=\"0\"><code>{}</code></pre>"
            "</figure>\n",
            std::string_view(title), text);
    };
    return "<div class=\"edit\">\n" + block(w.kernel.before, lines.before) +
           block(w.kernel.after, lines.after) + "</div>\n";
}

std::string findingBlock(const Finding& finding, KernelOrigin origin, std::size_t number,
                         const Wording& w) {
    const Language language = w.language;
    const Rule* rule = findRule(finding.ruleId);
    std::string text = fmt::format(
        "<article class=\"finding\">\n<h4>{}. {} <span class=\"gain\">{}</span> {}</h4>\n", number,
        xmlText(ruleTitle(finding.ruleId, language), 100),
        markdownInlineToHtml(markdown::gainWords(finding, language)),
        code(finding.ruleId, 60, language));
    if (rule)
        text += "<p>" + prose(rule->text(language).sentence, finding.args, language) +
                w.common.gap.str() + prose(rule->text(language).mechanism, finding.args, language) +
                "</p>\n";
    if (!finding.places.empty())
        text += "<p>" + w.source.where +
                markdownInlineToHtml(markdown::placesWords(finding, language)) + w.common.stop +
                "</p>\n";
    text += evidenceTable(finding, w);
    if (rule)
        text += "<p><strong>" + w.html.edit + "</strong> " +
                prose(editPhrase(*rule, finding, language), finding.args, language) + "</p>\n" +
                codeExample(codeLines(*rule, finding, origin), w);
    if (!finding.gainFormula.empty())
        text += "<p class=\"muted\">" + w.kernel.gainBound +
                xmlText(finding.gainFormula.in(language), 400) + w.common.stop + "</p>\n";
    if (!finding.expected.empty()) {
        text += "<p><strong>" + w.kernel.expect + "</strong></p>\n<ul>\n";
        for (const ExpectedMovement& move : finding.expected)
            text += "<li>" + code(move.counter.in(language), 120, language) + w.common.colon +
                    w.kernel.fromTo(
                        formatNumber(move.from, move.unit),
                        (move.to > move.from ? "≥ " : "≤ ") + formatNumber(move.to, move.unit)) +
                    "</li>\n";
        text += "</ul>\n";
    }
    return text + "</article>\n";
}

std::string findings(const KernelAnalysis& kernel, const Wording& w) {
    const auto major = majorFindings(kernel);
    std::string text;
    if (major.empty())
        text += "<div class=\"finding none\">" +
                markdownToHtml(markdown::noFindings(kernel, w.language)) + "</div>\n";
    for (std::size_t i = 0; i < std::min(major.size(), markdown::kMaxFindings); ++i)
        text += findingBlock(*major[i], kernel.origin, i + 1, w);
    return text + markdownToHtml(markdown::otherFindings(kernel, w.language));
}

}  // namespace

std::string kernelSection(const Analysis& analysis, std::size_t index, const ReportOptions& options,
                          bool open) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const Wording& w = wordingOf(options.language);
    std::string meta;
    if (kernel.timeShare.has())
        meta = w.common.ofGpuTime(formatNumber(kernel.timeShare->value, Unit::Share));
    std::string text = fmt::format(
        "<details class=\"kernel\" data-kernel=\"{0}\"{1}>\n<summary><h3>{0}. {2}</h3> {3} "
        "<span class=\"muted\">{4}</span></summary>\n<div class=\"body\" id=\"{5}\">\n",
        index + 1, open ? " open=\"\"" : "", code(kernel.name, 100, w.language),
        verdictBadge(kernel.verdict, w.language), meta, kernelId(index));
    text += identity(analysis, kernel, w) + verdict(kernel, w);
    if (const std::string effective = effectiveWords(kernel.quantities, w.language);
        !effective.empty())
        text += "<p>" + xmlText(effective, kMaxSentence) + "</p>\n";
    text += "<div class=\"panels\">\n" + busyTable(kernel, analysis.convention, w) +
            launchFacts(analysis, kernel, w) + "</div>\n";
    text += findings(kernel, w);
    const markdown::KernelSection sentences =
        markdown::kernelSection(analysis, index, options, false);
    for (const markdown::Part& part : sentences.parts)
        if (part.kind != markdown::PartKind::Launch && part.kind != markdown::PartKind::Findings)
            text += markdownToHtml(part.text);
    return text + "</div>\n</details>\n";
}

}  // namespace roofscope::html
