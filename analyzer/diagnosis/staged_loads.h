// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// The edit for a kernel whose blocks load tiles into shared memory and wait for them at a barrier;
/// empty if that is not so, or stalls were not collected.
[[nodiscard]] Words stagedLoadsEdit(const RuleInput& input);

}  // namespace roofscope::rules
