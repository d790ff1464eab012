// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/doctor/probe_process.h"

namespace roofscope::doctor {

/// Loads the driver and CUPTI into this process, starts and stops reading counters on every GPU,
/// and reports what they answered. May crash or hang with a broken driver: run it in runProbe().
void probeGpus(const Reporter& report);

}  // namespace roofscope::doctor
