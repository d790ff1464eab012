// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/model/analysis.h"

/// Which findings of a kernel are worth an edit.
namespace roofscope {

/// Findings worth an edit (not minor), in order.
[[nodiscard]] std::vector<const Finding*> majorFindings(const KernelAnalysis& kernel);
[[nodiscard]] std::vector<const Finding*> minorFindings(const KernelAnalysis& kernel);

/// Most findings shown in full: more would distract from the first edit.
inline constexpr std::size_t kMostFindings = 3;

}  // namespace roofscope
