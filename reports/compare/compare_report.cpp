// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/compare_report.h"

#include <algorithm>
#include <array>

#include "reports/compare/formats.h"
#include "reports/format_table.h"

namespace roofscope {

namespace {

template <std::string (*render)(const compare_words::View&, const CompareOptions&)>
void writeWhole(const compare_words::View& view, const CompareOptions& options,
                const TextSink& sink) {
    sink(render(view, options));
}

}  // namespace

std::span<const CompareFormatEntry> compareFormats() {
    static constexpr std::array kFormats{
        CompareFormatEntry{ReportFormat::Markdown, "markdown", "md",
                           writeWhole<renderComparisonMarkdown>},
        CompareFormatEntry{ReportFormat::Text, "text", "txt", writeWhole<renderComparisonText>},
        CompareFormatEntry{ReportFormat::Json, "json", "json", writeComparisonJson},
    };
    return kFormats;
}

Result<void> writeComparison(const Comparison& comparison, const Analysis& baseline,
                             const Analysis& candidate, ReportFormat format,
                             const CompareOptions& options, const TextSink& sink) {
    if (!baseline.profile || !candidate.profile)
        return Error{.code = ErrorCode::Internal,
                     .what = "a comparison was requested without profiles"};
    const auto formats = compareFormats();
    const auto entry = std::ranges::find(formats, format, &CompareFormatEntry::format);
    if (entry == formats.end())
        return Error{.code = ErrorCode::Usage,
                     .what = "a comparison has no such format",
                     .where = "--format",
                     .advice = "use " + formatList(formats)};
    entry->write({comparison, baseline, candidate, options.language}, options, sink);
    return {};
}

Result<std::string> renderComparison(const Comparison& comparison, const Analysis& baseline,
                                     const Analysis& candidate, ReportFormat format,
                                     const CompareOptions& options) {
    std::string text;
    const auto written = writeComparison(comparison, baseline, candidate, format, options,
                                         [&](std::string_view piece) { text += piece; });
    if (!written) return written.error();
    return text;
}

}  // namespace roofscope
