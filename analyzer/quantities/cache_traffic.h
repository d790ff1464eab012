// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

/// What the caches did, in addition to Quantities: hit rates, and traffic of the L2 by direction.
namespace roofscope {

/// Per launch (mean). Values from counter groups other than the default one are missing without
/// them.
struct CacheTraffic {
    Derived<Bytes> l2Read, l2Write;                 ///< between L1 and L2, as in Quantities::bytes
    Derived<double> l2ReadSectors, l2WriteSectors;  ///< looked up in the L2, for any unit
    Derived<Bytes> bulkRead, bulkWrite;  ///< bulk copies (TMA) between L2 and shared memory
    /// Sectors found / sectors looked up; over launches, weighted by sectors.
    Derived<Ratio> l1HitRate, l1LoadHitRate, l1StoreHitRate, l2HitRate;
};

/// `chip` is null if the chip is unknown; what needs its table is then missing.
[[nodiscard]] CacheTraffic cacheTraffic(const Profile& profile, const LaunchGroup& group,
                                        const ChipTable* chip);

}  // namespace roofscope
