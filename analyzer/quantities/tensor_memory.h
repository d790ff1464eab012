// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// How a kernel uses Blackwell's tensor cores (tcgen05) and their memory (counter group `tmem`);
/// per launch (mean). CUPTI's descriptions are the source of each meaning; no GPU with these units
/// was at hand.
struct TensorMemoryUse {
    double instructions = 0;  ///< warp instructions of tcgen05: products, copies, shifts, barriers
    double ofPairs = 0;       ///< of them, those of a pair of blocks (cta_group::2)
    Derived<Ratio> active;    ///< share of cycles in which tensor memory is active
    Derived<double> reads, loads, accumulators;       ///< reads: all, by tcgen05.ld, of matrix C
    Derived<double> writes, stores, copies, results;  ///< writes: all, by st, by cp, by products
    /// Wavefronts of shared memory that bring operands of products.
    Derived<double> operandsA, operandsB;
};

/// Nothing without the counters.
[[nodiscard]] std::optional<TensorMemoryUse> tensorMemoryUse(const Profile& profile,
                                                             const LaunchGroup& group);

}  // namespace roofscope
