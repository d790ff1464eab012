// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/activity.h"
#include "analyzer/program/window.h"

namespace roofscope::program {

/// A rank that waits in communication for another: what it waits per occurrence of the window, and
/// why the other comes later.
struct UnevenRanks {
    std::uint32_t waiting = 0, slow = 0;  ///< ranks
    /// In which only communication runs in the waiting rank, beyond what it takes in the slow one,
    /// which comes last and waits for nobody.
    Seconds waits;
    std::string in;                       ///< the kernel of most of it
    Seconds slowKernels, waitingKernels;  ///< time of other kernels
    /// The kernel whose time differs most; empty where kernels do not explain the wait: then the
    /// slow rank gets its work later.
    std::string kernel;
    Seconds slowInKernel, waitingInKernel;
};

/// A lane with the window that it is judged over.
struct JudgedLane {
    const Lane& lane;
    const LaneActivity& activity;
    const FoundWindow& window;
};

/// Absent with fewer than two lanes of known, different ranks, or where nobody waits.
[[nodiscard]] std::optional<UnevenRanks> unevenRanks(const Analysis& analysis,
                                                     const std::vector<JudgedLane>& lanes);

}  // namespace roofscope::program
