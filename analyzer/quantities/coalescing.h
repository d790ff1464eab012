// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Size of a memory sector, the unit in which L1 and L2 move global memory (CC 3.0 and later).
inline constexpr double kSectorBytes = 32.0;

/// Coalescing estimate from sums over launches; the result is per launch.
///
/// `requested` bytes are deduplicated within a warp instruction, so a warp-uniform load shows an
/// efficiency of 0.125 although nothing is wrong. Only sectors beyond requested/32 + requests are
/// certainly too many, because an instruction needs at most ⌈its bytes/32⌉ sectors, which is less
/// than its bytes/32 + 1.
[[nodiscard]] CoalescingEstimate estimateCoalescing(double requestedBytes, double sectors,
                                                    double requests, double launches = 1);

/// Bytes per launch that the L2 returned to loads: what was counted, less what stores sent. Absent
/// if one of the two is missing.
[[nodiscard]] std::optional<double> returnedToLoads(const Quantities& quantities);

/// Whether at least half of the sectors are certainly too many; false if that is not known.
[[nodiscard]] bool isMostlyExcess(const CoalescingEstimate& accesses);

}  // namespace roofscope
