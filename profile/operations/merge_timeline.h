// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

/// Merges timelines and clocks. Internal to profile/.
namespace roofscope {

/// Where the entries of an input are in the result.
struct TimelineOffsets {
    std::uint32_t firstProcess = 0, firstLaunch = 0;
    const std::vector<std::uint32_t>& devices;  ///< an input's index → the result's
    const std::vector<std::uint32_t>& ranges;
};
void appendTimeline(Timeline& all, Timeline more, const TimelineOffsets& places);

/// Gives processes of one known host whose times overlap the earliest clock among them. Other
/// processes keep their clock: runs one after the other have no common timeline.
void alignClocks(Profile& profile);

}  // namespace roofscope
