// SPDX-License-Identifier: Apache-2.0
//
// Bias and GELU as two launches. (gelu.h says what the operator computes.)
//
// What this rung does: the first launch adds the bias, the second applies GELU; both with 16-byte
// accesses and near the DRAM roof.
//
// The fault: an unfused chain. The sum is written to DRAM and read back: 5 arrays cross DRAM
// instead of the 3 of `bias_fused`.
//
// Where it shows: two consecutive memory-bound launches; the second reads what the first wrote.
#include "kernels/gelu/elementwise.cuh"

namespace roofscope::kernels {
namespace gelu {
namespace {

__global__ void __launch_bounds__(kThreads)
    biasGeluUnfusedAdd(const float* __restrict__ x, const float* __restrict__ bias,
                       float* __restrict__ sum, std::size_t n) {
    zipQuads(x, bias, sum, n, [](float value, float term) { return value + term; });
}

__global__ void __launch_bounds__(kThreads)
    biasGeluUnfusedActivate(const float* __restrict__ sum, float* __restrict__ out, std::size_t n) {
    mapQuads(sum, out, n, [](float value) { return geluTanh(value); });
}

void launch(const GeluArguments& g, Stream stream) {
    const auto n = static_cast<std::size_t>(g.n);
    const unsigned blocks = quadBlocks(g.n);
    biasGeluUnfusedAdd<<<blocks, kThreads, 0, stream>>>(g.x, g.bias, g.scratch[0], n);
    requireLaunched("gelu/bias_unfused");
    biasGeluUnfusedActivate<<<blocks, kThreads, 0, stream>>>(g.scratch[0], g.out, n);
    requireLaunched("gelu/bias_unfused");
}

}  // namespace
}  // namespace gelu

namespace rungs {
extern const Rung gelu_bias_unfused;
const Rung gelu_bias_unfused{
    .family = "gelu",
    .name = "bias_unfused",
    .order = 4,
    .summary =
        "bias and activation in separate launches: 5 memory accesses per element instead of 3",
    .fault = "unfused-chain",
    .cases = gelu::geluCases,
    .verifyCases = gelu::geluVerifyCases,
    .refusal = gelu::geluRefusal,
    .make = gelu::makeGelu<gelu::launch, true, 1>,
    .expect = gelu::expectElementwiseChain,
};
}  // namespace rungs
}  // namespace roofscope::kernels
