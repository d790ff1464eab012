// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gate/gate.h"

/// The checks of one kernel. Internal to gate/.
namespace roofscope::gate {

struct KernelInput {
    const Analysis& analysis;
    const KernelAnalysis& kernel;  ///< of `analysis`
    const Baseline& baseline;
    const BaselineKernel* from = nullptr;  ///< null: the baseline does not have it
    const Baseline& now;
    const BaselineKernel& to;  ///< what a new baseline would contain for `kernel`
    bool otherShape = false;   ///< matched by name and range only
};

[[nodiscard]] KernelGate judgeKernel(const KernelInput& input, const Demands& demands);

}  // namespace roofscope::gate
