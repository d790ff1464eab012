// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// The edit for a kernel whose blocks reduce the values of all their threads again and again (a
/// sum, the search for a maximum): its warps wait at barriers for at least a quarter of their time,
/// and a block has no more shared memory than such a reduction needs, a few values for each warp.
/// Empty for other kernels, if stalls were not counted, and for Triton, whose compiler places the
/// barriers.
[[nodiscard]] Words blockReductionEdit(const RuleInput& input);

}  // namespace roofscope::rules
