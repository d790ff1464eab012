// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "collector/run/strategy/strategy.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Samples of what warps wait for: how often to take them, and how they join counters.
namespace roofscope {

/// N, for a sample every 2^N cycles: the shortest of the kernels should give some ten thousand
/// samples, and the longest must not fill the GPU's buffer. One value serves a run of the program.
[[nodiscard]] std::uint32_t samplingPeriod(const Profile& timing,
                                           std::span<const SourceTarget> targets);

/// Adds the samples of a launch, the columns of `samples`, to the counters of the same kernel, and
/// "smsp__pcsamp_sample_count": samples of the instruction, each state once. An instruction that
/// was never sampled has 0, because all are watched. Warps that have exited and wait for their
/// stores count at their EXIT. An instruction that was sampled and not counted gets a row whose
/// counters are missing. An error, and no change, when the samples are of other code.
Result<void> mergeSamples(SourcePass& pass, const SourcePass& samples);

}  // namespace roofscope
