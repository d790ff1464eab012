// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Share of global accesses that is certainly at most 4 bytes wide, from sums over launches.
///
/// Widths (`byWidth`, 1 to 16 bytes per thread) count global, shared and local accesses together.
/// At worst every 8- and 16-byte access was global, so at least ld + st − n₆₄ − n₁₂₈ global loads
/// and stores were narrow. Asynchronous copies (LDGSTS) count as wide, because their width is not
/// known to be among the counted ones; they enlarge the denominator only. The bound is capped at
/// the number of narrow accesses of any kind.
[[nodiscard]] Derived<Ratio> globalNarrowShare(const std::array<double, 5>& byWidth,
                                               double globalLoads, double globalStores,
                                               double asyncCopies);

/// Sums over launches for the same without widths, from the 128-byte lines that accesses touch.
struct LineSums {
    double lines = 0;                      ///< of all global accesses, counted once per instruction
    double instructions = 0;               ///< global loads, stores and asynchronous copies
    double loadBytes = 0, storeBytes = 0;  ///< requested
    double threadInstructions = 0, warpInstructions = 0;
};

/// A full warp that moves 8 or 16 bytes per lane touches at least two lines, so at most lines −
/// instructions accesses were wide. There are two other explanations: inactive lanes, and lanes
/// that read the same address. Full warps (99 % of the lanes) exclude the first. The second is
/// excluded if stores, in which every lane has an address of its own, carry a tenth of the bytes.
/// Absent otherwise. An inference, not a certainty: `how` says so.
[[nodiscard]] Derived<Ratio> globalNarrowFromLines(const LineSums& sums);
/// Upper bound of the bytes moved 8 or 16 at a time: 256 for each line beyond the first.
[[nodiscard]] double wideBytesFromLines(const LineSums& sums);

}  // namespace roofscope
