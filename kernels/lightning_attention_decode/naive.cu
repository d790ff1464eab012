// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, the obvious first version. (decode_step.h says what the
// operator computes.)
//
// What this rung does: one block of 128 threads per (batch, head). Thread d computes row d of
// new_kv along e, directly from and to global memory. After a barrier thread e sums column e of
// new_kv, which it reads back from global memory.
//
// The fault: neighbouring threads access addresses that are E floats apart, so that a warp's load
// or store of 32 floats touches 32 sectors of 32 bytes instead of 4. Also, new_kv is written to
// global memory and read back.
//
// Where it shows: bytes requested / (32 × sectors) is near 1/8 in the row loop, for loads and for
// stores (smsp__sass_data_bytes_mem_global_op_{ld,st} against
// sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{ld,st}).
#include "kernels/lightning_attention_decode/dispatch.cuh"

namespace roofscope::kernels {
namespace lightning {
namespace {

constexpr int kThreads = kMaxWidth;

template <class T>
__global__ void __launch_bounds__(kThreads)
    lightningDecodeNaive(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v,
                         const float* __restrict__ pastKv, const float* __restrict__ slope,
                         float* __restrict__ newKv, T* __restrict__ out, int heads, int keyWidth,
                         int valueWidth) {
    const std::size_t matrix = blockIdx.x;  // batch · heads + head
    const int D = keyWidth, E = valueWidth;
    q += matrix * D;
    k += matrix * D;
    v += matrix * E;
    out += matrix * E;
    pastKv += matrix * D * E;
    newKv += matrix * D * E;

    const int d = threadIdx.x;
    if (d < D) {
        const float decay = expf(-slope[blockIdx.x % heads]);
        const float key = toFloat(k[d]);
        for (int e = 0; e < E; ++e)  // thread d at d·E + e: a warp spans 32 rows
            newKv[d * E + e] = fmaf(decay, pastKv[d * E + e], key * toFloat(v[e]));
    }
    __syncthreads();

    const int e = threadIdx.x;
    if (e < E) {
        float sum = 0.0F;
        for (int row = 0; row < D; ++row) sum = fmaf(toFloat(q[row]), newKv[row * E + e], sum);
        out[e] = fromFloat<T>(sum);
    }
}

void launch(const DecodeArguments& a, Stream stream) {
    withElementType(a, [&](auto t) {
        lightningDecodeNaive<<<a.matrices(), kThreads, 0, stream>>>(
            t.q, t.k, t.v, a.pastKv, a.slope, a.newKv, t.out, a.heads, a.keyWidth, a.valueWidth);
    });
    requireLaunched("lightning_attention_decode/naive");
}

AccessCounts tally(const BlockView& b) {
    const int D = b.keyWidth, E = b.valueWidth, s = b.elementBytes;
    BlockTally block(kThreads);
    const auto row = [&](std::int64_t address) {  // for the threads of the row loop
        return [=](int d) { return d < D ? address : kInactive; };
    };
    block.globalLoad(4, row(b.slope));
    block.globalLoad(s, [&](int d) { return d < D ? b.k + d * s : kInactive; });
    for (int e = 0; e < E; ++e) {
        const auto cell = [&](int d) { return d < D ? b.kv + (d * E + e) * 4 : kInactive; };
        block.globalLoad(4, cell);
        block.globalLoad(s, row(b.v + e * s));
        block.globalStore(4, cell);
    }
    for (int d = 0; d < D; ++d) {
        block.globalLoad(s, [&](int e) { return e < E ? b.q + d * s : kInactive; });
        block.globalLoad(4, [&](int e) { return e < E ? b.kv + (d * E + e) * 4 : kInactive; });
    }
    block.globalStore(s, [&](int e) { return e < E ? b.out + e * s : kInactive; });
    return block.counts();
}

std::vector<Expectation> expect(const Case& c) {
    return expectDecode(c, tally,
                        {.globalLoadBytes = "B·H·(8·D·E + D·s + W(D)·(E·s + 4) + W(E)·D·s)",
                         .globalStoreBytes = "B·H·(4·D·E + E·s)",
                         .globalLoadSectors = "B·H·(D·E + D·E/8 + D·s/32 + W(D)·(E + 1) + W(E)·D)",
                         .globalStoreSectors = "B·H·(D·E + E·s/32)",
                         .operations = 2,
                         .threads = kThreads});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_naive;
const Rung lightning_attention_decode_naive{
    .family = "lightning_attention_decode",
    .name = "naive",
    .order = 1,
    .summary = "a thread per row, directly in global memory: strided loads and stores",
    .fault = "global-uncoalesced",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::decodeRefusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
