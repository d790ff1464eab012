// SPDX-License-Identifier: Apache-2.0
//
// GELU in one launch, one element per thread. (gelu.h says what the operator computes.)
//
// What this rung does: each thread reads 4 bytes, computes, and writes 4 bytes. The intermediates
// stay in registers.
//
// The fault: narrow accesses. They are fully coalesced, but a thread has only 4 bytes in flight,
// too few to keep the DRAM busy.
//
// Where it shows: bytes = 32 × sectors for whole sectors, all accesses counted as 32 bit, DRAM well
// below its roof.
#include "kernels/gelu/elementwise.cuh"

namespace roofscope::kernels {
namespace gelu {
namespace {

__global__ void __launch_bounds__(kThreads)
    geluFusedScalar(const float* __restrict__ x, float* __restrict__ out, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) out[i] = geluTanh(x[i]);
}

void launch(const GeluArguments& g, Stream stream) {
    const auto blocks = static_cast<unsigned>((g.n + kThreads - 1) / kThreads);
    geluFusedScalar<<<blocks, kThreads, 0, stream>>>(g.x, g.out, static_cast<std::size_t>(g.n));
    requireLaunched("gelu/fused_scalar");
}

std::vector<Expectation> expect(const Case& c) { return expectElementwise(c, 1, 1); }

}  // namespace
}  // namespace gelu

namespace rungs {
extern const Rung gelu_fused_scalar;
const Rung gelu_fused_scalar{
    .family = "gelu",
    .name = "fused_scalar",
    .order = 2,
    .summary = "one launch, one element per thread: 4-byte accesses",
    .fault = "global-narrow-access",
    .cases = gelu::geluCases,
    .verifyCases = gelu::geluVerifyCases,
    .refusal = gelu::geluRefusal,
    .make = gelu::makeGelu<gelu::launch, false, 0>,
    .expect = gelu::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
