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
    std::size_t absent = 0;     ///< occurrences to be measured that the counter run does not have
};

/// Adds what `run` measured of the ranges of one depth to those of `base`, another run of the same
/// program. Partners are the n-th occurrences of a range in the same process (pairProcesses(), by
/// their ranges) and on the same device that launched the same kernels; other counters would belong
/// to other work, and are left out. Values that `base` has already stay. Devices gain chip and
/// peaks, issues are added once.
RangeJoin joinRanges(Profile& base, const Profile& run, std::uint32_t depth);

/// Gives each range of `base` the median of its durations in this run and in `others`, all without
/// counters, where the same was launched.
void joinRangeTimes(Profile& base, const std::vector<const Profile*>& others);

}  // namespace roofscope
