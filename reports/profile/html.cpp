// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "profile/files/embedded_file.h"
#include "profile/text/sha256.h"
#include "reports/chosen_kernels.h"
#include "reports/document/html_writer.h"
#include "reports/escape/escape.h"
#include "reports/language/say.h"
#include "reports/plot/draw_list.h"
#include "reports/plot/roofline_layout.h"
#include "reports/profile/profile_report.h"

/// A self-contained HTML page: styles and script are inline, and its Content-Security-Policy
/// forbids loading anything. Without the script it is the same page, but without sorting and
/// selecting.
namespace roofscope::html_files {
std::span<const EmbeddedFile> files();
}

namespace roofscope {

namespace {

/// Most kernels with a section unless --top is given: thousands would make a page that browsers
/// open slowly. The table and the plot show all kernels.
constexpr std::size_t kMaxSections = 200;
/// Up to this many kernels, a second, narrower plot is added for small windows.
constexpr std::size_t kNarrowPlot = 300;
/// Most plots; there is one per GPU.
constexpr std::size_t kMaxPlots = 8;

std::string_view file(std::string_view name) {
    for (const EmbeddedFile& candidate : html_files::files())
        if (candidate.name == name) return candidate.content;
    return {};
}

std::string plotColours(plot::Theme theme) {
    std::string text;
    for (int i = 0; i <= static_cast<int>(plot::kLastRole); ++i) {
        const auto role = static_cast<plot::Role>(i);
        text += fmt::format("{}:{};", cssVariable(role), colour(role, theme));
    }
    return text;
}

std::string styleSheet() {
    // Printing always uses the light theme.
    return fmt::format(
               ":root{{{0}}}\n"
               "@media screen{{:root[data-theme=dark]{{{1}}}}}\n"
               "@media screen and "
               "(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}\n",
               plotColours(plot::Theme::Light), plotColours(plot::Theme::Dark)) +
           std::string(file("report.css"));
}

/// Translations for the script as attributes of the root element; English is built into the script.
/// Gaps have names.
std::string scriptWords(Language language) {
    static const std::pair<const char*, Words> kWords[]{
        {"theme-label", Words("Theme: ")},
        {"theme-system", Words("system")},
        {"theme-light", Words("light")},
        {"theme-dark", Words("dark")},
        {"count", Words("{left} of {all}")},
        {"hint",
         Words("Select a dot or a row to highlight its kernel in both; press Escape to clear.")},
        {"picked", Words(": {verdict}, median {median}")},
        {"no-dot", Words("; it is not in the plot")}};
    std::string text;
    if (language == Language::En) return text;
    for (const auto& [name, words] : kWords)
        text += fmt::format(" data-{}=\"{}\"", name, xmlText(words.in(language), 200));
    return text;
}

/// "zh-CN"
std::string languageTag(Language language) {
    std::string tag = factsOf(language).locale;
    std::ranges::replace(tag, '_', '-');
    return tag;
}

std::string plotsOf(const Analysis& analysis, const ChosenKernels& selection, Language language) {
    std::vector<std::uint32_t> devices;
    for (const std::size_t index : selection.kernels) {
        const std::uint32_t device = analysis.kernels[index].group.device;
        if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
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

std::string head(const std::string& title, const ReportOptions& options) {
    const std::string style = styleSheet();
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\"{}{}>\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n",
        languageTag(options.language), scriptWords(options.language),
        options.dark ? " data-theme=\"dark\"" : "", sha256Base64(style),
        sha256Base64(file("report.js")), xmlText(title, 120), style);
}

std::string plotSection(const Analysis& analysis, const ChosenKernels& selection, Language l) {
    return "<section id=\"roofline\">\n<h2>" + say(l, "Roofline") + "</h2>\n" +
           plotsOf(analysis, selection, l) +
           "<p id=\"picked\" class=\"muted\" aria-live=\"polite\">" +
           say(l, "Click a dot for the hints on its kernel.") + "</p>\n</section>\n";
}

/// The filter line above the table; hidden until the script shows it.
std::string filterLine(Language l) {
    return "<p id=\"tools\" hidden=\"\"><label>" + say(l, "Filter by name") +
           " <input id=\"filter\" type=\"search\" autocomplete=\"off\"/></label> <span "
           "id=\"count\" aria-live=\"polite\"></span></p>\n";
}

std::string hintsSection(const doc::Nodes& kernels, bool all, Language l) {
    std::string text =
        "<section id=\"hints\">\n<h2>" + say(l, "What limits each kernel") + "</h2>\n";
    if (!all)
        text += "<p class=\"muted\">" +
                inlineHtml(tell(l,
                                "Hints are given for the {} kernels with the most GPU time; "
                                "`--top N` gives more, `--kernel NAME` others.",
                                kernels.size())) +
                "</p>\n";
    return text + "<p id=\"folding\" hidden=\"\"><button type=\"button\" id=\"unfold\">" +
           say(l, "Open all") + "</button> <button type=\"button\" id=\"fold\">" +
           say(l, "Close all") + "</button></p>\n" + doc::toHtml(kernels, 3) + "</section>\n";
}

}  // namespace

std::string renderHtml(const Analysis& analysis, const ChosenKernels& selection,
                       const ReportOptions& options) {
    const Language l = options.language;
    const std::size_t shown = selection.kernels.size();
    const std::size_t sections = options.top ? shown : std::min(shown, kMaxSections);
    const doc::Document report =
        profile_report::ofProfile(analysis, selection, options, sections, doc::Audience::Both);

    std::string page = head(report.title.plain(), options);
    page +=
        "<body>\n<header>\n<div class=\"bar-top\"><p class=\"brand\">roofscope</p>"
        "<button type=\"button\" id=\"theme\" hidden=\"\">" +
        say(l, "Theme: system") + "</button></div>\n<h1>" + inlineHtml(report.title) +
        "</h1>\n</header>\n<main>\n";
    for (const doc::Node& node : report.nodes) {
        const auto* section = std::get_if<doc::Section>(&node.body);
        const std::string id = section ? section->id : std::string();
        if (id == "kernels" && shown > 0)
            page += plotSection(analysis, selection, l) + filterLine(l);
        page += id == "hints" ? hintsSection(section->children, sections == shown, l)
                              : doc::toHtml({node}, 2);
    }
    page += "</main>\n<footer><p>" +
            say(l, "This page is one file and loads nothing from elsewhere.") +
            "</p></footer>\n<script>" + std::string(file("report.js")) +
            "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace roofscope
