// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Groups launches by kernel, model of the GPU, grid, block, cluster, dynamic shared memory and
/// NVTX range, in the order of each group's first launch; launches of one shape whose instructions
/// differ fourfold are apart, and those that were only timed go by their durations where these tell
/// the classes apart.
/// Launches whose kernel or device index points nowhere are left out.
[[nodiscard]] std::vector<LaunchGroup> groupLaunches(const Profile& profile);

/// Whether a group of counters was asked for: of all launches, or read of some of these in a
/// further run. What is missing of it then will not come of asking again.
[[nodiscard]] bool wasRead(const Capture& capture, const LaunchGroup& launches, CounterGroup group);

/// The GPUs that launched the kernel of a group, ascending. LaunchGroup::device is only the first
/// of their model; of launches that point nowhere it stands alone.
[[nodiscard]] std::vector<std::uint32_t> devicesOf(const Profile& profile,
                                                   const LaunchGroup& group);

/// Durations of a group: the unprofiled ones when every launch has one, otherwise
/// gpu__time_duration.sum of the counter run. `perLaunch` receives the seconds of each launch in
/// the group's order, NaN where missing.
[[nodiscard]] DurationStats groupDuration(const Profile& profile, const LaunchGroup& group,
                                          std::vector<double>& perLaunch);

/// Whether what was measured in detail (SourcePass, OverTime) is about a launch of this group;
/// where the launch is not known, whether the kernel has no other group.
template <class Detail>
[[nodiscard]] bool isAbout(const Detail& detail, const LaunchGroup& group, bool onlyGroupOfKernel) {
    if (detail.kernel != group.kernel) return false;
    if (!detail.launch) return onlyGroupOfKernel;
    return std::ranges::binary_search(group.launches, *detail.launch);
}

}  // namespace roofscope
