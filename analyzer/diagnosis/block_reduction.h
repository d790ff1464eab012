// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// The edit for a kernel whose blocks join the values of all their threads again and again (a sum,
/// a search for the maximum): its warps wait at barriers for at least a quarter of their time, and
/// a block has no more shared memory than such a reduction needs, a few values for each warp. Empty
/// for other kernels, and where stalls were not counted. Not for Triton, which places the barriers.
[[nodiscard]] Words blockReductionEdit(const RuleInput& input);

}  // namespace roofscope::rules
