// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "profile/sha256.h"
#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/html_parts.h"
#include "reports/kernel_facts.h"
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

std::string programName(const Profile& profile) {
    if (profile.capture.command.empty()) return "GPU profile";
    const std::string& path = profile.capture.command.front();
    const auto slash = path.rfind('/');
    return "GPU profile of " + path.substr(slash == std::string::npos ? 0 : slash + 1);
}

std::string plotsOf(const Analysis& analysis, const Selection& selection) {
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
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n",
        options.dark ? " data-theme=\"dark\"" : "", sha256Base64(style),
        sha256Base64(html::script()), xmlText(programName(*analysis.profile), 120), style);
}

}  // namespace

std::string renderHtml(const Analysis& analysis, const Selection& selection,
                       const ReportOptions& options) {
    const markdown::Header header = markdown::profileHeader(analysis, selection, options);
    const std::size_t shown = selection.kernels.size();
    const std::size_t sections = options.top ? shown : std::min(shown, kMaxSections);

    std::string page = head(analysis, options, html::styleSheet());
    page +=
        "<body>\n<header>\n<div class=\"bar-top\"><p class=\"brand\">roofscope</p>"
        "<button type=\"button\" id=\"theme\" hidden=\"\">Theme: system</button></div>\n<h1>" +
        markdownInlineToHtml(header.title) + "</h1>\n";
    if (!header.warning.empty())
        page += "<p class=\"warning\">" + markdownInlineToHtml(header.warning) + "</p>\n";
    page += "<dl class=\"facts\">\n";
    for (const auto& [name, words] : header.facts)
        page += "<dt>" + name + "</dt><dd>" + markdownInlineToHtml(words) + "</dd>\n";
    page += "</dl>\n</header>\n<main>\n";

    if (!header.issues.text.empty())
        page += "<section class=\"issues\">\n<h2>Problems while recording</h2>\n" +
                markdownToHtml(markdown::issueList(*analysis.profile)) + "</section>\n";
    if (shown > 0)
        page += "<section id=\"roofline\">\n<h2>Roofline</h2>\n" + plotsOf(analysis, selection) +
                "<p id=\"picked\" class=\"muted\" aria-live=\"polite\">A dot leads to the hints of "
                "its kernel.</p>\n</section>\n";
    page += "<section id=\"kernels\">\n<h2>Kernels by share of GPU time</h2>\n" +
            markdownToHtml(header.tableIntro);
    if (shown > 0) {
        page +=
            "<p id=\"tools\" hidden=\"\"><label>Filter by name <input id=\"filter\" "
            "type=\"search\" autocomplete=\"off\"/></label> <span id=\"count\" "
            "aria-live=\"polite\"></span></p>\n" +
            html::kernelTable(analysis, selection.kernels, sections);
    }
    page += "</section>\n";
    if (shown > 0) {
        page +=
            "<section id=\"hints\">\n<h2>What limits each kernel</h2>\n"
            "<p class=\"muted\">Gains are upper bounds for one launch.";
        if (sections < shown)
            page += fmt::format(
                " Hints are given for the {} kernels with the most GPU time; "
                "<code>--top N</code> gives more, <code>--kernel NAME</code> others.",
                sections);
        page +=
            "</p>\n<p id=\"folding\" hidden=\"\"><button type=\"button\" id=\"unfold\">Open "
            "all</button> <button type=\"button\" id=\"fold\">Close all</button></p>\n";
        for (std::size_t i = 0; i < sections; ++i)
            page += html::kernelSection(analysis, selection.kernels[i], options, i == 0);
        page += "</section>\n";
    }
    page += "</main>\n<footer>" + markdownToHtml(header.after.text) +
            "<p>This page is one file and loads nothing from elsewhere.</p></footer>\n<script>" +
            std::string(html::script()) + "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace roofscope
