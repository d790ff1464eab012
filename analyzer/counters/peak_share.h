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
/// Σ counter / Σ (peak per cycle × clock × duration of the counter run). A counter that CUPTI gives
/// as a share of its peak is that share, weighted with the duration. Bytes that DRAM read and wrote
/// share one peak. Not applicable to a counter without a known peak; absent where what is needed
/// was not measured.
[[nodiscard]] Derived<Ratio> peakShare(const Profile& profile, const ChipTable* chip,
                                       std::uint32_t device,
                                       std::span<const std::uint32_t> launches,
                                       std::string_view counter);

}  // namespace roofscope
