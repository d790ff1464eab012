// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, with coalesced accesses. (decode_step.h says what the
// operator computes.)
//
// What this rung does: one block of 256 threads per (batch, head). The threads walk the D × E tile
// in memory order, so that each warp's load and store covers 128 consecutive bytes. The tile is
// kept in shared memory, and afterwards thread e sums column e.
//
// The fault: accesses are 4 bytes wide and each thread has one load in flight in the loop, so that
// too few bytes are in flight to keep the DRAM busy.
//
// Where it shows: bytes = 32 × sectors (fully coalesced), smsp__sass_inst_executed_op_memory_32b
// holds all accesses, and DRAM throughput stays well below the roof.
#include "kernels/lightning_attention_decode/dispatch.cuh"

namespace roofscope::kernels {
namespace lightning {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads)
    lightningDecodeCoalesced(const T* __restrict__ q, const T* __restrict__ k,
                             const T* __restrict__ v, const float* __restrict__ pastKv,
                             const float* __restrict__ slope, float* __restrict__ newKv,
                             T* __restrict__ out, int heads, int keyWidth, int valueWidth) {
    extern __shared__ float tile[];  // D × E, then q, k and v
    const std::size_t matrix = blockIdx.x;
    const int D = keyWidth, E = valueWidth;
    float* const sharedQ = tile + D * E;
    float* const sharedK = sharedQ + D;
    float* const sharedV = sharedK + D;

    const int thread = threadIdx.x;
    if (thread < D) {
        sharedQ[thread] = toFloat(q[matrix * D + thread]);
        sharedK[thread] = toFloat(k[matrix * D + thread]);
    }
    if (thread < E) sharedV[thread] = toFloat(v[matrix * E + thread]);
    __syncthreads();

    pastKv += matrix * D * E;
    newKv += matrix * D * E;
    if (thread < D * E) {
        const float decay = expf(-slope[blockIdx.x % heads]);
        // Row and column are updated, because a division per element would cost more than the load.
        const int rowStep = kThreads / E, columnStep = kThreads % E;
        int d = thread / E, e = thread % E;
#pragma unroll 1
        for (int i = thread; i < D * E; i += kThreads) {
            const float value = fmaf(decay, pastKv[i], sharedK[d] * sharedV[e]);
            newKv[i] = value;
            tile[i] = value;
            d += rowStep;
            e += columnStep;
            if (e >= E) {
                e -= E;
                ++d;
            }
        }
    }
    __syncthreads();

    if (thread < E) {
        float sum = 0.0F;
        for (int row = 0; row < D; ++row) sum = fmaf(sharedQ[row], tile[row * E + thread], sum);
        out[matrix * E + thread] = fromFloat<T>(sum);
    }
}

void launch(const DecodeArguments& a, Stream stream) {
    const int D = a.keyWidth, E = a.valueWidth;
    const std::size_t shared = (D * E + 2 * D + E) * sizeof(float);
    withElementType(a, [&]<class T>(TypedArguments<T> t) {
        allowSharedMemory(lightningDecodeCoalesced<T>, shared);
        lightningDecodeCoalesced<<<a.matrices(), kThreads, shared, stream>>>(
            t.q, t.k, t.v, a.pastKv, a.slope, a.newKv, t.out, a.heads, D, E);
    });
    requireLaunched("lightning_attention_decode/coalesced");
}

AccessCounts tally(const BlockView& b) {
    const int D = b.keyWidth, E = b.valueWidth, s = b.elementBytes;
    BlockTally block(kThreads);
    const int q = D * E, k = q + D, v = k + D;  // words in shared memory
    const auto upTo = [](int limit, auto address) {
        return [=](int t) { return t < limit ? std::int64_t{address(t)} : kInactive; };
    };
    block.globalLoad(s, upTo(D, [&](int d) { return b.q + d * s; }));
    block.sharedStore(upTo(D, [&](int d) { return q + d; }));
    block.globalLoad(s, upTo(D, [&](int d) { return b.k + d * s; }));
    block.sharedStore(upTo(D, [&](int d) { return k + d; }));
    block.globalLoad(s, upTo(E, [&](int e) { return b.v + e * s; }));
    block.sharedStore(upTo(E, [&](int e) { return v + e; }));

    block.globalLoad(4, upTo(D * E, [&](int) { return b.slope; }));
    for (int first = 0; first < D * E; first += kThreads) {
        const int left = D * E - first;
        block.globalLoad(4, upTo(left, [&](int t) { return b.kv + (first + t) * 4; }));
        block.sharedLoad(upTo(left, [&](int t) { return k + (first + t) / E; }));
        block.sharedLoad(upTo(left, [&](int t) { return v + (first + t) % E; }));
        block.globalStore(4, upTo(left, [&](int t) { return b.kv + (first + t) * 4; }));
        block.sharedStore(upTo(left, [&](int t) { return first + t; }));
    }
    for (int d = 0; d < D; ++d) {
        block.sharedLoad(upTo(E, [&](int) { return q + d; }));
        block.sharedLoad(upTo(E, [&](int e) { return d * E + e; }));
    }
    block.globalStore(s, upTo(E, [&](int e) { return b.out + e * s; }));
    return block.counts();
}

std::vector<Expectation> expect(const Case& c) {
    return expectDecode(c, tally,
                        {.globalLoadBytes = "B·H·(4·D·E + (2·D + E)·s + 32)",
                         .globalStoreBytes = "B·H·(4·D·E + E·s)",
                         .globalLoadSectors = "B·H·(D·E/8 + (2·D + E)·s/32 + 8)",
                         .globalStoreSectors = "B·H·(D·E/8 + E·s/32)",
                         .sharedLoadWavefronts = "B·H·(D·E/16 + 2·W(E)·D)",
                         .sharedStoreWavefronts = "B·H·(D·E/32 + 2·W(D) + W(E))",
                         .streams = true,
                         .operations = 2,
                         .threads = kThreads});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_coalesced;
const Rung lightning_attention_decode_coalesced{
    .family = "lightning_attention_decode",
    .name = "coalesced",
    .order = 4,
    .summary = "coalesced 4-byte accesses, but only one load in flight per thread",
    .fault = "global-narrow-access",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::decodeRefusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
