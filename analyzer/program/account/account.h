// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/model/account.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Copies with a smaller mean size take the time of a call, not that of their bytes.
inline constexpr Bytes kLeastCopy{64.0 * 1024};

/// Longest launch call without tracing; what Process::tracedLaunch has beyond it is tracing. It was
/// 2 to 5 µs on CPUs with an H100. The longest is used, to subtract too little rather than too
/// much.
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
    /// If `tracing` is not known: what tracing adds to launch calls, as a share of the time that
    /// they take (TracingTime::ofLaunchCalls of a window around this one).
    std::optional<double> tracedLaunches = {};
    /// If not null, receives the classes along the clock, including the time that tracing added.
    std::vector<ClassStretch>* stretches = nullptr;
};

/// The time that tracing added.
struct TracingTime {
    Seconds subtracted;     ///< per occurrence
    bool measured = false;  ///< from the program alone; otherwise estimated
    /// As a share of the time in which launch calls kept the GPU idle; 0 without such calls.
    double ofLaunchCalls = 0;
};

/// Puts every nanosecond of the window's spans in one class. While the GPU is idle, the class
/// follows from what the thread that issues its next work does:
///
/// - in a call that loads code, allocates or frees: the class of that call; the same in a launch or
///   copy call of unusual length, while another thread allocates or frees (AllocationLock);
/// - in a pageable copy to the host, while the CPU takes the data out of the driver's buffer:
///   copies;
/// - in a wait, or after a wait without having issued anything yet: synchronisation;
/// - outside of CUDA for longer than kLongestGap: host work, whatever came before;
/// - otherwise launch-bound: in a launch call, shortly between two, or the GPU has not begun yet.
///   Work that has not begun 50 µs after it was issued waits for something that no call shows:
///   unknown.
///
/// Idle time is unknown where work ran whose recorded time is impossible. If not all loading of
/// code was recorded, the time of a launch, an allocation or a free beyond 1 ms is unknown. So is
/// time in which another profiler held the program up.
///
/// While the call of a pageable copy runs and the copy has not begun on the GPU, the CPU is staging
/// it; this is time of the copy. Times are per occurrence.
///
/// `tracing` receives the time that tracing added, which is subtracted from idle time. It is
/// measured if the program also ran untraced, else estimated. It is taken from the classes whose
/// idle time has launch calls, in proportion to the time of these calls; any remainder is taken
/// from all idle time that the CPU causes.
[[nodiscard]] Account accountOf(const AccountInput& input, TracingTime& tracing);

/// Whether kernels of the program launch kernels, which the recording does not see.
[[nodiscard]] bool launchesFromKernels(const Profile& profile);

/// Moves the time of classes that were not recorded to IdleUnknown. A file may contain such calls
/// although it says that none were recorded, or only some of several GPUs may have them.
void moveUnknown(Account& account);

}  // namespace roofscope::program
