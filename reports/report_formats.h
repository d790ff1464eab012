// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

/// The formats of a profile's report. Command line, help, completion and window read this table: a
/// new format is its renderer in a file of its own, and here an enumerator, a declaration and a
/// row.
namespace roofscope {

struct Analysis;
struct ReportOptions;
struct ChosenKernels;

enum class ReportFormat { Markdown, Text, Html, Json, Csv, Svg };

/// Writes the chosen kernels (reports/formats.h) in one format.
using ReportRenderer = std::string(const Analysis&, const ChosenKernels&, const ReportOptions&);
ReportRenderer renderMarkdown, renderText, renderHtml, renderJson, renderCsv, renderSvg;

/// What happens when one command writes several profiles.
enum class Several { Refused, Lines, Paragraphs, Table };

struct ReportFormatEntry {
    ReportFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", of files; also a name
    /// Written from the document: for people, so that the number of kernels, the size and a
    /// baseline can be chosen.
    bool document;
    Several several;
    ReportRenderer* render;
};

inline constexpr ReportFormatEntry kReportFormats[] = {
    {ReportFormat::Markdown, "markdown", "md", true, Several::Paragraphs, renderMarkdown},
    {ReportFormat::Text, "text", "txt", true, Several::Paragraphs, renderText},
    {ReportFormat::Html, "html", "html", false, Several::Refused, renderHtml},
    {ReportFormat::Json, "json", "json", false, Several::Lines, renderJson},
    {ReportFormat::Csv, "csv", "csv", false, Several::Table, renderCsv},
    {ReportFormat::Svg, "svg", "svg", false, Several::Refused, renderSvg},
};

[[nodiscard]] constexpr std::span<const ReportFormatEntry> reportFormats() {
    return kReportFormats;
}
[[nodiscard]] constexpr const ReportFormatEntry& entryOf(ReportFormat format) {
    return *std::ranges::find(kReportFormats, format, &ReportFormatEntry::format);
}

}  // namespace roofscope
