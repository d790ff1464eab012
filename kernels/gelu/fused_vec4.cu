// SPDX-License-Identifier: Apache-2.0
//
// GELU in one launch with 16-byte accesses. (gelu.h says what the operator computes.)
//
// What this rung does: each thread reads 16 bytes and writes 16 bytes, so that the resident threads
// have enough bytes in flight to cover the memory latency. See mapQuads() in elementwise.cuh.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, a quarter of the instructions of `fused_scalar`, DRAM near
// its roof.
#include "kernels/gelu/elementwise.cuh"

namespace roofscope::kernels {
namespace gelu {
namespace {

__global__ void __launch_bounds__(kThreads)
    geluFusedVec4(const float* __restrict__ x, float* __restrict__ out, std::size_t n) {
    mapQuads(x, out, n, [](float value) { return geluTanh(value); });
}

void launch(const GeluArguments& g, Stream stream) {
    geluFusedVec4<<<quadBlocks(g.n), kThreads, 0, stream>>>(g.x, g.out,
                                                            static_cast<std::size_t>(g.n));
    requireLaunched("gelu/fused_vec4");
}

std::vector<Expectation> expect(const Case& c) { return expectElementwise(c, 1, 4); }

}  // namespace
}  // namespace gelu

namespace rungs {
extern const Rung gelu_fused_vec4;
const Rung gelu_fused_vec4{
    .family = "gelu",
    .name = "fused_vec4",
    .order = 3,
    .summary = "one launch, 16 bytes per thread: near the DRAM roof",
    .fault = "",
    .cases = gelu::geluCases,
    .verifyCases = gelu::geluVerifyCases,
    .refusal = gelu::geluRefusal,
    .make = gelu::makeGelu<gelu::launch, false, 0>,
    .expect = gelu::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
