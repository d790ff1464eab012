// SPDX-License-Identifier: Apache-2.0
//
// Softmax as a chain of launches. (softmax.h says what the operator computes.)
//
// What this rung does: what an array library does if nothing fuses the formula: row maxima,
// subtraction, exponential, row sums, division. Five launches with two intermediate arrays, each
// coalesced and with wide accesses, a block per row.
//
// The fault: an unfused chain. 8 arrays cross DRAM instead of 2, and x is read twice.
//
// Where it shows: consecutive memory-bound launches, each reading what the previous one wrote; time
// several times that of `online_vec4`.
#include "kernels/counters.h"
#include "kernels/softmax/row_on_chip.cuh"

namespace roofscope::kernels {
namespace softmax {
namespace {

constexpr int kThreads = 256;

struct Subtract {
    static constexpr bool kPerRow = true;
    __device__ float operator()(float value, float ofRow) const { return value - ofRow; }
};
struct Exponential {
    static constexpr bool kPerRow = false;
    __device__ float operator()(float value, float) const { return __expf(value); }
};
struct Divide {
    static constexpr bool kPerRow = true;
    __device__ float operator()(float value, float ofRow) const { return value / ofRow; }
};

/// One value per row: reduces its elements with `f`.
template <int Width, class Function>
__global__ void __launch_bounds__(kThreads)
    softmaxUnfusedReduce(const float* __restrict__ in, float* __restrict__ perRow, int columns,
                         float neutral, Function f) {
    __shared__ float perWarp[kThreads / kWarp];
    in += std::size_t{blockIdx.x} * columns;
    float result = neutral;
#pragma unroll 4
    for (int column = threadIdx.x * Width; column < columns; column += kThreads * Width) {
        if constexpr (Width == 4) {
            const float4 quad = *reinterpret_cast<const float4*>(in + column);
            result = f(result, f(f(quad.x, quad.y), f(quad.z, quad.w)));
        } else {
            result = f(result, in[column]);
        }
    }
    result = reduceBlock<kThreads>(result, neutral, perWarp, f);
    if (threadIdx.x == 0) perRow[blockIdx.x] = result;
}

/// out = f(in, value of the row), elementwise.
template <int Width, class Function>
__global__ void __launch_bounds__(kThreads)
    softmaxUnfusedMap(const float* __restrict__ in, const float* __restrict__ perRow,
                      float* __restrict__ out, int columns, Function f) {
    const std::size_t start = std::size_t{blockIdx.x} * columns;
    const float ofRow = Function::kPerRow ? perRow[blockIdx.x] : 0.0F;
#pragma unroll 4
    for (int column = threadIdx.x * Width; column < columns; column += kThreads * Width) {
        if constexpr (Width == 4) {
            const float4 quad = *reinterpret_cast<const float4*>(in + start + column);
            *reinterpret_cast<float4*>(out + start + column) =
                make_float4(f(quad.x, ofRow), f(quad.y, ofRow), f(quad.z, ofRow), f(quad.w, ofRow));
        } else {
            out[start + column] = f(in[start + column], ofRow);
        }
    }
}

template <int Width>
void launchChain(const SoftmaxArguments& a, Stream stream) {
    const auto blocks = static_cast<unsigned>(a.rows);
    const auto reduce = [&](const float* in, float* perRow, float neutral, auto f) {
        softmaxUnfusedReduce<Width>
            <<<blocks, kThreads, 0, stream>>>(in, perRow, a.columns, neutral, f);
        requireLaunched("softmax/unfused");
    };
    const auto map = [&](const float* in, const float* perRow, float* out, auto f) {
        softmaxUnfusedMap<Width><<<blocks, kThreads, 0, stream>>>(in, perRow, out, a.columns, f);
        requireLaunched("softmax/unfused");
    };
    float *const most = a.rowScratch[0], *const sum = a.rowScratch[1];
    reduce(a.x, most, kNothing, Larger{});
    map(a.x, most, a.scratch[0], Subtract{});
    map(a.scratch[0], nullptr, a.scratch[1], Exponential{});
    reduce(a.scratch[1], sum, 0.0F, Sum{});
    map(a.scratch[1], sum, a.out, Divide{});
}

void launch(const SoftmaxArguments& a, Stream stream) {
    rowsAreWide(a.columns) ? launchChain<4>(a, stream) : launchChain<1>(a, stream);
}

/// Reductions and maps have little in common; this holds for all five launches.
std::vector<Expectation> expect(const Case&) {
    return {{counter::kLocalBytes, 0, 0, "no spills, no local arrays, every launch of the chain"}};
}

}  // namespace
}  // namespace softmax

namespace rungs {
extern const Rung softmax_unfused;
const Rung softmax_unfused{
    .family = "softmax",
    .name = "unfused",
    .order = 1,
    .summary = "separate launches for maximum, subtraction, exponential, sum and division",
    .fault = "unfused-chain",
    .cases = softmax::softmaxCases,
    .verifyCases = softmax::softmaxVerifyCases,
    .refusal = softmax::softmaxRefusal,
    .make = softmax::makeSoftmax<softmax::launch, true>,
    .expect = softmax::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
