// SPDX-License-Identifier: Apache-2.0
#include "analyzer/access_widths.h"

#include <algorithm>

namespace roofscope {

Derived<Ratio> globalNarrowShare(const std::array<double, 5>& byWidth, double globalLoads,
                                 double globalStores, double asyncCopies) {
    constexpr const char* kHow =
        "(global ld + st − n64 − n128) / (global ld + st + asynchronous copies), at least 0";
    const double ordinary = globalLoads + globalStores;
    const double all = ordinary + asyncCopies;
    if (!(all > 0)) return Derived<Ratio>::none(kHow);
    const double narrow = byWidth[0] + byWidth[1] + byWidth[2];
    const double wide = byWidth[3] + byWidth[4];
    const double certain = std::min(ordinary - std::min(ordinary, wide), narrow);
    return Derived<Ratio>::of({certain / all}, kHow);
}

}  // namespace roofscope
