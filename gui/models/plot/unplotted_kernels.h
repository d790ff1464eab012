// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// A kernel without a dot in the roofline.
struct UnplottedKernel {
    std::size_t kernel = 0;       ///< index into Analysis::kernels
    std::optional<double> share;  ///< of GPU time
    QString reason;               ///< "its tensor operations were not counted"
    QString group;                ///< counter group to record for a dot; empty if none helps
};

/// Those of `kernels` that have no dot, the one with the most time first.
[[nodiscard]] std::vector<UnplottedKernel> unplottedKernels(
    const Analysis& analysis, const std::vector<std::size_t>& kernels);

/// The counter groups of all these kernels, without duplicates.
[[nodiscard]] QStringList groupsFor(const std::vector<UnplottedKernel>& kernels);

}  // namespace roofscope::gui
