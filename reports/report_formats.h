// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "profile/text/text_sink.h"

/// The formats of a profile's report. Command line, help, completion and window read this table. To
/// add a format, write its renderer in a file of its own, and add an enumerator, a declaration and
/// a row here.
namespace roofscope {

struct Analysis;
struct ReportOptions;
struct ChosenKernels;

enum class ReportFormat { Markdown, Text, Html, Json, Jsonl, Csv, LaunchesCsv, Svg, Perfetto };

/// Writes the report of the chosen kernels (reports/chosen_kernels.h) in one format, piece by
/// piece.
using ReportWriter = void(const Analysis&, const ChosenKernels&, const ReportOptions&,
                          const TextSink&);
/// Returns the whole report.
using ReportRenderer = std::string(const Analysis&, const ChosenKernels&, const ReportOptions&);
ReportRenderer renderMarkdown, renderText, renderHtml, renderCsv, renderSvg;
ReportWriter writeJson, writeJsonl, writeLaunchesCsv, writePerfetto;

template <ReportRenderer* render>
void writeWhole(const Analysis& analysis, const ChosenKernels& kernels,
                const ReportOptions& options, const TextSink& sink) {
    sink(render(analysis, kernels, options));
}

/// How a format handles several profiles in one command.
enum class Several { Refused, Lines, Paragraphs, Table };

struct ReportFormatEntry {
    ReportFormat format;
    std::string_view name;  ///< "markdown"
    /// "md", the file suffix; also accepted as a name. Empty if another format has that suffix.
    std::string_view suffix;
    /// Whether it is written from a document, for which --top, a budget and a baseline can be
    /// given.
    bool document;
    Several several;
    ReportWriter* write;
};

inline constexpr ReportFormatEntry kReportFormats[] = {
    {ReportFormat::Markdown, "markdown", "md", true, Several::Paragraphs,
     writeWhole<renderMarkdown>},
    {ReportFormat::Text, "text", "txt", true, Several::Paragraphs, writeWhole<renderText>},
    {ReportFormat::Html, "html", "html", false, Several::Refused, writeWhole<renderHtml>},
    {ReportFormat::Json, "json", "json", false, Several::Lines, writeJson},
    {ReportFormat::Jsonl, "jsonl", "jsonl", false, Several::Lines, writeJsonl},
    {ReportFormat::Csv, "csv", "csv", false, Several::Table, writeWhole<renderCsv>},
    {ReportFormat::LaunchesCsv, "launches-csv", "", false, Several::Table, writeLaunchesCsv},
    {ReportFormat::Svg, "svg", "svg", false, Several::Refused, writeWhole<renderSvg>},
    {ReportFormat::Perfetto, "perfetto", "trace", false, Several::Refused, writePerfetto},
};

[[nodiscard]] constexpr std::span<const ReportFormatEntry> reportFormats() {
    return kReportFormats;
}
[[nodiscard]] constexpr const ReportFormatEntry& entryOf(ReportFormat format) {
    return *std::ranges::find(kReportFormats, format, &ReportFormatEntry::format);
}

}  // namespace roofscope
