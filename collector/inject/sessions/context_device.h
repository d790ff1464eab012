// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"

namespace roofscope::inject {

/// The GPU that a context is on; absent if the driver does not say.
[[nodiscard]] std::optional<CUdevice> deviceOf(const DriverApi& driver, CUcontext handle);
/// What driver and CUPTI report about a GPU; without peaks.
[[nodiscard]] Device deviceFacts(const CuptiApi& cupti, const DriverApi& driver, CUdevice device);

}  // namespace roofscope::inject
