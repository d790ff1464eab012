// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Sums that the bank-conflict estimate needs, over the same launches.
struct ConflictSums {
    double wavefronts = 0;    ///< ordinary operations, without tensor-core operands (gmma)
    double instructions = 0;  ///< shared-memory warp instructions of the class
    double bytes = 0;         ///< bytes requested by the class
    double width32 = 0, width64 = 0,
           width128 = 0;  ///< warp instructions, global and shared together
};

/// Bank-conflict estimate; the result is per launch.
///
/// A shared-memory wavefront moves at most 128 B and serves at most one instruction, so the ideal
/// is at least max(n, bytes/128). It is at most what the widest accesses could need: a 4-byte
/// access by a full warp takes 1 wavefront, an 8-byte one 2, a 16-byte one 4. Widths count global
/// and shared accesses together, so the largest n₃₂ + 2·n₆₄ + 4·n₁₂₈ over at most n instructions
/// bounds the ideal from above; the excess beyond it is certain.
[[nodiscard]] ConflictEstimate estimateConflicts(const ConflictSums& sums, double launches = 1);

/// The same if the ideal is known to lie between `low` and `high`; the texts tell where these come
/// from. `launches` divides sums.
struct ConflictBounds {
    double wavefronts = 0, instructions = 0, low = 0, high = 0;
    SharedText howLow = {}, howHigh = {};
};
[[nodiscard]] ConflictEstimate estimateConflictsWithin(const ConflictBounds& bounds,
                                                       double launches = 1);

}  // namespace roofscope
