// SPDX-License-Identifier: Apache-2.0
//
// A matrix product with tiles in shared memory. (matmul.h says what the operator computes.)
//
// What this rung does: a block computes 32 × 32 elements of C, one per thread. It walks along K in
// steps of 32. In each step it loads 32 × 32 tiles of A and B, coalesced, and each thread adds 32
// products from shared memory. bf16 is converted to fp32 when it is put into the tiles. Rows of A's
// tile are padded by a word, the usual remedy for conflicts. There would be none here, but the
// padding keeps the compiler from merging four reads into one.
//
// The fault: every multiply-add reads two 4-byte words from shared memory. An SM can issue four
// warps' multiply-adds per cycle but serves one wavefront, so the shared-memory pipe is always busy
// while the FP32 pipe idles for seven of eight cycles. No conflicts, no strided access: the remedy
// is to use each word that is read more often, as register_tiled_vec4 does.
//
// Where it shows: sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld = 2 per 32
// multiply-adds.
#include "kernels/counters.h"
#include "kernels/matmul/matmul_device.cuh"

namespace roofscope::kernels {
namespace matmul {
namespace {

constexpr int kTile = 32;

template <class T>
__global__ void __launch_bounds__(kTile* kTile)
    matmulTiledShared(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m,
                      int n, int k) {
    __shared__ float aTile[kTile][kTile + 1], bTile[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = static_cast<int>(blockIdx.y) * kTile + y;
    const int column = static_cast<int>(blockIdx.x) * kTile + x;
    float sum = 0.0F;
    for (int start = 0; start < k; start += kTile) {
        const bool inA = row < m && start + x < k, inB = start + y < k && column < n;
        aTile[y][x] = inA ? toFloat(a[static_cast<std::size_t>(row) * k + start + x]) : 0.0F;
        bTile[y][x] = inB ? toFloat(b[static_cast<std::size_t>(start + y) * n + column]) : 0.0F;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile; ++i) sum = fmaf(aTile[y][i], bTile[i][x], sum);
        __syncthreads();
    }
    if (row < m && column < n) c[static_cast<std::size_t>(row) * n + column] = fromFloat<T>(sum);
}

void launch(const MatmulArguments& m, Stream stream) {
    const dim3 grid(static_cast<unsigned>(piecesOf(m.n, kTile)),
                    static_cast<unsigned>(piecesOf(m.m, kTile)));
    withElementType(m, [&](auto* a, auto* b, auto* c) {
        matmulTiledShared<<<grid, dim3(kTile, kTile), 0, stream>>>(a, b, c, m.m, m.n, m.k);
    });
    requireLaunched("matmul/tiled_shared");
}

std::vector<Expectation> expect(const Case& c) {
    const Extents e(c);
    const std::int64_t s = e.elementBytes;
    const auto across = static_cast<double>(piecesOf(e.n, kTile));
    const auto down = static_cast<double>(piecesOf(e.m, kTile));
    // Warps (one row of a tile each) × tiles along K; partial tiles compute zeros.
    const double steps = across * down * kTile * static_cast<double>(piecesOf(e.k, kTile));
    const auto aBytes = static_cast<double>(e.m * e.k * s);
    const auto bBytes = static_cast<double>(e.k * e.n * s);
    return {
        {counter::kFp32Fma, steps * kTile * kTile, 0, "32768·⌈M/32⌉·⌈N/32⌉·⌈K/32⌉"},
        {counter::kFp32Add, 0, 0, "none"},
        {counter::kGlobalLoadBytes, aBytes * across + bBytes * down, 0,
         "s·(M·K·⌈N/32⌉ + K·N·⌈M/32⌉)"},
        {counter::kGlobalLoadSectors,
         rowPieceSectors(e.m, e.k, kTile, s) * across + rowPieceSectors(e.k, e.n, kTile, s) * down,
         0, "sectors of 32 neighbours in a row; s/32·(M·K·⌈N/32⌉ + K·N·⌈M/32⌉) when aligned"},
        {counter::kGlobalStoreBytes, static_cast<double>(e.m * e.n * s), 0, "M·N·s"},
        {counter::kGlobalStoreSectors, rowPieceSectors(e.m, e.n, kTile, s), 0,
         "sectors of 32 neighbours in a row; M·N·s/32 when aligned"},
        {counter::kSharedLoads, 2 * kTile * steps, 0, "2048·⌈M/32⌉·⌈N/32⌉·⌈K/32⌉"},
        {counter::kSharedLoadWavefronts, 2 * kTile * steps, 0,
         "1 per load: one word for all lanes, or one word per bank"},
        {counter::kSharedStores, 2 * steps, 0, "64·⌈M/32⌉·⌈N/32⌉·⌈K/32⌉"},
        {counter::kSharedStoreWavefronts, 2 * steps, 0, "1 per store"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"}};
}

}  // namespace
}  // namespace matmul

namespace rungs {
extern const Rung matmul_tiled_shared;
const Rung matmul_tiled_shared{
    .family = "matmul",
    .name = "tiled_shared",
    .order = 2,
    .summary =
        "32 × 32 tiles, two 4-byte shared-memory reads per multiply-add: bound by shared memory",
    .fault = "shared-operands",
    .cases = matmul::matmulCases,
    .verifyCases = matmul::matmulVerifyCases,
    .refusal = matmul::matmulRefusal,
    .make = matmul::makeMatmul<matmul::launch>,
    .expect = matmul::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
