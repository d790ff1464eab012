// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope {

/// Whether two GPUs have the same capabilities: model, units, memory and clocks. UUID and measured
/// roofs are ignored.
[[nodiscard]] bool sameModel(const Device& a, const Device& b);

/// Whether two entries may be the same GPU: same model and no conflicting UUIDs.
[[nodiscard]] bool maybeSameGpu(const Device& a, const Device& b);

}  // namespace roofscope
