// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Groups launches by kernel, GPU model, grid, block, cluster, dynamic shared memory and NVTX
/// range, in the order of each group's first launch. Launches of one shape whose instruction counts
/// differ fourfold form separate groups. Launches that were only timed are assigned by duration, if
/// durations separate these groups. Launches with an invalid kernel or device index are left out.
[[nodiscard]] std::vector<LaunchGroup> groupLaunches(const Profile& profile);

/// Whether a counter group was recorded: for all launches, or for some of these in a further run. A
/// counter that is missing nevertheless will not appear if it is recorded again.
[[nodiscard]] bool wasRead(const Capture& capture, const LaunchGroup& launches, CounterGroup group);

/// The GPUs that a group's launches ran on, ascending. LaunchGroup::device is only the first GPU of
/// that model. It is the only one returned if no launch has a valid device index.
[[nodiscard]] std::vector<std::uint32_t> devicesOf(const Profile& profile,
                                                   const LaunchGroup& group);

/// Durations of a group: the unprofiled ones when every launch has one, otherwise
/// gpu__time_duration.sum of the counter run. `perLaunch` receives the seconds of each launch in
/// the group's order, NaN where missing.
[[nodiscard]] DurationStats groupDuration(const Profile& profile, const LaunchGroup& group,
                                          std::vector<double>& perLaunch);

/// Whether a detailed measurement (SourcePass, OverTime) is of a launch of this group. If its
/// launch is not known: whether this is the kernel's only group.
template <class Detail>
[[nodiscard]] bool isAbout(const Detail& detail, const LaunchGroup& group, bool onlyGroupOfKernel) {
    if (detail.kernel != group.kernel) return false;
    if (!detail.launch) return onlyGroupOfKernel;
    return std::ranges::binary_search(group.launches, *detail.launch);
}

}  // namespace roofscope
