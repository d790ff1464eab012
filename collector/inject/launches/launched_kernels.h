// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "collector/inject/launches/kernel_facts.h"

namespace roofscope::inject {

/// What a launch call runs.
struct LaunchedKernels {
    std::span<const LaunchRequest> kernels;
    bool fromGraph = false;
    bool ordered = true;    ///< they run in this order
    bool complete = true;   ///< nothing else runs
    bool countable = true;  ///< false: of a graph that was created before counters were on
};

}  // namespace roofscope::inject
