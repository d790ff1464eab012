// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// The object "program" of the JSON report (docs/reports.md); keys are only ever added. Null stands
/// for what the recording cannot say.
[[nodiscard]] json_parts::Json programObject(const Analysis& analysis, const Program& program,
                                             Language language);

/// The share of each class of time.
[[nodiscard]] json_parts::Json allSharesObject(const Account& account);

}  // namespace roofscope
