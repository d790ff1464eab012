// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/over_time/over_time_analysis.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// What a kernel did over its time: the curve, and what is certain about it.
[[nodiscard]] json_parts::Json overTimeObject(const Profile& profile, const OverTimeAnalysis& life);

}  // namespace roofscope
