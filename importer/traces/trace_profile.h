// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "importer/traces/trace_rows.h"
#include "profile/model/profile.h"

namespace roofscope::traces {

/// Makes a profile with a timeline from the rows of a trace, which must contain GPU work. Consumes
/// the rows. Sets everything except Capture::toolVersion.
[[nodiscard]] Profile profileOf(TraceRows& rows);

}  // namespace roofscope::traces
