// SPDX-License-Identifier: Apache-2.0
#include "reports/report_formats.h"

#include <algorithm>
#include <array>

#include "reports/formats.h"

namespace roofscope {

namespace {

constexpr std::array<ReportFormatEntry, 6> kFormats{{
    {ReportFormat::Markdown, "markdown", "md", true, Several::Paragraphs, renderMarkdown},
    {ReportFormat::Text, "text", "txt", true, Several::Paragraphs, renderText},
    {ReportFormat::Html, "html", "html", false, Several::Refused, renderHtml},
    {ReportFormat::Json, "json", "json", false, Several::Lines, renderJson},
    {ReportFormat::Csv, "csv", "csv", false, Several::Table, renderCsv},
    {ReportFormat::Svg, "svg", "svg", false, Several::Refused, renderSvg},
}};

}  // namespace

std::span<const ReportFormatEntry> reportFormats() { return kFormats; }

const ReportFormatEntry& entryOf(ReportFormat format) {
    return *std::ranges::find(kFormats, format, &ReportFormatEntry::format);
}

}  // namespace roofscope
