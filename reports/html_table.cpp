// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_parts.h"
#include "reports/number_format.h"

namespace roofscope::html {

namespace {

/// A cell with a number: what is shown, and the value to sort by (empty when there is none).
std::string numberCell(const std::optional<double>& value, const std::string& shown,
                       const char* classes = "number", const std::string& more = {}) {
    const std::string key =
        value && std::isfinite(*value) ? fmt::format("{:.9g}", *value) : std::string();
    return fmt::format("<td class=\"{}\" data-value=\"{}\">{}{}</td>", classes, key, shown, more);
}

template <class Tag>
std::optional<double> valueOf(const Derived<Quantity<Tag>>& derived) {
    return derived.has() ? std::optional(derived->value) : std::nullopt;
}

std::string shareOr(const Derived<Ratio>& share) {
    if (share.has()) return formatNumber(share->value, Unit::Share);
    return share.notApplicable() ? "n/a" : "–";
}

std::string firstFinding(const KernelAnalysis& kernel, const Wording& w) {
    const auto findings = majorFindings(kernel);
    std::optional<double> gain;
    std::string words = "–";
    if (!findings.empty()) {
        words = xmlText(ruleTitle(findings.front()->ruleId, w.language), 80);
        gain = valueOf(findings.front()->gain);
        if (gain)
            words += " <span class=\"muted\">≤ " + formatNumber(*gain, Unit::Seconds) + "</span>";
    } else if (const std::string none = markdown::noFindingsCell(kernel, w.language);
               !none.empty()) {
        words = "<span class=\"muted\">" + none + "</span>";
    }
    return numberCell(gain, words, "words");
}

std::string row(const Analysis& analysis, std::size_t index, bool linked, const Wording& w) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const DurationStats& duration = kernel.quantities.duration;
    const auto timed = [&](Seconds time) {
        return duration.count > 0 ? std::optional(time.value) : std::nullopt;
    };
    const auto shownTime = [&](Seconds time) {
        return duration.count > 0 ? formatNumber(time.value, Unit::Seconds) : std::string("–");
    };
    const std::string name = code(kernel.name, 60, w.language);
    const double launches = static_cast<double>(kernel.group.launches.size());
    const Derived<Ratio>& dram = kernel.quantities.utilisation[Level::Dram];
    // A row that has no section is itself what the plot links to.
    std::string text = fmt::format("<tr data-kernel=\"{}\"{}>", index + 1,
                                   linked ? std::string() : " id=\"" + kernelId(index) + "\"");
    text += numberCell(static_cast<double>(index + 1), fmt::format("{}", index + 1));
    text +=
        fmt::format("<th scope=\"row\" title=\"{}\">{}</th>", xmlText(kernel.fullName, 300),
                    linked ? fmt::format("<a href=\"#{}\">{}</a>", kernelId(index), name) : name);
    text += numberCell(launches, formatNumber(launches, Unit::Count), "number extra");
    text += numberCell(timed(duration.total), shownTime(duration.total), "number extra");
    text += numberCell(valueOf(kernel.timeShare), shareOr(kernel.timeShare), "number",
                       kernel.timeShare.has() ? shareBar(kernel.timeShare->value) : "");
    text += numberCell(timed(duration.median), shownTime(duration.median));
    text +=
        numberCell(valueOf(dram), shareOr(dram), "number", dram.has() ? shareBar(dram->value) : "");
    text += "<td class=\"words\">" + verdictBadge(kernel.verdict, w.language) + "</td>";
    return text + firstFinding(kernel, w) + "</tr>\n";
}

}  // namespace

std::string kernelTable(const Analysis& analysis, const std::vector<std::size_t>& kernels,
                        std::size_t linked, Language language) {
    const Wording& w = wordingOf(language);
    const HtmlWords& h = w.html;
    std::string text = "<div class=\"scroll rows\" role=\"region\" aria-label=\"" + h.table +
                       "\" "
                       "tabindex=\"0\">\n"
                       "<table id=\"table\">\n<thead><tr>"
                       "<th scope=\"col\" class=\"number\" aria-sort=\"ascending\">#</th>"
                       "<th scope=\"col\">" +
                       h.kernel +
                       "</th>"
                       "<th scope=\"col\" class=\"number extra\">" +
                       h.launches +
                       "</th>"
                       "<th scope=\"col\" class=\"number extra\">" +
                       h.total +
                       "</th>"
                       "<th scope=\"col\" class=\"number\">" +
                       h.share +
                       "</th>"
                       "<th scope=\"col\" class=\"number\" title=\"" +
                       h.medianTip + "\">" + h.median +
                       "</th>"
                       "<th scope=\"col\" class=\"number\" title=\"" +
                       h.dramTip +
                       "\">DRAM</th>"
                       "<th scope=\"col\">" +
                       h.verdict +
                       "</th>"
                       "<th scope=\"col\" title=\"" +
                       h.sortTip + "\">" + h.firstFinding +
                       "</th>"
                       "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < kernels.size(); ++i)
        text += row(analysis, kernels[i], i < linked, w);
    return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace roofscope::html
