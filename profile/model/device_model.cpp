// SPDX-License-Identifier: Apache-2.0
#include "profile/model/device_model.h"

#include <tuple>

namespace roofscope {

bool sameModel(const Device& a, const Device& b) {
    const auto hertz = [](const std::optional<Hertz>& v) { return v ? v->value : -1; };
    const auto tie = [](const Device& d) {
        return std::tie(d.name, d.chip, d.computeMajor, d.computeMinor, d.smCount, d.warpSize,
                        d.maxThreadsPerSm, d.maxThreadsPerBlock, d.maxBlocksPerSm, d.registersPerSm,
                        d.sharedPerSmBytes, d.sharedPerBlockOptinBytes,
                        d.sharedReservedPerBlockBytes, d.l2Bytes, d.memoryBytes, d.peaks);
    };
    return tie(a) == tie(b) && hertz(a.smClockMax) == hertz(b.smClockMax) &&
           hertz(a.memoryClockMax) == hertz(b.memoryClockMax);
}

bool maybeSameGpu(const Device& a, const Device& b) {
    return sameModel(a, b) && (a.uuid == b.uuid || a.uuid.empty() || b.uuid.empty());
}

}  // namespace roofscope
