// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profile/model/profile.h"

/// How long kernels take without CUPTI's instrumentation.
namespace roofscope {

/// How long kernels take when they run one by one, by launchSignature().
using SerialTimes = std::map<std::uint64_t, Seconds>;

/// Kernels by launchSignature(), each with its share of the sum of all durations.
using KernelShares = std::map<std::uint64_t, double>;

/// The kernels whose durations may be too long. To time kernels that may run at the same time,
/// CUPTI adds instructions to the beginning and end of every warp. They take up to 1.4 ns per warp,
/// divided by the number of SMs (on an H200): 10 % of a kernel that does little per warp. Kernels
/// that are timed one after the other are not instrumented. The result is empty if kernels overlap
/// or wait for others, because such a program needs to run them at the same time.
[[nodiscard]] KernelShares timedTooLong(const Profile& timing);

/// Whether it is worth a run to time these kernels one by one. It is not if their times are
/// `known`; nor, if some are known, if the others take less than kLeastJointShareWorthRun of all
/// durations.
[[nodiscard]] bool needsSerialRun(const KernelShares& shares, const SerialTimes& known);

/// The most time that these instructions add to a launch.
[[nodiscard]] Seconds mostInstrumentation(const Profile& timing, const Launch& launch);

/// The most that they add to all launches of these kernels.
[[nodiscard]] Seconds mostInstrumentation(const Profile& timing, const KernelShares& kernels);

/// For each signature, the median of the launches that a run with counters timed one by one. The
/// first launch of a process does not count (cold caches). A launch after a counted one counts only
/// if there is no other, because the GPU was idle meanwhile. Kernels that ran on GPUs of different
/// models are left out. `among` selects rows; empty: all.
[[nodiscard]] SerialTimes serialTimesOf(const Profile& run, const std::vector<bool>& among = {});

/// How much time this way of timing adds to every launch while counters could be read (1.8 µs on an
/// H100). Each signature that both have gives a difference: its time in `serial` less the median in
/// `timing`. The result is the median of those of at most 5 µs; without such kernels the smallest
/// difference. At most 2 µs; zero if both have no signature in common.
[[nodiscard]] Seconds timeAddedBySerialRuns(const Profile& timing, const SerialTimes& serial);

}  // namespace roofscope
