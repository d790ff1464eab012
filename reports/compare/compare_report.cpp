// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/compare_report.h"

#include <algorithm>
#include <array>

#include "reports/compare/formats.h"
#include "reports/format_table.h"

namespace roofscope {

std::span<const CompareFormatEntry> compareFormats() {
    static constexpr std::array kFormats{
        CompareFormatEntry{ReportFormat::Markdown, "markdown", "md", renderComparisonMarkdown},
        CompareFormatEntry{ReportFormat::Text, "text", "txt", renderComparisonText},
        CompareFormatEntry{ReportFormat::Json, "json", "json", renderComparisonJson},
    };
    return kFormats;
}

Result<std::string> renderComparison(const Comparison& comparison, const Analysis& baseline,
                                     const Analysis& candidate, ReportFormat format,
                                     const CompareOptions& options) {
    if (!baseline.profile || !candidate.profile)
        return Error{.code = ErrorCode::Internal,
                     .what = "a comparison of no profile was asked for"};
    const auto formats = compareFormats();
    const auto entry = std::ranges::find(formats, format, &CompareFormatEntry::format);
    if (entry == formats.end())
        return Error{.code = ErrorCode::Usage,
                     .what = "a comparison has no such format",
                     .where = "--format",
                     .advice = "use " + formatList(formats)};
    return entry->render({comparison, baseline, candidate, options.language}, options);
}

}  // namespace roofscope
