// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// The object "program" of the JSON report (docs/reports.md); keys are only ever added. Null stands
/// for what the recording cannot say.
[[nodiscard]] json_parts::Json programObject(const Analysis& analysis, const Program& program,
                                             Language language);

/// The share of each class of time: 1 together. A class that was not recorded has none, what it may
/// have taken is in `idle_unknown`; null where no time passed.
[[nodiscard]] json_parts::Json sharesObject(const Account& account);

}  // namespace roofscope
