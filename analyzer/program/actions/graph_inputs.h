// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/account/kernels_per_window.h"

namespace roofscope::program {

/// Copies of inputs into the buffers that torch.compile's CUDA graphs read from. An input that is
/// declared to keep its address is read where it is.
///
/// Only what is certain: `torch._foreach_copy_`, launched outside of a graph and directly followed,
/// in its stream, by a graph that begins with a kernel of Inductor, from the same line of the
/// program as that kernel. Other copies of this kind (of averaged weights, of gathered shards) do
/// not count, nor do copies from unknown lines. Empty without any.
[[nodiscard]] KernelsPerWindow graphInputs(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
