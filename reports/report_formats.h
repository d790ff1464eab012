// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace roofscope {

struct Analysis;
struct ReportOptions;
struct ChosenKernels;

enum class ReportFormat { Markdown, Text, Html, Json, Csv, Svg };

/// What happens when one command writes several profiles.
enum class Several { Refused, Lines, Paragraphs, Table };

/// A format of a profile's report: command line, completion and window read all of them from
/// `reportFormats`. To add one, write its renderer into a file of its own and its row into
/// report_formats.cpp (with an enumerator above).
struct ReportFormatEntry {
    ReportFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", of files; also a name
    /// Written from the document: for people, so that the number of kernels, the size and a
    /// baseline can be chosen.
    bool document;
    Several several;
    std::string (*render)(const Analysis&, const ChosenKernels&, const ReportOptions&);
};

[[nodiscard]] std::span<const ReportFormatEntry> reportFormats();
[[nodiscard]] const ReportFormatEntry& entryOf(ReportFormat format);

}  // namespace roofscope
