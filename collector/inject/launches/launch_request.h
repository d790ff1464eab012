// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/cupti/driver_api.h"
#include "collector/inject/launches/launch_arguments.h"

namespace roofscope::inject {

/// One kernel launch as the program requests it from the driver.
struct LaunchRequest {
    CUfunction function = nullptr;  ///< a CUfunction, or a CUkernel cast to one
    /// Valid until the launch call returns; nullptr for graph nodes. Read it (even its length) only
    /// for a new kernel: it may have hundreds of characters that are in no cache.
    const char* symbol = nullptr;
    CUstream stream = nullptr;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    bool cooperative = false;     ///< its blocks may wait for each other
    LaunchParameters parameters;  ///< valid until the launch call returns; empty for graph nodes
};

}  // namespace roofscope::inject
