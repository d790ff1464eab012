// SPDX-License-Identifier: Apache-2.0
//
// FP32 rate of the vector pipes.
//
// Why this reaches the limit: as many warps as fit are resident, each thread has 8 independent
// chains, and a step is one multiply-add instruction on registers. Each thread stores one result
// that depends on every step. A fused multiply-add counts as two operations.
#include <cuda_runtime.h>

#include "kernels/ceilings/fused_chains.cuh"

namespace roofscope::kernels {
namespace {

struct Arithmetic {
    using Element = float;
    __host__ __device__ static Element start(float value) { return value; }
    __device__ static Element multiplyAdd(Element a, Element x, Element y) { return fmaf(a, x, y); }
    __device__ static Element add(Element a, Element b) { return a + b; }
};

std::vector<Workload> make(const ProbeGpu& gpu) {
    constexpr double kOperations = 2;
    constexpr int kSteps = 16384;
    return chains::variants<Arithmetic>(gpu, "fp32", kOperations, kSteps,
                                        "fp32 fused multiply-add");
}

std::optional<double> theoretical(const ProbeGpu& gpu) { return perSm(gpu, perClock(gpu, "fp32")); }

}  // namespace

namespace probes {
extern const Probe fp32;
const Probe fp32{
    .name = "fp32",
    .kind = Ceiling::Kind::Compute,
    .order = 9,
    .summary = "chains of fp32 fused multiply-adds",
    .refusal = neverRefuses,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
