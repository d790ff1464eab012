// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "profile/sha256.h"
#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/html_parts.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/markdown_html.h"
#include "reports/markdown_parts.h"
#include "reports/plot/roofline_layout.h"

/// One page that needs nothing else: styles and script are inside, and its policy forbids to load
/// anything. Without the script it is the same page, only without sorting and selecting.
namespace roofscope {

namespace {

/// Sections for so many kernels unless --top says otherwise: thousands would make a page that no
/// browser opens quickly. The table and the plot show all.
constexpr std::size_t kMaxSections = 200;
/// Up to so many kernels a second, narrower plot is added for small windows.
constexpr std::size_t kNarrowPlot = 300;
/// Plots, one for each GPU.
constexpr std::size_t kMaxPlots = 8;

std::string programName(const Profile& profile, const Wording& w) {
    if (profile.capture.command.empty()) return w.header.titleBare.str();
    const std::string& path = profile.capture.command.front();
    const auto slash = path.rfind('/');
    return w.header.title(path.substr(slash == std::string::npos ? 0 : slash + 1));
}

std::string plotsOf(const Analysis& analysis, const Selection& selection, Language language) {
    std::vector<std::uint32_t> devices;
    for (const std::size_t index : selection.kernels) {
        const std::uint32_t device = analysis.kernels[index].group.device;
        if (std::find(devices.begin(), devices.end(), device) == devices.end())
            devices.push_back(device);
    }
    if (devices.size() > kMaxPlots) devices.resize(kMaxPlots);
    std::string text;
    for (const std::uint32_t device : devices) {
        plot::RooflineOptions options;
        options.kernels = selection.kernels;
        options.device = device;
        options.language = language;
        const auto picture = [&](const char* kind) {
            const plot::RooflinePlot plot = plot::layoutRoofline(analysis, options);
            text += fmt::format("<div class=\"plot {}\">\n", kind) +
                    plot::toInlineSvg(plot.shapes, fmt::format("{}{}", kind, device), plot.title,
                                      plot.description) +
                    "</div>\n";
        };
        const bool both = selection.kernels.size() <= kNarrowPlot;
        picture(both ? "wide" : "only");
        options.width = 540;
        options.height = 560;
        if (both) picture("narrow");
    }
    return text;
}

std::string head(const Analysis& analysis, const ReportOptions& options, const std::string& style) {
    const Wording& w = wordingOf(options.language);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\"{}{}>\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n",
        std::string_view(w.htmlLanguage), std::string_view(w.html.scriptWords),
        options.dark ? " data-theme=\"dark\"" : "", sha256Base64(style),
        sha256Base64(html::script()), xmlText(programName(*analysis.profile, w), 120), style);
}

}  // namespace

std::string renderHtml(const Analysis& analysis, const Selection& selection,
                       const ReportOptions& options) {
    const Wording& w = wordingOf(options.language);
    const HtmlWords& h = w.html;
    const markdown::Header header = markdown::profileHeader(analysis, selection, options);
    const std::size_t shown = selection.kernels.size();
    const std::size_t sections = options.top ? shown : std::min(shown, kMaxSections);

    std::string page = head(analysis, options, html::styleSheet());
    page +=
        "<body>\n<header>\n<div class=\"bar-top\"><p class=\"brand\">roofscope</p>"
        "<button type=\"button\" id=\"theme\" hidden=\"\">" +
        h.theme + "</button></div>\n<h1>" + markdownInlineToHtml(header.title) + "</h1>\n";
    if (!header.warning.empty())
        page += "<p class=\"warning\">" + markdownInlineToHtml(header.warning) + "</p>\n";
    page += "<dl class=\"facts\">\n";
    for (const auto& [name, words] : header.facts)
        page += "<dt>" + name + "</dt><dd>" + markdownInlineToHtml(words) + "</dd>\n";
    page += "</dl>\n</header>\n<main>\n";

    if (!header.issues.empty())
        page += "<section class=\"issues\">\n<h2>" + w.header.problems + "</h2>\n" +
                markdownToHtml(markdown::issueList(*analysis.profile, options.language)) +
                "</section>\n";
    if (shown > 0)
        page += "<section id=\"roofline\">\n<h2>" + h.roofline + "</h2>\n" +
                plotsOf(analysis, selection, options.language) +
                "<p id=\"picked\" class=\"muted\" aria-live=\"polite\">" + h.dotLeads +
                "</p>\n</section>\n";
    page += "<section id=\"kernels\">\n<h2>" + w.header.kernels + "</h2>\n" +
            markdownToHtml(header.tableIntro);
    if (shown > 0) {
        page += "<p id=\"tools\" hidden=\"\"><label>" + h.filter +
                " <input id=\"filter\" "
                "type=\"search\" autocomplete=\"off\"/></label> <span id=\"count\" "
                "aria-live=\"polite\"></span></p>\n" +
                html::kernelTable(analysis, selection.kernels, sections, options.language);
    }
    page += "</section>\n";
    if (!header.ranges.empty())
        page += "<section id=\"ranges\">\n<h2>" + w.ranges.heading + "</h2>\n" +
                markdownToHtml(header.ranges.substr(header.ranges.find("- "))) + "</section>\n";
    if (shown > 0) {
        page +=
            "<section id=\"hints\">\n<h2>" + h.hints + "</h2>\n<p class=\"muted\">" + h.upperBounds;
        if (sections < shown) page += w.common.gap.str() + h.mostTime(sections);
        page += "</p>\n<p id=\"folding\" hidden=\"\"><button type=\"button\" id=\"unfold\">" +
                h.openAll + "</button> <button type=\"button\" id=\"fold\">" + h.closeAll +
                "</button></p>\n";
        for (std::size_t i = 0; i < sections; ++i)
            page += html::kernelSection(analysis, selection.kernels[i], options, i == 0);
        page += "</section>\n";
    }
    page += "</main>\n<footer>" + markdownToHtml(header.after) + "<p>" + h.oneFile +
            "</p></footer>\n<script>" + std::string(html::script()) +
            "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace roofscope
