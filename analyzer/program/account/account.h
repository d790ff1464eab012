// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/program.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Copies with a smaller mean size take the time of a call, not that of their bytes.
inline constexpr Bytes kLeastCopy{64.0 * 1024};

/// Longest launch call without tracing. What Process::tracedLaunch has beyond it is tracing. It was
/// 2 to 5 µs on CPUs with an H100; this is the longest, so that rather too little is subtracted.
inline constexpr Seconds kPlainLaunch{5e-6};

/// Smaller copies take the time of a call, and a recording does not read their contents.
inline constexpr std::uint64_t kLeastHostCopy = 64 * 1024;

/// What the account needs to know in addition to the lane.
struct AccountInput {
    const Profile& profile;
    const LaneActivity& lane;
    const std::vector<ThreadActivity>& threads;  ///< of the lane's processes
    const FoundWindow& window;
    bool launchesComplete = true;          ///< no launch in the window was left out of the profile
    const HostSamples* samples = nullptr;  ///< of the profile; null: they are not counted
    /// addedByTracing() to the window, if known.
    std::optional<Seconds> tracing = {};
    /// If the window's own is not known: what tracing adds to launch calls, as a share of the time
    /// that they take (TracingTime::ofLaunchCalls of a window around this one).
    std::optional<double> tracedLaunches = {};
    /// Receives what the account counts, along the clock and with tracing, if not null.
    std::vector<ClassStretch>* stretches = nullptr;
};

/// The time that tracing added.
struct TracingTime {
    Seconds subtracted;     ///< per occurrence
    bool measured = false;  ///< from the program alone; otherwise estimated
    /// As a share of the time in which launch calls kept the GPU idle; 0 without such calls.
    double ofLaunchCalls = 0;
};

/// Puts every nanosecond of the window's spans in one class. While the GPU is idle, the thread that
/// issues its next work shows why:
///
/// - in a call that loads code, allocates or frees: that; also in a launch or copy call of
///   unusual length, while another thread allocates or frees (AllocationLock);
/// - in a pageable copy to the host, while the CPU takes the data out of the driver's buffer:
/// copies;
/// - in a wait, or after a wait without having issued anything yet: synchronisation;
/// - outside of CUDA for longer than kLongestGap: host work, whatever came before;
/// - otherwise launch-bound: in a launch call, shortly between two, or the GPU has not begun yet.
/// What
///   has not begun 50 µs after it was issued waits for something that no call shows: unknown.
///
/// Where work ran whose recorded time cannot be, idle time is unknown.
///
/// Where not all loading of code was recorded, what lies beyond 1 ms of a launch, an allocation or
/// a free is unknown. So is time in which another profiler held the program up.
///
/// A pageable copy that has not begun on the GPU while its call runs is being staged by the CPU;
/// this is time of the copy. Times are per occurrence.
///
/// `tracing` receives what was subtracted from idle time: what the program takes less when it is
/// not traced, if that was measured; else an estimate. It is taken from the classes whose idle
/// time has launch calls, by the time of these calls, and what is more than that from all idle
/// time that the CPU causes.
[[nodiscard]] Account accountOf(const AccountInput& input, TracingTime& tracing);

/// Whether kernels of the program launch kernels, which the recording does not see.
[[nodiscard]] bool launchesFromKernels(const Profile& profile);

/// Moves the time of classes that were not recorded to IdleUnknown. A file may contain such calls
/// although it says that none were recorded, or only some of several GPUs may have them.
void moveUnknown(Account& account);

}  // namespace roofscope::program
