// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/cupti/driver_api.h"
#include "collector/inject/launches/launch_request.h"

namespace roofscope::inject {

/// Launch calls accept a CUkernel instead of a CUfunction; attribute queries need the real
/// CUfunction.
[[nodiscard]] CUfunction realFunction(const DriverApi& driver, CUfunction function);
/// Name, registers, shared and local memory of a kernel.
[[nodiscard]] Kernel kernelFacts(const DriverApi& driver, const LaunchRequest& request);
/// Blocks per SM by the driver's own occupancy calculator.
[[nodiscard]] std::optional<std::uint32_t> residentBlocks(const DriverApi& driver,
                                                          const LaunchRequest& request);
/// The cluster shape that a kernel was compiled with, if any.
[[nodiscard]] std::optional<Dim3> compiledCluster(const DriverApi& driver, CUfunction function);

}  // namespace roofscope::inject
