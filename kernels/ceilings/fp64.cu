// SPDX-License-Identifier: Apache-2.0
//
// FP64 rate of the vector pipe.
//
// Why this reaches the limit: as many warps as fit are resident, each thread has 8 independent
// chains, and a step is one multiply-add instruction on registers. Each thread stores one result
// that depends on every step. A fused multiply-add counts as two operations.
#include <cuda_runtime.h>

#include "kernels/ceilings/fused_chains.cuh"

namespace roofscope::kernels {
namespace {

struct Arithmetic {
    using Element = double;
    __host__ __device__ static Element start(float value) { return value; }
    __device__ static Element multiplyAdd(Element a, Element x, Element y) { return fma(a, x, y); }
    __device__ static Element add(Element a, Element b) { return a + b; }
};

std::vector<Workload> make(const ProbeGpu& gpu) {
    constexpr double kOperations = 2;
    constexpr int kSteps = 8192;
    return chains::variants<Arithmetic>(gpu, "fp64", kOperations, kSteps,
                                        "fp64 fused multiply-add");
}

std::optional<double> theoretical(const ProbeGpu& gpu) { return perSm(gpu, perClock(gpu, "fp64")); }

}  // namespace

namespace probes {
extern const Probe fp64;
const Probe fp64{
    .name = "fp64",
    .kind = Ceiling::Kind::Compute,
    .order = 8,
    .summary = "chains of fp64 fused multiply-adds",
    .refusal = neverRefuses,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
