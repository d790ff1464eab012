// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "profile/model/profile.h"

namespace roofscope {

/// Whether the program allocates managed memory, whose pages move between CPU and GPU. False if its
/// calls were not recorded.
[[nodiscard]] inline bool allocatesManaged(const Profile& profile) {
    return std::ranges::any_of(profile.timeline.callNames, [](const CallName& call) {
        return call.name.find("AllocManaged") != std::string::npos ||
               call.name.find("MallocManaged") != std::string::npos;
    });
}

/// Whether launches of this kernel (index into Profile::kernels) may wait for managed pages. False
/// for a program with `__managed__` variables only: no call allocates them, and no launch has them
/// as an argument.
[[nodiscard]] inline bool mayWaitForPages(const Profile& profile, std::uint32_t /*kernel*/) {
    return allocatesManaged(profile);
}

}  // namespace roofscope
