// SPDX-License-Identifier: Apache-2.0
//
// A copy, 16 bytes per thread and access.
//
// What this rung does: thread i copies element i of type float4 (16 bytes). Consecutive threads
// touch consecutive elements, so that each warp covers 512 consecutive bytes.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, DRAM near its roof.
#include "kernels/patterns/copy.cuh"

namespace roofscope::kernels::rungs {
extern const Rung patterns_copy_16b;
const Rung patterns_copy_16b = patterns::copyRung<float4>(
    "copy_16b", 5, "copy, 16 bytes per access: the widest, near the DRAM roof", "");
}  // namespace roofscope::kernels::rungs
