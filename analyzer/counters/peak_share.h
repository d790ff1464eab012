// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/model/derived.h"
#include "profile/chips/chip.h"
#include "profile/model/profile.h"

namespace roofscope {

/// How much of its own peak a counter reached over these launches of one device, 0 to 1:
/// Σ counter / Σ (peak per cycle × clock × duration of the counter run).
/// If CUPTI already gives the counter as a share of its peak, it is that share, weighted by
/// duration. DRAM reads and writes share one peak. Not applicable without a known peak; absent if a
/// needed counter was not measured.
[[nodiscard]] Derived<Ratio> peakShare(const Profile& profile, const ChipTable* chip,
                                       std::uint32_t device,
                                       std::span<const std::uint32_t> launches,
                                       std::string_view counter);

}  // namespace roofscope
