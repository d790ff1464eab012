// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/doctor/limited.h"

namespace roofscope::doctor {

/// Loads the driver and CUPTI into this process, starts and stops reading counters on every GPU,
/// and reports what they answered. May crash or hang with a broken driver: run it in runLimited().
void probeGpus(const Reporter& report);

}  // namespace roofscope::doctor
