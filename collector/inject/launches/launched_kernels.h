// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "collector/inject/launches/launch_request.h"

namespace roofscope::inject {

/// What a launch call runs.
struct LaunchedKernels {
    std::span<const LaunchRequest> kernels;
    bool fromGraph = false;
    bool ordered = true;    ///< they run in this order
    bool complete = true;   ///< nothing else runs
    bool countable = true;  ///< false: of a graph that was created before counters were on

    /// Whether this is a graph with a kernel that is launched in thread-block clusters. Such graphs
    /// must not run while counters are read: CUPTI ends the program (an illegal instruction in
    /// cuBLAS's kernels for Hopper; CUDA 13.0).
    [[nodiscard]] bool hasClustersInGraph() const {
        return fromGraph && std::ranges::any_of(kernels, [](const LaunchRequest& kernel) {
                   return kernel.cluster && kernel.cluster->total() > 1;
               });
    }
};

}  // namespace roofscope::inject
