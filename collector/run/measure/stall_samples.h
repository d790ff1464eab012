// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "collector/run/strategy/representative_launches.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Warp stall samples: how often to take them, and how to merge them with counters.
namespace roofscope {

/// N, for a sample every 2^N cycles. The shortest kernel should give some ten thousand samples, and
/// the longest must not overflow the GPU's buffer. One value applies to a whole run of the program.
[[nodiscard]] std::uint32_t samplingPeriod(const Profile& timing,
                                           std::span<const SourceTarget> targets);

/// Adds the stall samples of a launch (the columns of `samples`) to the counters of the same
/// kernel. Also adds "smsp__pcsamp_sample_count": an instruction's samples, with each state counted
/// once. An instruction without samples has 0, because all instructions are sampled. Samples of
/// warps that have exited and wait for their stores count at their EXIT. An instruction that was
/// sampled but not counted gets a row with missing counters. If the samples are of different code,
/// returns an error and changes nothing.
Result<void> mergeSamples(SourcePass& pass, const SourcePass& samples);

}  // namespace roofscope
