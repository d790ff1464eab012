// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "collector/run/doctor.h"

namespace roofscope {

/// The checks that load the driver and CUPTI into this process; `report` gets each as it is done.
/// May crash with a broken driver: run it in a child process.
void runGpuChecks(const std::function<void(const Check&)>& report);

}  // namespace roofscope
