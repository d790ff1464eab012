// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

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
    return entryOf(format).render(analysis, *selection, options);
}

}  // namespace roofscope
