// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// How well the ranges of a counter run match those of the timing run.
struct RangeJoin {
    std::size_t matched = 0;
    std::size_t differing = 0;  ///< launched other kernels than in the timing run
    std::size_t unknown = 0;    ///< the timing run has no such occurrence
    /// Occurrences that should have been measured but are missing in the counter run.
    std::size_t absent = 0;
};

/// Adds the measurements that `run` made of the ranges of one depth to those of `base`, another run
/// of the same program. Partners are the n-th occurrences of a range in the same process
/// (pairProcesses(), by their ranges) and on the same device, if both launched the same kernels.
/// Otherwise the counters belong to different work and are left out. Values that `base` already has
/// are kept. Devices gain chip and peaks; issues are added once.
RangeJoin joinRanges(Profile& base, const Profile& run, std::uint32_t depth);

/// Sets the times of each range of `base` to the median of this run and of `others`, all without
/// counters. Only ranges that launched the same kernels count.
void joinRangeTimes(Profile& base, const std::vector<const Profile*>& others);

}  // namespace roofscope
