// SPDX-License-Identifier: Apache-2.0
//
// FP16 rate of the vector pipes, two elements per instruction.
//
// Why this reaches the limit: as many warps as fit are resident, each thread has 8 independent
// chains, and a step is one multiply-add instruction on registers. Each thread stores one result
// that depends on every step. Each instruction counts as four operations.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/ceilings/fused_chains.cuh"

namespace roofscope::kernels {
namespace {

struct Arithmetic {
    using Element = __half2;
    __host__ __device__ static Element start(float value) { return __float2half2_rn(value); }
    __device__ static Element multiplyAdd(Element a, Element x, Element y) {
        return __hfma2(a, x, y);
    }
    __device__ static Element add(Element a, Element b) { return __hadd2(a, b); }
};

std::vector<Workload> make(const ProbeGpu& gpu) {
    constexpr double kOperations = 4;
    constexpr int kSteps = 16384;
    return chains::variants<Arithmetic>(gpu, "fp16", kOperations, kSteps,
                                        "packed fp16 fused multiply-add");
}

std::optional<double> theoretical(const ProbeGpu& gpu) { return perSm(gpu, perClock(gpu, "fp16")); }

}  // namespace

namespace probes {
extern const Probe fp16;
const Probe fp16{
    .name = "fp16",
    .kind = Ceiling::Kind::Compute,
    .order = 10,
    .summary = "chains of packed fp16 fused multiply-adds",
    .refusal = neverRefuses,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
