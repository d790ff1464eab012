// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

/// The rows of the profile that an analysed kernel stands for.
namespace roofscope {

/// The function of a kernel; an empty one if the index is invalid.
[[nodiscard]] const Kernel& functionOf(const Analysis& analysis, const KernelAnalysis& kernel);
/// The device of a kernel; an empty one if the index is invalid.
[[nodiscard]] const Device& deviceOf(const Analysis& analysis, const KernelAnalysis& kernel);

}  // namespace roofscope
