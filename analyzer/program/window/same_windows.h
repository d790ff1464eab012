// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Makes the windows of one program's GPUs describe the same stretch of its loop. They do if they
/// are of one kind and about equally long. Otherwise each takes over the spans of the longest
/// window, if all lanes are on one clock. Returns how many lanes can be judged together: all, or
/// only the first, because the windows stay different.
[[nodiscard]] std::size_t makeWindowsAlike(const Profile& profile,
                                           const std::vector<const LaneActivity*>& lanes,
                                           std::vector<FoundWindow>& windows);

}  // namespace roofscope::program
