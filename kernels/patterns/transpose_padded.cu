// SPDX-License-Identifier: Apache-2.0
//
// The transpose of an n × n fp32 matrix through a padded 32 × 33 tile.
//
// What this rung does: the same as `transpose_unpadded` with one word of padding per row. The words
// of a column are 33 apart and fall on 32 different banks.
//
// The fault: no bank conflicts any more; what remains are 4-byte accesses with four loads in flight
// per thread.
//
// Where it shows: shared wavefronts equal shared instructions.
#include "kernels/patterns/transpose.cuh"

namespace roofscope::kernels::rungs {
extern const Rung patterns_transpose_padded;
const Rung patterns_transpose_padded = patterns::transposeRung<1>(
    "transpose_padded", 8, "transpose through a padded tile: no bank conflicts", "");
}  // namespace roofscope::kernels::rungs
