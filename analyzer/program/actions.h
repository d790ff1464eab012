// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/elementwise_runs.h"
#include "analyzer/program/program.h"
#include "analyzer/program/uneven_ranks.h"

namespace roofscope::program {

/// An action that brings less than this share of the window is none: steps of one program differ by
/// as much from run to run.
inline constexpr double kWorthDoing = 0.03;
/// A window that is this little above its floor is done.
inline constexpr double kNearFloor = 0.10;

/// Copies that are smaller on average take the time of a call, not that of their bytes.
inline constexpr Bytes kLeastCopy{64.0 * 1024};
/// Between two nodes of a CUDA graph the GPU rests this long: what a graph leaves of each launch.
inline constexpr Seconds kGraphGap{1e-6};

/// Launching a CUDA graph takes the CPU as long (measured on an H100): a step with less work on the
/// GPU waits for it, unless a graph holds several steps.
inline constexpr Seconds kGraphLaunch{6.7e-6};

/// A CUDA graph of fewer kernels takes as long to launch as they do by themselves: a step of one
/// kernel and a copy took 84 µs with torch.compile's graphs and 48 µs without, on an H200.
inline constexpr double kLeastOfGraph = 4;

/// What the order of launches says beside the account.
struct LaunchOrder {
    ElementwiseRuns runs;
    std::optional<UnevenRanks> uneven = {};
};

/// All that is worth doing, most time first, at most kMostActions: findings of one rule with one
/// edit are one action over all their kernels, beside what the account says.
[[nodiscard]] std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                              const LaunchOrder& order = {});

/// The largest group of kernels without an action, where it takes three times what the first action
/// can bring, or a tenth of the window where there is none: then the report says of it what is
/// known. Absent otherwise.
[[nodiscard]] std::optional<Unanswered> unansweredOf(const Analysis& analysis,
                                                     const Program& program);

}  // namespace roofscope::program
