// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "analyzer/analysis.h"

namespace roofscope {

/// Share of global accesses that is certainly at most 4 bytes wide, from sums over launches.
///
/// Widths (`byWidth`, 1 to 16 bytes per thread) count global, shared and local accesses together.
/// At worst every 8- and 16-byte access was global, so at least ld + st − n₆₄ − n₁₂₈ global loads
/// and stores were narrow. Asynchronous copies (LDGSTS) count as wide, because their width is not
/// known to be among the counted ones; they enlarge the denominator only. A bound above the number
/// of narrow accesses of any kind cannot be and is cut to it.
[[nodiscard]] Derived<Ratio> globalNarrowShare(const std::array<double, 5>& byWidth,
                                               double globalLoads, double globalStores,
                                               double asyncCopies);

}  // namespace roofscope
