// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>

#include "reports/formats.h"

namespace roofscope {

Result<std::string> renderReport(const Analysis& analysis, ReportFormat format,
                                 const ReportOptions& options) {
    if (!analysis.profile)
        return Error{.code = ErrorCode::Internal, .what = "a report of no profile was asked for"};
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
                     .what = "none of these kernels was sampled over its time",
                     .where = "--plot over-time",
                     .advice = "record with --over-time KERNEL"};
    return entryOf(format).render(analysis, *selection, options);
}

}  // namespace roofscope
