// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope::honesty {

/// Whether kernels may move bytes that only the counter group "tma" counts. True for a chip without
/// a table.
[[nodiscard]] bool hasBulkCopies(const Device& device);

}  // namespace roofscope::honesty
