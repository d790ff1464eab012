// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/attention_mask.h"

#include <algorithm>

#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {

namespace {

bool masksSamples(const CallSite& site) {
    constexpr std::size_t kMask = 3, kDimensions = 4;  // after query, key and value
    // Operators of the backward pass have other operands in front.
    if (site.op.find("attention_forward") == site.op.npos) return false;
    const auto sizes = parseSizes(site.sizes);
    if (!sizes || sizes->size() <= kMask) return false;
    const auto &query = sizes->front(), &mask = (*sizes)[kMask];
    return query.size() == kDimensions && mask.size() == kDimensions && mask[0] > 1 &&
           mask[0] == query[0] && mask[3] > 1;
}

}  // namespace

bool masksSamples(const Analysis& analysis, std::span<const std::uint32_t> kernels) {
    return std::ranges::any_of(analysis.profile->callSites, [&](const CallSite& site) {
        return masksSamples(site) && std::ranges::any_of(kernels, [&](std::uint32_t k) {
                   return analysis.kernels[k].group.kernel == site.kernel;
               });
    });
}

}  // namespace roofscope::program
