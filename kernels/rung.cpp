// SPDX-License-Identifier: Apache-2.0
#include "kernels/rung.h"

namespace roofscope::kernels {

std::string computeCapabilityText(int computeCapability) {
    return std::to_string(computeCapability / 10) + '.' + std::to_string(computeCapability % 10);
}

std::string skipReason(const Rung& rung, int computeCapability) {
    if (computeCapability >= rung.minComputeCapability) return {};
    return "needs compute capability " + computeCapabilityText(rung.minComputeCapability) +
           ", this GPU has " + computeCapabilityText(computeCapability);
}

}  // namespace roofscope::kernels
