// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// The object "program" of the JSON report (docs/reports.md); keys are only ever added. Null means
/// that the recording cannot tell.
[[nodiscard]] json_parts::Json programObject(const Analysis& analysis, const Program& program,
                                             Language language);

/// The share of each class of time; they add up to 1. A class that was not recorded is null, and
/// its time is part of `idle_unknown`. The object is null if no time passed.
[[nodiscard]] json_parts::Json sharesObject(const Account& account);

}  // namespace roofscope
