// SPDX-License-Identifier: Apache-2.0
//
// A copy, 8 bytes per thread and access.
//
// What this rung does: thread i copies element i of type float2 (8 bytes). Consecutive threads
// touch consecutive elements, so that each warp covers 256 consecutive bytes.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, DRAM near its roof.
#include "kernels/patterns/copy.cuh"

namespace roofscope::kernels::rungs {
extern const Rung patterns_copy_8b;
const Rung patterns_copy_8b = patterns::copyRung<float2>(
    "copy_8b", 4, "copy, 8 bytes per access: wide enough for most GPUs", "");
}  // namespace roofscope::kernels::rungs
