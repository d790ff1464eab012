// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/kernel_origin.h"
#include "analyzer/language.h"

namespace roofscope {

/// What can be done about a fault of a kernel that cannot be edited as a rule says, because it is a
/// library's or written in Triton: one sentence. Empty for the program's own kernels.
[[nodiscard]] Words foreignEdit(KernelOrigin origin);

}  // namespace roofscope
