// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "importer/traces/trace_rows.h"
#include "profile/model/profile.h"

namespace roofscope::traces {

/// Makes a profile with a timeline from what a trace says. `rows` must have GPU work; its rows are
/// used up. Sets everything but Capture::toolVersion.
[[nodiscard]] Profile profileOf(TraceRows& rows);

}  // namespace roofscope::traces
