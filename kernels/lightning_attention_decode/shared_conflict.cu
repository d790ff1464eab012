// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, with the tile in shared memory. (decode_step.h says what
// the operator computes.)
//
// What this rung does: one block of 128 threads per (batch, head). q, k, v and the new_kv tile are
// in shared memory, so that new_kv is not read back from global memory. As before, thread d has row
// d; thread 0 writes the output.
//
// The fault: the tile's rows are E words apart. With E = 96, a multiple of the 32 banks, the 32
// threads of a warp access 32 different words of one bank: each access takes 32 passes instead of
// 1. The global accesses are as strided as in `naive`.
//
// Where it shows: sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st} far above
// smsp__sass_inst_executed_op_shared_{ld,st}, and a busy shared-memory pipe.
#include "kernels/lightning_attention_decode/dispatch.cuh"
#include "kernels/lightning_attention_decode/row_tile_tally.h"

namespace roofscope::kernels {
namespace lightning {
namespace {

constexpr int kThreads = kMaxWidth;

/// Row stride of the tile in words.
__host__ __device__ constexpr int rowStride(int valueWidth) { return valueWidth; }

template <class T>
__global__ void __launch_bounds__(kThreads)
    lightningDecodeSharedConflict(const T* __restrict__ q, const T* __restrict__ k,
                                  const T* __restrict__ v, const float* __restrict__ pastKv,
                                  const float* __restrict__ slope, float* __restrict__ newKv,
                                  T* __restrict__ out, int heads, int keyWidth, int valueWidth) {
    extern __shared__ float tile[];  // D rows, then q, k, v and the output
    const std::size_t matrix = blockIdx.x;
    const int D = keyWidth, E = valueWidth, stride = rowStride(valueWidth);
    float* const sharedQ = tile + D * stride;
    float* const sharedK = sharedQ + D;
    float* const sharedV = sharedK + D;
    float* const sharedOut = sharedV + E;

    const int thread = threadIdx.x;
    if (thread < D) {
        sharedQ[thread] = toFloat(q[matrix * D + thread]);
        sharedK[thread] = toFloat(k[matrix * D + thread]);
    }
    if (thread < E) sharedV[thread] = toFloat(v[matrix * E + thread]);
    __syncthreads();

    pastKv += matrix * D * E;
    newKv += matrix * D * E;
    if (thread < D) {
        const float decay = expf(-slope[blockIdx.x % heads]);
        const float key = sharedK[thread];
        for (int e = 0; e < E; ++e)
            tile[thread * stride + e] = fmaf(decay, pastKv[thread * E + e], key * sharedV[e]);
    }
    __syncthreads();

    if (thread < D)
        for (int e = 0; e < E; ++e) newKv[thread * E + e] = tile[thread * stride + e];
    if (thread < E) {
        float sum = 0.0F;
        for (int d = 0; d < D; ++d) sum = fmaf(sharedQ[d], tile[d * stride + thread], sum);
        sharedOut[thread] = sum;
    }
    __syncthreads();

    if (thread == 0)
        for (int e = 0; e < E; ++e) out[matrix * E + e] = fromFloat<T>(sharedOut[e]);
}

void launch(const DecodeArguments& a, Stream stream) {
    const int D = a.keyWidth, E = a.valueWidth;
    const std::size_t shared = (D * rowStride(E) + 2 * D + 2 * E) * sizeof(float);
    withElementType(a, [&]<class T>(TypedArguments<T> t) {
        allowSharedMemory(lightningDecodeSharedConflict<T>, shared);
        lightningDecodeSharedConflict<<<a.matrices(), kThreads, shared, stream>>>(
            t.q, t.k, t.v, a.pastKv, a.slope, a.newKv, t.out, a.heads, D, E);
    });
    requireLaunched("lightning_attention_decode/shared_conflict");
}

std::vector<Expectation> expect(const Case& c) {
    return expectDecode(
        c, [](const BlockView& b) { return tallyRowTile(b, rowStride(b.valueWidth), kThreads); },
        {.globalLoadBytes = "B·H·(4·D·E + (2·D + E)·s + 4·W(D))",
         .globalStoreBytes = "B·H·(4·D·E + E·s)",
         .globalLoadSectors = "B·H·(D·E + (2·D + E)·s/32 + W(D))",
         .globalStoreSectors = "B·H·(D·E + E), one sector per output element",
         .sharedLoadWavefronts =
             "B·H·(32·W(D)·E + W(D)·(E + 1) + 2·W(E)·D + E), 32 rows on one bank",
         .sharedStoreWavefronts = "B·H·(32·W(D)·E + 2·W(D) + 2·W(E)), 32 rows on one bank",
         .operations = 2,
         .threads = kThreads});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_shared_conflict;
const Rung lightning_attention_decode_shared_conflict{
    .family = "lightning_attention_decode",
    .name = "shared_conflict",
    .order = 2,
    .summary = "the tile in shared memory with rows E words apart: 32-way bank conflicts",
    .fault = "shared-bank-conflict",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::decodeRefusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
