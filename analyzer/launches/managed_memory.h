// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "profile/model/profile.h"

namespace roofscope {

/// Whether launches may wait for managed pages, which move between CPU and GPU: the program
/// allocates such memory. False for a program with `__managed__` variables only (no call allocates
/// them, and no launch has them as an argument), and if calls were not recorded.
[[nodiscard]] inline bool mayWaitForPages(const Profile& profile) {
    return std::ranges::any_of(profile.timeline.callNames, [](const CallName& call) {
        return call.name.find("AllocManaged") != std::string::npos ||
               call.name.find("MallocManaged") != std::string::npos;
    });
}

}  // namespace roofscope
