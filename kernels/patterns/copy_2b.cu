// SPDX-License-Identifier: Apache-2.0
//
// A copy, 2 bytes per thread and access.
//
// What this rung does: thread i copies element i of type ushort1 (2 bytes). Consecutive threads
// touch consecutive elements, so that each warp covers 64 consecutive bytes.
//
// The fault: narrow accesses. They are fully coalesced, but each instruction moves so little that
// the DRAM is not kept busy.
//
// Where it shows: bytes = 32 × sectors for whole sectors, all accesses in one width counter
// (smsp__sass_inst_executed_op_memory_{8,16,32,64,128}b), DRAM well below its roof.
#include "kernels/patterns/copy.cuh"

namespace roofscope::kernels::rungs {
extern const Rung patterns_copy_2b;
const Rung patterns_copy_2b = patterns::copyRung<ushort1>(
    "copy_2b", 2, "copy, 2 bytes per access: narrow", "global-narrow-access");
}  // namespace roofscope::kernels::rungs
