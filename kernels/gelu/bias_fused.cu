// SPDX-License-Identifier: Apache-2.0
//
// Bias and GELU in one launch with 16-byte accesses. (gelu.h says what the operator computes.)
//
// What this rung does: each thread reads 16 bytes each of x and the bias, and writes 16 bytes. See
// zipQuads() in elementwise.cuh.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, twice as many read as written, DRAM near its roof.
#include "kernels/gelu/elementwise.cuh"

namespace roofscope::kernels {
namespace gelu {
namespace {

__global__ void __launch_bounds__(kThreads)
    biasGeluFused(const float* __restrict__ x, const float* __restrict__ bias,
                  float* __restrict__ out, std::size_t n) {
    zipQuads(x, bias, out, n, [](float value, float term) { return geluTanh(value + term); });
}

void launch(const GeluArguments& g, Stream stream) {
    biasGeluFused<<<quadBlocks(g.n), kThreads, 0, stream>>>(g.x, g.bias, g.out,
                                                            static_cast<std::size_t>(g.n));
    requireLaunched("gelu/bias_fused");
}

std::vector<Expectation> expect(const Case& c) { return expectElementwise(c, 2, 4); }

}  // namespace
}  // namespace gelu

namespace rungs {
extern const Rung gelu_bias_fused;
const Rung gelu_bias_fused{
    .family = "gelu",
    .name = "bias_fused",
    .order = 5,
    .summary = "bias and activation in one launch, 16-byte accesses: near the DRAM roof",
    .fault = "",
    .cases = gelu::geluCases,
    .verifyCases = gelu::geluVerifyCases,
    .refusal = gelu::geluRefusal,
    .make = gelu::makeGelu<gelu::launch, true, 0>,
    .expect = gelu::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
