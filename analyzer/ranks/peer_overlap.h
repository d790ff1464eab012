// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// For each launch, whether a kernel that waits for other ranks (NCCL, NVSHMEM) ran at the same
/// time in its process and on its GPU, by the timing run: then it shared the SMs and the memory,
/// and how long it took depends on when the other ranks came. Nothing where it cannot be told: no
/// start or no duration of the launch, or of one that waits in its process. Start times of
/// different processes are not compared, since merged ones count from different moments.
[[nodiscard]] std::vector<std::optional<bool>> overlapPeers(const Profile& profile);

}  // namespace roofscope
