// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

/// What merging does with times. Internal to profile/.
namespace roofscope {

/// Where the entries of an input lie in the result.
struct TimelinePlaces {
    std::uint32_t firstProcess = 0, firstLaunch = 0;
    const std::vector<std::uint32_t>& devices;  ///< an input's index → the result's
    const std::vector<std::uint32_t>& ranges;
};
void appendTimeline(Timeline& all, Timeline more, const TimelinePlaces& places);

/// Puts processes of one known host whose times overlap on one clock, the earliest of them. Others
/// keep theirs: runs that followed each other are no timeline.
void alignClocks(Profile& profile);

}  // namespace roofscope
