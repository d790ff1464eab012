// SPDX-License-Identifier: Apache-2.0
//
// GELU as a chain of elementwise launches. (gelu.h says what the operator computes.)
//
// What this rung does: what an array library does if nothing fuses the formula: eight launches, one
// per operation (pow, mul, add, mul, tanh, add, mul, mul), with two intermediate arrays. Each
// launch by itself is as fast as possible: 16-byte accesses, near the DRAM roof.
//
// The fault: an unfused chain. Every operation reads its operands from DRAM and writes its result
// back: 18 arrays cross DRAM instead of 2.
//
// Where it shows: consecutive memory-bound launches, each reading what the previous one wrote; time
// per element many times that of `fused_vec4`.
#include "kernels/gelu/elementwise.cuh"

namespace roofscope::kernels {
namespace gelu {
namespace {

struct Cube {
    __device__ float operator()(float x) const { return x * x * x; }
};
struct Multiply {
    float factor;
    __device__ float operator()(float x) const { return factor * x; }
    __device__ float operator()(float x, float y) const { return x * y; }
};
struct Add {
    float term;
    __device__ float operator()(float x) const { return x + term; }
    __device__ float operator()(float x, float y) const { return x + y; }
};
struct Tanh {
    __device__ float operator()(float x) const { return tanhf(x); }
};

template <class Operation>
__global__ void __launch_bounds__(kThreads)
    geluUnfusedUnary(const float* __restrict__ a, float* __restrict__ out, std::size_t n,
                     Operation operation) {
    mapQuads(a, out, n, operation);
}

template <class Operation>
__global__ void __launch_bounds__(kThreads)
    geluUnfusedBinary(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ out, std::size_t n, Operation operation) {
    zipQuads(a, b, out, n, operation);
}

void launch(const GeluArguments& g, Stream stream) {
    const auto n = static_cast<std::size_t>(g.n);
    const unsigned blocks = quadBlocks(g.n);
    float *const s = g.scratch[0], *const t = g.scratch[1];
    const auto unary = [&](const float* a, float* out, auto operation) {
        geluUnfusedUnary<<<blocks, kThreads, 0, stream>>>(a, out, n, operation);
        requireLaunched("gelu/unfused");
    };
    const auto binary = [&](const float* a, const float* b, float* out, auto operation) {
        geluUnfusedBinary<<<blocks, kThreads, 0, stream>>>(a, b, out, n, operation);
        requireLaunched("gelu/unfused");
    };
    unary(g.x, s, Cube{});
    unary(s, t, Multiply{kCubic});
    binary(g.x, t, s, Add{});
    unary(s, t, Multiply{kSqrtTwoOverPi});
    unary(t, s, Tanh{});
    unary(s, t, Add{1.0F});
    unary(g.x, s, Multiply{0.5F});
    binary(s, t, g.out, Multiply{});
}

}  // namespace
}  // namespace gelu

namespace rungs {
extern const Rung gelu_unfused;
const Rung gelu_unfused{
    .family = "gelu",
    .name = "unfused",
    .order = 1,
    .summary = "eight launches, one per operation: every intermediate goes through DRAM",
    .fault = "unfused-chain",
    .cases = gelu::geluCases,
    .verifyCases = gelu::geluVerifyCases,
    .refusal = gelu::geluRefusal,
    .make = gelu::makeGelu<gelu::launch, false, 2>,
    .expect = gelu::expectElementwiseChain,
};
}  // namespace rungs
}  // namespace roofscope::kernels
