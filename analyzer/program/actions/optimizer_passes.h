// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/account/kernels_per_window.h"

namespace roofscope::program {

/// The step of PyTorch's Adam or AdamW as it runs by default on a GPU (`foreach`): one operation
/// after the other on all tensors, each reading and writing whole tensors.
struct OptimizerPasses : KernelsPerWindow {
    /// What one pass over all tensors (`fused=True`) would save, per window. An estimate: that pass
    /// reads the parameter, the gradient and two moments and writes all but the gradient, at the
    /// rate of the interpolation, which now reads two of these and writes one.
    Seconds gain;
};

/// Recognised by the operations that only this step combines: an interpolation, a square root, and
/// products and quotients of three tensors. Empty if one of these is missing, or without a gain.
[[nodiscard]] OptimizerPasses optimizerPasses(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
