// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/access_widths.h"

#include <algorithm>

namespace roofscope {

Derived<Ratio> globalNarrowShare(const std::array<double, 5>& byWidth, double globalLoads,
                                 double globalStores, double asyncCopies) {
    static const SharedText kHow =
        "(global ld + st − n64 − n128) / (global ld + st + asynchronous copies), at least 0";
    const double ordinary = globalLoads + globalStores;
    const double all = ordinary + asyncCopies;
    if (!(all > 0)) return Derived<Ratio>::none(kHow);
    const double narrow = byWidth[0] + byWidth[1] + byWidth[2];
    const double wide = byWidth[3] + byWidth[4];
    const double certain = std::min(ordinary - std::min(ordinary, wide), narrow);
    return Derived<Ratio>::of({certain / all}, kHow);
}

Derived<Ratio> globalNarrowFromLines(const LineSums& sums) {
    static const SharedText kHow =
        "inferred: 1 − (128-byte lines touched − global instructions) / global instructions; full "
        "warps, every lane at an address of its own";
    constexpr double kFullWarps = 0.99, kStored = 0.1, kLanes = 32;
    if (!(sums.instructions > 0)) return Derived<Ratio>::none(kHow);
    const double bytes = sums.loadBytes + sums.storeBytes;
    const bool full = sums.threadInstructions >= kFullWarps * kLanes * sums.warpInstructions;
    const bool stores = sums.storeBytes >= kStored * bytes;
    if (!full || !stores || !(sums.lines > 0))
        return Derived<Ratio>::absent("access widths (smsp__sass_inst_executed_op_memory_*b.sum)",
                                      kHow);
    const double extra = std::max(0.0, sums.lines - sums.instructions);
    return Derived<Ratio>::of({std::max(0.0, 1.0 - extra / sums.instructions)}, kHow);
}

double wideBytesFromLines(const LineSums& sums) {
    constexpr double kBytesPerExtraLine = 256.0;  // 8 bytes × 32 lanes in two lines
    return kBytesPerExtraLine * std::max(0.0, sums.lines - sums.instructions);
}

}  // namespace roofscope
