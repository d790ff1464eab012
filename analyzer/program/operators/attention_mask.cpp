// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/attention_mask.h"

#include <algorithm>

#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {

bool masksSamples(const Profile& profile) {
    constexpr std::size_t kMask = 3, kDimensions = 4;  // after query, key and value
    return std::ranges::any_of(profile.callSites, [](const CallSite& site) {
        if (site.op.find("attention") == site.op.npos) return false;
        const auto sizes = parseSizes(site.sizes);
        if (!sizes || sizes->size() <= kMask) return false;
        const auto &query = sizes->front(), &mask = (*sizes)[kMask];
        return query.size() == kDimensions && mask.size() == kDimensions && mask[0] > 1 &&
               mask[0] == query[0] && mask[3] > 1;
    });
}

}  // namespace roofscope::program
