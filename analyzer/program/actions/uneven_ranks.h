// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/model/program.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// A rank that waits in communication for another one: how long per occurrence of the window, and
/// why the other one comes later.
struct UnevenRanks {
    std::uint32_t waiting = 0, slow = 0;  ///< ranks
    /// Time in which only communication runs in the waiting rank, beyond that of the slow rank,
    /// which comes last and waits for nobody.
    Seconds waits;
    std::string in;                       ///< the kernel with most of it
    Seconds slowKernels, waitingKernels;  ///< time of other kernels
    /// The kernel whose time differs most. Empty if kernels do not explain the wait; then the slow
    /// rank gets its work later.
    std::string kernel;
    Seconds slowInKernel, waitingInKernel;
};

/// A lane, and the window that it is judged over.
struct JudgedLane {
    const Lane& lane;
    const LaneActivity& activity;
    const FoundWindow& window;
};

/// Absent unless there are two or more lanes, all with different known ranks, and one waits.
[[nodiscard]] std::optional<UnevenRanks> unevenRanks(const Analysis& analysis,
                                                     const std::vector<JudgedLane>& lanes);

}  // namespace roofscope::program
