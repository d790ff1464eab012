// SPDX-License-Identifier: Apache-2.0
#include "reports/report_formats.h"

#include <algorithm>
#include <array>

#include "reports/formats.h"

namespace roofscope {

namespace {

constexpr std::array<ReportFormatEntry, 6> kFormats{{
    {ReportFormat::Markdown, "markdown", "md", "", true, Several::Paragraphs, renderMarkdown},
    {ReportFormat::Text, "text", "txt", "", true, Several::Paragraphs, renderText},
    {ReportFormat::Html, "html", "html", "htm", false, Several::Refused, renderHtml},
    {ReportFormat::Json, "json", "json", "", false, Several::Lines, renderJson},
    {ReportFormat::Csv, "csv", "csv", "", false, Several::Table, renderCsv},
    {ReportFormat::Svg, "svg", "svg", "", false, Several::Refused, renderSvg},
}};

bool sameWord(std::string_view known, std::string_view word) {
    return std::ranges::equal(known, word, [](char a, char b) {
        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
}

}  // namespace

std::span<const ReportFormatEntry> reportFormats() { return kFormats; }

const ReportFormatEntry& entryOf(ReportFormat format) {
    return *std::ranges::find(kFormats, format, &ReportFormatEntry::format);
}

std::optional<ReportFormat> parseReportFormat(std::string_view name) {
    if (name.empty()) return std::nullopt;
    for (const ReportFormatEntry& entry : kFormats)
        for (const std::string_view known : {entry.name, entry.suffix, entry.alias})
            if (sameWord(known, name)) return entry.format;
    return std::nullopt;
}

std::string reportFormatList(bool suffixes) {
    std::string list;
    for (const ReportFormatEntry& entry : kFormats) {
        if (!list.empty()) list += &entry == &kFormats.back() ? " or " : ", ";
        list += suffixes ? "." + std::string(entry.suffix) : std::string(entry.name);
    }
    return list;
}

}  // namespace roofscope
