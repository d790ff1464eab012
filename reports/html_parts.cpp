// SPDX-License-Identifier: Apache-2.0
#include "reports/html_parts.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "profile/embedded_file.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/plot/draw_list.h"

namespace roofscope::html_files {
std::span<const EmbeddedFile> files();
}

namespace roofscope::html {

namespace {

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

}  // namespace

std::string styleSheet() {
    const std::string dark = plotColours(plot::Theme::Dark);
    // Light is also for paper, whatever the system prefers.
    return fmt::format(
               ":root{{{0}}}\n"
               "@media screen{{:root[data-theme=dark]{{{1}}}}}\n"
               "@media screen and "
               "(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}\n",
               plotColours(plot::Theme::Light), dark) +
           std::string(file("report.css"));
}

std::string_view script() { return file("report.js"); }

std::string kernelId(std::size_t index) { return fmt::format("kernel-{}", index + 1); }

std::string code(std::string_view name, std::size_t maxLength, Language language) {
    const std::string clean = xmlText(name, maxLength);
    return "<code>" +
           (clean.find_first_not_of(' ') == std::string::npos
                ? wordingOf(language).html.noName.str()
                : clean) +
           "</code>";
}

std::string verdictBadge(const Verdict& verdict, Language language) {
    return fmt::format("<span class=\"badge {}\">{}</span>", toString(verdict.cls),
                       xmlText(verdictWords(verdict, language), 80));
}

std::string shareBar(double share) {
    const double width = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0;
    return fmt::format(
        "<svg class=\"bar\" width=\"100\" height=\"6\" viewBox=\"0 0 100 6\" "
        "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"whole\" width=\"100\" "
        "height=\"6\"/><rect class=\"part\" width=\"{:.1f}\" height=\"6\"/></svg>",
        width);
}

}  // namespace roofscope::html
