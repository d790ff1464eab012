// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/over_time/over_time_analysis.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// A kernel's activity over its run time: the curve, and the conclusions from it.
[[nodiscard]] json_parts::Json overTimeObject(const Profile& profile, const OverTimeAnalysis& life);

}  // namespace roofscope
