// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope::plot {

/// Radius in pixels of the dot of a kernel with this share of GPU time.
[[nodiscard]] double dotRadius(const Derived<Ratio>& share);

}  // namespace roofscope::plot
