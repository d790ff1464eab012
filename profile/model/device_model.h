// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/profile.h"

namespace roofscope {

/// Two GPUs that cannot be told apart by what they can do: same model, units, memory and clocks.
/// UUID and measured roofs do not count.
[[nodiscard]] bool sameModel(const Device& a, const Device& b);

/// Two entries that may be one GPU: same model, and UUIDs that do not contradict each other.
[[nodiscard]] bool maybeSameGpu(const Device& a, const Device& b);

}  // namespace roofscope
