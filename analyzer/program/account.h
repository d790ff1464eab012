// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/activity.h"
#include "analyzer/program/program.h"
#include "analyzer/program/window.h"

namespace roofscope::program {

/// A launch call without tracing takes at most this long; what Process::tracedLaunch has beyond is
/// tracing. 2 to 5 µs on the CPUs beside an H100; the longest, so that too little is taken off.
inline constexpr Seconds kPlainLaunch{5e-6};

/// Smaller copies take the time of a call, and their contents are not read in a recording.
inline constexpr std::uint64_t kLeastHostCopy = 64 * 1024;

/// What the account needs to know beside the lane itself.
struct AccountInput {
    const Profile& profile;
    const LaneActivity& lane;
    const std::vector<ThreadActivity>& threads;  ///< of the lane's processes
    const FoundWindow& window;
    bool launchesComplete = true;  ///< no launch in the window was left out of the profile
};

/// Puts every nanosecond of the window's spans in one class. Where the GPU does nothing, the thread
/// that issues its next work says why:
///
/// - in a call that loads code, allocates or frees: that;
/// - in a wait, or since it has returned from one and issued nothing: after a synchronisation;
/// - outside of CUDA for longer than kLongestGap: host work, whatever was before;
/// - else launch-bound: in a launch call, shortly between two, or the GPU has not begun yet. What
///   has not begun 50 µs after it was issued waits for something that no call shows: unknown.
///
/// A pageable copy that has not begun on the GPU while its call runs is staged by the CPU: that is
/// time of the copy. Times are per occurrence; `tracing` gets what was taken off.
[[nodiscard]] Account accountOf(const AccountInput& input, Seconds& tracing);

/// Makes time of classes that were not recorded unknown: a call that a file has although it says
/// that there are none of its kind, or what only some of several GPUs have.
void moveUnknown(Account& account);

}  // namespace roofscope::program
