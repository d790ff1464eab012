// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

/// The time in which a GPU runs no kernel, from the starts of a timing run (Launch::start).
namespace roofscope {

/// Shorter than this the GPU merely changes from one kernel to the next.
inline constexpr Seconds kShortestGap{2e-6};
/// Longer than this the program does something else: it reads, waits, computes on the CPU.
inline constexpr Seconds kLongestGap{200e-6};

/// What following a launch in a timing run costs the CPU that issues it, at least: 10 to 19 µs
/// beside an H200 (tests/bench/idle_overhead.py), up to 36 on a slower CPU. A recording says how
/// long its launch calls took (Process::tracedLaunch).
inline constexpr Seconds kTracedLaunch{20e-6};

/// How one device's launches follow each other.
struct DeviceGaps {
    std::uint32_t device = 0;
    /// From the first launch's start to the last one's end, as it would be without tracing, less
    /// the gaps before the first launch of each kernel: there its code was loaded, and nothing
    /// repeats that.
    Seconds span;
    Seconds idle;                     ///< sum of the gaps that count
    std::vector<double> gaps;         ///< the gaps that count, in seconds, ascending
    std::uint32_t beforeLargest = 0;  ///< the launch that the largest of them is before
};

/// Gaps of all devices. A gap counts when it is between `kShortestGap` and `kLongestGap`, the
/// launch that ends it is not the first of its kernel and not a node of a CUDA graph.
struct LaunchGaps {
    std::vector<DeviceGaps> devices;  ///< those that can be judged
    /// By launch: how long no kernel runs after it, 0 when another one runs on. Absent where the
    /// next launch is unknown, the first of its kernel, a node of a graph, or comes after more than
    /// `kLongestGap`.
    std::vector<std::optional<double>> after;

    /// Median of `after` over a group's launches; absent with fewer than three.
    [[nodiscard]] std::optional<Seconds> medianAfter(const LaunchGroup& group) const;
};

/// Finds the gaps that a program has without being traced. Its CPU would issue each launch earlier
/// by what following it and those before it took; a kernel that waited for its launch would begin
/// earlier by that, but not before the kernel ahead of it ends. Where the CPU waits for the GPU it
/// goes on when the GPU is done, so that what it saved until then is lost (Launch::afterSync).
/// Without such marks (older profiles) gaps come out short rather than long.
///
/// A device is judged only when nothing can be missing on it: no launch was left
/// out by choice, every launch of the profile's processes is there, and each has its start and its
/// duration. O(n log n) in the number of launches.
[[nodiscard]] LaunchGaps findLaunchGaps(const Profile& profile);

}  // namespace roofscope
