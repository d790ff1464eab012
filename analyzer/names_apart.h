// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/analysis.h"

namespace roofscope {

/// Rows of one name cannot be told apart: such kernels also say their range or launch shape. The
/// full names stay as they are.
void nameApart(std::vector<KernelAnalysis>& kernels);

}  // namespace roofscope
