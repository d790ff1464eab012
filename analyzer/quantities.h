// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/analysis.h"
#include "profile/chip.h"

namespace roofscope {

/// Everything derived from one launch group (docs/metrics.md). `chip` is null when the chip is
/// unknown: what needs its table is then missing.
[[nodiscard]] Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group,
                                          const ChipTable* chip,
                                          Convention convention = Convention::Roofscope);

}  // namespace roofscope
