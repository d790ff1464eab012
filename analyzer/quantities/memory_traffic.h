// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

/// What a picture of the memory hierarchy shows in addition to Quantities: traffic of the L2 by
/// direction, and hit rates.
namespace roofscope {

/// Per launch (mean). Values from counter groups other than the default one are missing without
/// them.
struct MemoryTraffic {
    Derived<Bytes> l2Read, l2Write;                 ///< between L1 and L2, as in Quantities::bytes
    Derived<double> l2ReadSectors, l2WriteSectors;  ///< looked up in the L2, for any unit
    Derived<Bytes> bulkRead, bulkWrite;  ///< bulk copies (TMA) between L2 and shared memory
    /// Sectors found / sectors looked up; over launches, weighted by sectors.
    Derived<Ratio> l1HitRate, l1LoadHitRate, l1StoreHitRate, l2HitRate;
};

/// `chip` is null if the chip is unknown; what needs its table is then missing.
[[nodiscard]] MemoryTraffic memoryTraffic(const Profile& profile, const LaunchGroup& group,
                                          const ChipTable* chip);

/// The counter groups of a chip that contain these counters (Derived::missing: names separated by
/// commas), each once, sorted; only "default" if it contains them all. Names that no group has are
/// left out.
[[nodiscard]] std::vector<std::string> groupsWith(const ChipTable& chip, std::string_view counters);

}  // namespace roofscope
