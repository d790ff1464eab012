// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"
#include "analyzer/quantities/device_formulas.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// Everything derived from one launch group (docs/metrics.md); `formulas` are those of its device.
[[nodiscard]] Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group,
                                          const DeviceFormulas& formulas);
/// The same for a single group.
[[nodiscard]] Quantities deriveQuantities(const Profile& profile, const LaunchGroup& group,
                                          const ChipTable* chip,
                                          Convention convention = Convention::Roofscope);

}  // namespace roofscope
