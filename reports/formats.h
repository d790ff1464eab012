// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "reports/report.h"

/// One function per output format, each in its own file. `kernels` are the indices into
/// Analysis::kernels to show, in order of total time; `options.top` is already applied to them.
namespace roofscope {

/// What a report shows.
struct ChosenKernels {
    std::vector<std::size_t> kernels;
    std::size_t matching = 0;  ///< kernels that passed the filter, before `top` cut them
    bool filtered = false;
};

/// Applies the filter and `top`. A broken regular expression is a usage error.
Result<ChosenKernels> selectKernels(const Analysis& analysis, const ReportOptions& options);

[[nodiscard]] std::string renderMarkdown(const Analysis& analysis, const ChosenKernels& selection,
                                         const ReportOptions& options);
[[nodiscard]] std::string renderText(const Analysis& analysis, const ChosenKernels& selection,
                                     const ReportOptions& options);
[[nodiscard]] std::string renderHtml(const Analysis& analysis, const ChosenKernels& selection,
                                     const ReportOptions& options);
[[nodiscard]] std::string renderJson(const Analysis& analysis, const ChosenKernels& selection,
                                     const ReportOptions& options);
[[nodiscard]] std::string renderCsv(const Analysis& analysis, const ChosenKernels& selection,
                                    const ReportOptions& options);
[[nodiscard]] std::string renderSvg(const Analysis& analysis, const ChosenKernels& selection,
                                    const ReportOptions& options);

}  // namespace roofscope
