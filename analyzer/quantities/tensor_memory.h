// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// How a kernel uses Blackwell's tensor cores (tcgen05) and their memory (counter group `tmem`);
/// per launch (mean). The meanings are from CUPTI's descriptions; no GPU with these units was
/// available.
struct TensorMemoryUse {
    double instructions = 0;  ///< warp instructions of tcgen05: products, copies, shifts, barriers
    double ofPairs = 0;       ///< of these, those for a pair of blocks (cta_group::2)
    Derived<Ratio> active;    ///< share of cycles in which tensor memory is active
    Derived<double> reads, loads, accumulators;       ///< reads: all, by tcgen05.ld, of matrix C
    Derived<double> writes, stores, copies, results;  ///< writes: all, by st, by cp, by products
    /// Shared-memory wavefronts that fetch operands of products.
    Derived<double> operandsA, operandsB;
};

/// nullopt without the counters.
[[nodiscard]] std::optional<TensorMemoryUse> tensorMemoryUse(const Profile& profile,
                                                             const LaunchGroup& group);

}  // namespace roofscope
