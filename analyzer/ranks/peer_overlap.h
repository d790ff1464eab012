// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// For each launch, whether a kernel that waits for other ranks (NCCL, NVSHMEM) ran at the same
/// time in its process and on its GPU, by the timing run. Then it shared the SMs and the memory,
/// and its duration depends on when the other ranks came. nullopt if unknown: the launch, or a
/// waiting launch of its process on that GPU, has no start or no duration. Start times of different
/// processes are not compared, because merged profiles count from different moments.
[[nodiscard]] std::vector<std::optional<bool>> overlapPeers(const Profile& profile);

}  // namespace roofscope
