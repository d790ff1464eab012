// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/kernels_per_window.h"

namespace roofscope::program {

/// The step of PyTorch's Adam or AdamW as it runs by default on a GPU (`foreach`): one operation on
/// all tensors after the other, each of which reads and writes whole tensors.
struct OptimizerPasses : KernelsPerWindow {
    /// What one pass over all tensors (`fused=True`) would spare, per window. An estimate: that
    /// pass reads the parameter, the gradient and two moments and writes all but the gradient, at
    /// the rate of the interpolation that now reads two of these and writes one.
    Seconds gain;
};

/// Known by the operations of which only this step consists: an interpolation, a square root, and
/// products and quotients of three tensors. Empty without one of these, or without a gain.
[[nodiscard]] OptimizerPasses optimizerPasses(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
