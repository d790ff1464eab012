// SPDX-License-Identifier: Apache-2.0
//
// The transpose of an n × n fp32 matrix through an unpadded 32 × 32 tile.
//
// What this rung does: a block reads a tile row by row into shared memory and writes it column by
// column, so that both global accesses are coalesced.
//
// The fault: the words of a tile column are 32 apart, all on one bank: each load of a column takes
// 32 passes.
//
// Where it shows: sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld is 32 times
// smsp__sass_inst_executed_op_shared_ld, and the shared-memory pipe is the busiest resource.
#include "kernels/patterns/transpose.cuh"

namespace roofscope::kernels::rungs {
extern const Rung patterns_transpose_unpadded;
const Rung patterns_transpose_unpadded = patterns::transposeRung<0>(
    "transpose_unpadded", 7, "transpose through an unpadded tile: 32-way bank conflicts",
    "shared-bank-conflict");
}  // namespace roofscope::kernels::rungs
