// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// Which launches of each signature represent it: at most `perKernel`, those nearest to the median
/// duration, without the first if there are others (cold caches, lazy loading). If durations differ
/// severalfold, launches do different work; then each chosen launch represents an equal part of
/// their time. Without durations, it is the launches after the first.
///
/// Ordinals count within a process; they are those of the process with the most launches.
///
/// `among`: rows of the profile, in ascending order, to choose from; empty: all.
/// `perSmall`: the limit for a signature that takes less than kSmallShare of all durations. With
/// it, of a kernel with many shapes only the kMostShapes that take the most time are counted, and
/// those that take kShapeCounts of all durations: the others are similar.
/// `keptUncounted`: for these signatures, if they have three launches or more, one launch besides
/// the first stays uncounted.
/// `onePerShape`: of a kernel with kManyShapes or more, one launch of each shape.
/// `oneOfLong`: of launches that take longer than kOneLaunchIsEnough and do the same, one.
/// In a process that launches CUDA graphs with clusters, launches outside of graphs are preferred.
[[nodiscard]] std::map<std::uint64_t, std::vector<std::uint32_t>> representativeLaunches(
    const Profile& timing, std::uint32_t perKernel, const std::vector<std::uint32_t>& among = {},
    std::optional<std::uint32_t> perSmall = {}, const std::set<std::uint64_t>& keptUncounted = {},
    bool onePerShape = false, bool oneOfLong = false);
inline constexpr double kSmallShare = 0.01;
inline constexpr std::size_t kMostShapes = 6, kManyShapes = 3;
inline constexpr double kShapeCounts = 0.03;
/// Several kernels together are not worth another run below this share of the GPU's time.
inline constexpr double kLeastJointShareWorthRun = 0.03;
/// When the last signature that takes this share of all durations was launched first, on the clock
/// of Launch::start; absent if times are not known.
[[nodiscard]] std::optional<Seconds> lastSignatureBegins(const Profile& timing);

/// Which kernels are measured per instruction.
struct SourceRequest {
    std::uint32_t top = 0;  ///< this many of the kernels that take the most time
    std::string pattern;    ///< regular expression, found anywhere in the name; empty: by `top`
    /// Instead of both: the kernels of these rows of the profile, ascending.
    std::vector<std::uint32_t> launches = {};
    [[nodiscard]] bool any() const { return top > 0 || !pattern.empty() || !launches.empty(); }
};

/// One launch that represents its kernel in a source pass.
struct SourceTarget {
    std::uint64_t signature = 0;
    std::uint32_t ordinal = 0;  ///< among the launches of this signature in its process
    std::uint32_t launch = 0;   ///< row of the timing profile
};

/// The launches to measure per instruction, one per kernel and launch shape, starting with the
/// kernel that takes the most time. Graph nodes cannot be measured and are left out. At most
/// kMostSources.
inline constexpr std::size_t kMostSources = 16;
[[nodiscard]] std::vector<SourceTarget> sourceTargets(const Profile& timing,
                                                      const SourceRequest& request);

}  // namespace roofscope
