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

/// The kernels whose durations may be too long. To time kernels that may run concurrently, CUPTI
/// adds instructions to the beginning and end of every warp. They take up to 1.4 ns per warp,
/// divided by the number of SMs (on an H200): 10 % of a kernel that does little per warp. Kernels
/// that are timed one by one are not instrumented. The result is empty if kernels overlap or wait
/// for others, because such a program must run them concurrently.
[[nodiscard]] KernelShares timedTooLong(const Profile& timing);

/// Whether timing these kernels one by one is worth a run. It is not if all their times are
/// `known`, or if some are known and the others take less than kLeastJointShareWorthRun of all
/// durations.
[[nodiscard]] bool needsSerialRun(const KernelShares& shares, const SerialTimes& known);

/// The most time that CUPTI's instructions can add to a launch.
[[nodiscard]] Seconds mostInstrumentation(const Profile& timing, const Launch& launch);

/// The most time that they can add to all launches of these kernels.
[[nodiscard]] Seconds mostInstrumentation(const Profile& timing, const KernelShares& kernels);

/// For each signature, the median of the launches that a run with counters timed one by one. The
/// first launch of a signature in a process does not count (cold caches). A launch after a counted
/// one counts only if there is no other, because the GPU was idle before it. Kernels that ran on
/// different GPU models are left out. `among` selects rows; empty: all.
[[nodiscard]] SerialTimes serialTimesOf(const Profile& run, const std::vector<bool>& among = {});

/// How much time timing one by one adds to every launch while counters could be read (1.8 µs on an
/// H100). Each signature in both gives a difference: its time in `serial` minus the median in
/// `timing`. The result is the median of the differences of kernels of at most 5 µs; without such
/// kernels it is the smallest difference. At most 2 µs; zero if no signature is in both.
[[nodiscard]] Seconds timeAddedBySerialRuns(const Profile& timing, const SerialTimes& serial);

}  // namespace roofscope
