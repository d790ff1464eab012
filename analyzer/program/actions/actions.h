// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/account/account.h"
#include "analyzer/program/actions/attention.h"
#include "analyzer/program/actions/elementwise_runs.h"
#include "analyzer/program/actions/launch_rounds.h"
#include "analyzer/program/actions/same_matrix.h"
#include "analyzer/program/actions/uneven_ranks.h"
#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// A window this close to its floor needs no more work.
inline constexpr double kNearFloor = 0.10;

/// The GPU idles this long between two nodes of a CUDA graph: what a graph leaves of each launch.
inline constexpr Seconds kGraphGap{1e-6};

/// CPU time to launch a CUDA graph (measured on an H100). A step with less work on the GPU waits
/// for it, unless a graph holds several steps.
inline constexpr Seconds kGraphLaunch{6.7e-6};

/// A CUDA graph with fewer kernels takes as long to launch as the kernels by themselves: a step of
/// one kernel and a copy took 84 µs with torch.compile's graphs and 48 µs without, on an H200.
inline constexpr double kLeastOfGraph = 4;

/// What the order of launches shows in addition to the account.
struct LaunchOrder {
    ElementwiseRuns runs;
    UnfusedAttention attention = {};
    std::optional<UnevenRanks> uneven = {};
    std::optional<LaunchRounds> rounds = {};
    std::optional<LaunchRounds> innerRounds = {};  ///< the window is a round of an inner loop
    SameMatrix sameMatrix = {};
};

/// All actions that are worth doing, most time first, at most kMostActions. Findings of one rule
/// with the same edit form one action over all of their kernels; other actions come from the
/// account.
[[nodiscard]] std::vector<Action> findActions(const Analysis& analysis, const Program& program,
                                              const LaunchOrder& order = {});

/// The largest group of kernels without an action, if it takes at least a tenth of the window and
/// three times what the first action can save. The report then shows what is known about it.
[[nodiscard]] std::optional<Unanswered> unansweredOf(const Analysis& analysis,
                                                     const Program& program);

}  // namespace roofscope::program
