// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reports/report.h"

/// Input of the renderers in report_formats.h.
namespace roofscope {

/// The kernels to show in a report.
struct ChosenKernels {
    std::vector<std::size_t> kernels;  ///< indices, by total time, cut to `top`
    std::size_t matching = 0;          ///< kernels that passed the filter, before `top` cut them
    bool filtered = false;
};

/// Applies the filter and `top`. An invalid regular expression is a usage error.
Result<ChosenKernels> selectKernels(const Analysis& analysis, const ReportOptions& options);

}  // namespace roofscope
