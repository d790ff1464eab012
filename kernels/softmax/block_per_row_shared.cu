// SPDX-License-Identifier: Apache-2.0
//
// Softmax, a block per row, reduced in shared memory. (softmax.h says what the operator computes.)
//
// What this rung does: 1024 threads read the row three times: for the maximum, the sum and the
// result. Maximum and sum are computed by trees in shared memory, in which the active threads are
// neighbours and the words they access are twice as far apart after each step.
//
// The fault: shared bank conflicts. In step s words are 2s apart, so that a warp takes up to 32
// passes. Half the threads idle from the first step on; all wait at ten barriers per tree.
//
// Where it shows: sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st} several times the
// instructions, barrier stalls; 4-byte accesses and exp twice per element come on top.
#include "kernels/softmax/row_on_chip.cuh"

namespace roofscope::kernels {
namespace softmax {
namespace {

constexpr int kThreads = 1024;

template <class Function>
__device__ float reduceTree(float value, float (&tree)[kThreads], Function f) {
    tree[threadIdx.x] = value;
    __syncthreads();
    // Not unrolled: otherwise the first step would become an 8-byte access without conflicts.
#pragma unroll 1
    for (int step = 1; step < kThreads; step *= 2) {
        const int at = 2 * step * threadIdx.x;
        if (at < kThreads) tree[at] = f(tree[at], tree[at + step]);
        __syncthreads();
    }
    const float result = tree[0];
    __syncthreads();
    return result;
}

__global__ void __launch_bounds__(kThreads)
    softmaxBlockPerRowShared(const float* __restrict__ x, float* __restrict__ out, int columns) {
    __shared__ float tree[kThreads];
    x += std::size_t{blockIdx.x} * columns;
    out += std::size_t{blockIdx.x} * columns;

    float most = kNothing;
    for (int column = threadIdx.x; column < columns; column += kThreads)
        most = fmaxf(most, x[column]);
    most = reduceTree(most, tree, Larger{});

    float sum = 0.0F;
    for (int column = threadIdx.x; column < columns; column += kThreads)
        sum += __expf(x[column] - most);
    sum = reduceTree(sum, tree, Sum{});

    for (int column = threadIdx.x; column < columns; column += kThreads)
        out[column] = __expf(x[column] - most) / sum;
}

void launch(const SoftmaxArguments& a, Stream stream) {
    softmaxBlockPerRowShared<<<static_cast<unsigned>(a.rows), kThreads, 0, stream>>>(a.x, a.out,
                                                                                     a.columns);
    requireLaunched("softmax/block_per_row_shared");
}

AccessCounts tally(std::int64_t row, int columns) {
    BlockTally block(kThreads);
    const auto walk = [&](auto access) {
        for (int first = 0; first < columns; first += kThreads)
            access([=](int t) {
                return first + t < columns ? row + std::int64_t{first + t} * 4 : kInactive;
            });
    };
    const auto tree = [&] {
        block.sharedStore([](int t) { return std::int64_t{t}; });
        for (int step = 1; step < kThreads; step *= 2) {
            const auto word = [step](int offset) {
                return [=](int t) {
                    const std::int64_t at = std::int64_t{2} * step * t;
                    return at < kThreads ? at + offset : kInactive;
                };
            };
            block.sharedLoad(word(0));
            block.sharedLoad(word(step));
            block.sharedStore(word(0));
        }
        block.sharedLoad([](int) { return std::int64_t{0}; });
    };
    walk([&](auto address) { block.globalLoad(4, address); });
    tree();
    walk([&](auto address) { block.globalLoad(4, address); });
    tree();
    walk([&](auto address) {
        block.globalLoad(4, address);
        block.globalStore(4, address);
    });
    return block.counts();
}

std::vector<Expectation> expect(const Case& c) { return expectRows(c, tally, "3 · ", false); }

}  // namespace
}  // namespace softmax

namespace rungs {
extern const Rung softmax_block_per_row_shared;
const Rung softmax_block_per_row_shared{
    .family = "softmax",
    .name = "block_per_row_shared",
    .order = 2,
    .summary = "a block per row, reductions in shared memory with strided indices: bank conflicts",
    .fault = "shared-bank-conflict",
    .cases = softmax::softmaxCases,
    .verifyCases = softmax::softmaxVerifyCases,
    .refusal = softmax::softmaxRefusal,
    .make = softmax::makeSoftmax<softmax::launch>,
    .expect = softmax::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
