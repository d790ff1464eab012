// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/compare_report.h"

#include "reports/compare/formats.h"

namespace roofscope {

Result<std::string> renderComparison(const Comparison& comparison, const Analysis& baseline,
                                     const Analysis& candidate, ReportFormat format,
                                     const CompareOptions& options) {
    if (!baseline.profile || !candidate.profile)
        return Error{.code = ErrorCode::Internal,
                     .what = "a comparison of no profile was asked for"};
    const compare_words::View view{comparison, baseline, candidate, wordingOf(options.language)};
    switch (format) {
        case ReportFormat::Markdown:
            return renderComparisonMarkdown(view, options);
        case ReportFormat::Text:
            return renderComparisonText(view, options);
        case ReportFormat::Json:
            return renderComparisonJson(view, options);
        default:
            break;
    }
    return Error{.code = ErrorCode::Usage,
                 .what = "a comparison has no such format",
                 .where = "--format",
                 .advice = "use markdown, text or json"};
}

}  // namespace roofscope
