// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Lends machine code to kernels that have none: from another instantiation of the same template
/// (or another group of the same kernel) that was measured per instruction, if both load the
/// arithmetic pipes, the issue slots and the L1 alike, within 3 points. Shares of instructions then
/// hold for both; counts do not. Sets KernelAnalysis::siblingCode.
void lendCode(std::vector<KernelAnalysis>& kernels);

/// The kernel's own code, or what a sibling lent; nullptr without either.
[[nodiscard]] const SourceAnalysis* ownOrSiblingCode(const KernelAnalysis& kernel);

}  // namespace roofscope
