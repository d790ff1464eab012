// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reports/formats.h"

namespace roofscope {

std::optional<ReportFormat> parseReportFormat(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, ReportFormat>, 9> kNames{{
        {"markdown", ReportFormat::Markdown},
        {"md", ReportFormat::Markdown},
        {"text", ReportFormat::Text},
        {"txt", ReportFormat::Text},
        {"html", ReportFormat::Html},
        {"htm", ReportFormat::Html},
        {"json", ReportFormat::Json},
        {"csv", ReportFormat::Csv},
        {"svg", ReportFormat::Svg},
    }};
    const auto sameLetter = [](char a, char b) {
        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    };
    for (const auto& [known, format] : kNames)
        if (std::equal(known.begin(), known.end(), name.begin(), name.end(), sameLetter))
            return format;
    return std::nullopt;
}

Result<std::string> renderReport(const Analysis& analysis, ReportFormat format,
                                 const ReportOptions& options) {
    if (!analysis.profile)
        return Error{.code = ErrorCode::Internal, .what = "a report of no profile was asked for"};
    const Result<Selection> selection = selectKernels(analysis, options);
    if (!selection) return selection.error();
    switch (format) {
        case ReportFormat::Markdown:
            return renderMarkdown(analysis, *selection, options);
        case ReportFormat::Text:
            return renderText(analysis, *selection, options);
        case ReportFormat::Html:
            return renderHtml(analysis, *selection, options);
        case ReportFormat::Json:
            return renderJson(analysis, *selection, options);
        case ReportFormat::Csv:
            return renderCsv(analysis, *selection, options);
        case ReportFormat::Svg:
            if (selection->filtered && selection->kernels.empty())
                return Error{.code = ErrorCode::Usage,
                             .what = "no kernel matches, so there is nothing to plot",
                             .where = "--kernel"};
            return renderSvg(analysis, *selection, options);
    }
    return Error{.code = ErrorCode::Internal, .what = "unknown report format"};
}

}  // namespace roofscope
