// SPDX-License-Identifier: Apache-2.0
#include "reports/kernels/kernel_lookup.h"

namespace roofscope {

const Kernel& functionOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    static const Kernel kNone;
    const auto& kernels = analysis.profile->kernels;
    return kernel.group.kernel < kernels.size() ? kernels[kernel.group.kernel] : kNone;
}

const Device& deviceOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    static const Device kNone;
    const auto& devices = analysis.profile->devices;
    return kernel.group.device < devices.size() ? devices[kernel.group.device] : kNone;
}

}  // namespace roofscope
