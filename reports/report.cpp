// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>

#include "analyzer/program/window/activity.h"
#include "reports/chosen_kernels.h"

namespace roofscope {

Result<void> writeReport(const Analysis& analysis, ReportFormat format,
                         const ReportOptions& options, const TextSink& sink) {
    if (!analysis.profile)
        return Error{.code = ErrorCode::Internal,
                     .what = "a report was requested without a profile"};
    const Result<ChosenKernels> selection = selectKernels(analysis, options);
    if (!selection) return selection.error();
    if (format == ReportFormat::Svg && selection->filtered && selection->kernels.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "no kernel matches, so there is nothing to plot",
                     .where = "--kernel"};
    if (format == ReportFormat::Svg && options.plot == ReportPlot::OverTime &&
        std::ranges::none_of(selection->kernels, [&](std::size_t index) {
            return analysis.kernels[index].overTime != nullptr;
        }))
        return Error{.code = ErrorCode::Usage,
                     .what = "none of these kernels was sampled over time",
                     .where = "--plot over-time",
                     .advice = "record with --over-time top:3"};
    if (format == ReportFormat::Perfetto && !program::hasTimes(*analysis.profile))
        return Error{.code = ErrorCode::Usage,
                     .what = "this profile has no times at which something ran",
                     .where = "--format perfetto",
                     .advice =
                         "record it again: \"roofscope record\" makes a timing run unless "
                         "--timing-repeats 0 is given"};
    entryOf(format).write(analysis, *selection, options, sink);
    return {};
}

Result<std::string> renderReport(const Analysis& analysis, ReportFormat format,
                                 const ReportOptions& options) {
    std::string text;
    const auto written =
        writeReport(analysis, format, options, [&](std::string_view piece) { text += piece; });
    if (!written) return written.error();
    return text;
}

}  // namespace roofscope
