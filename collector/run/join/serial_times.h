// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profile/model/profile.h"

/// What kernels take without CUPTI's instrumentation.
namespace roofscope {

/// What kernels take when they run one by one, by launchSignature().
using SerialTimes = std::map<std::uint64_t, Seconds>;

/// Kernels by launchSignature(), each with its share of all durations together.
using KernelShares = std::map<std::uint64_t, double>;

/// The kernels whose durations may be too long. CUPTI times kernels that may run at the same time
/// by instructions that it adds to every warp's beginning and end: up to 1.4 ns per warp and SM on
/// an H200, 10 % of a kernel that does little per warp. Timed one after the other they are not
/// instrumented. None where kernels overlap or wait for others: such a program needs to run them at
/// the same time.
[[nodiscard]] KernelShares timedTooLong(const Profile& timing);

/// Whether a run that times these kernels one by one is worth it. Not for those whose time is
/// `known`, nor, where some is, if the others take less than kMissedTogether of all durations.
[[nodiscard]] bool needsSerialRun(const KernelShares& shares, const SerialTimes& known);

/// The most that these instructions add to a launch.
[[nodiscard]] Seconds mostInstrumentation(const Profile& timing, const Launch& launch);

/// The median of the launches of each signature that a run with counters timed one by one. The
/// first of a process does not stand for the others (cold caches), and one after a counted launch
/// only where there is no other: the GPU was idle meanwhile. None of kernels that run on GPUs of
/// different models. `among`: the rows in question; empty: all.
[[nodiscard]] SerialTimes serialTimesOf(const Profile& run, const std::vector<bool>& among = {});

/// What this way of timing adds to every launch while counters could be read (1.8 µs on an H100):
/// the median over signatures of at most 5 µs that both have of `serial` less the median in
/// `timing`; without such kernels the least difference. At most 2 µs; zero where both have none.
[[nodiscard]] Seconds timeAddedBySerialRuns(const Profile& timing, const SerialTimes& serial);

}  // namespace roofscope
