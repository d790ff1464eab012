// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

/// The time in which a GPU runs no kernel, from the starts of a timing run (Launch::start).
namespace roofscope {

/// A shorter gap is only the change from one kernel to the next.
inline constexpr Seconds kShortestGap{2e-6};
/// In a longer gap the program does something else: it reads, waits, computes on the CPU.
inline constexpr Seconds kLongestGap{200e-6};

/// CPU time that tracing adds to each launch in a timing run, at least. It was 10 to 19 µs with an
/// H200 (tests/bench/idle_overhead.py) and up to 36 µs on a slower CPU. A recording states how long
/// its launch calls took (Process::tracedLaunch).
inline constexpr Seconds kTracedLaunch{20e-6};

/// How one device's launches follow each other.
struct DeviceGaps {
    std::uint32_t device = 0;
    /// From the first launch's start to the last one's end, as it would be without tracing.
    /// Excludes the gaps before the first launch of each kernel: its code was loaded there, which
    /// happens only once.
    Seconds span;
    Seconds idle;                          ///< sum of the gaps that count
    std::vector<double> gaps;              ///< the gaps that count, in seconds, ascending
    std::uint32_t launchAfterLargest = 0;  ///< the launch after the largest gap
};

/// Gaps of all devices. A gap counts if it is between `kShortestGap` and `kLongestGap`, and the
/// launch after it is neither the first of its kernel nor a node of a CUDA graph.
struct LaunchGaps {
    std::vector<DeviceGaps> devices;  ///< those that can be judged
    /// By launch: how long no kernel runs after it; 0 if another one is still running. Absent if
    /// the next launch is unknown, the first of its kernel or a node of a graph, or if it comes
    /// after more than `kLongestGap`.
    std::vector<std::optional<double>> after;

    /// Median of `after` over a group's launches; absent with fewer than three.
    [[nodiscard]] std::optional<Seconds> medianAfter(const LaunchGroup& group) const;
};

/// Finds the gaps that a program has when it is not traced. Its CPU would then issue each launch
/// earlier, by the tracing time of this launch and of those before it. A kernel that waited for its
/// launch would begin that much earlier, but not before the previous kernel ends. Where the CPU
/// waits for the GPU, it goes on when the GPU is done, so the time that it saved until then is lost
/// (Launch::afterSync). Without such marks (older profiles), gaps come out too short rather than
/// too long.
///
/// A device is judged only if nothing can be missing on it: no launch was filtered out, every
/// launch of the profile's processes is there, and each has a start and a duration. O(n log n) in
/// the number of launches.
[[nodiscard]] LaunchGaps findLaunchGaps(const Profile& profile);

}  // namespace roofscope
