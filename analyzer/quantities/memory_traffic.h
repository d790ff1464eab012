// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

/// What a picture of the memory hierarchy shows beyond Quantities: traffic of the L2 by direction,
/// and hit rates.
namespace roofscope {

/// Per launch (mean). What is measured by counter groups other than the default one is missing
/// without them.
struct MemoryTraffic {
    Derived<Bytes> l2Read, l2Write;                 ///< between L1 and L2, as in Quantities::bytes
    Derived<double> l2ReadSectors, l2WriteSectors;  ///< that the L2 looked up, for whomever
    Derived<Bytes> bulkRead, bulkWrite;  ///< bulk copies (TMA) between L2 and shared memory
    /// Sectors found / sectors looked up; over launches weighted with sectors.
    Derived<Ratio> l1HitRate, l1LoadHitRate, l1StoreHitRate, l2HitRate;
};

/// `chip` is null when the chip is unknown: what needs its table is then missing.
[[nodiscard]] MemoryTraffic memoryTraffic(const Profile& profile, const LaunchGroup& group,
                                          const ChipTable* chip);

/// The counter groups of a chip that hold counters (Derived::missing: names between commas), each
/// once, sorted; "default" alone when it holds them all. Names that no group has are left out.
[[nodiscard]] std::vector<std::string> groupsWith(const ChipTable& chip, std::string_view counters);

}  // namespace roofscope
