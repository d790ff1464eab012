// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"

/// What the probes of the vector pipes share: chains of fused multiply-adds in registers.
/// `Arithmetic` has the Element and its operations: start(), multiplyAdd(), add().
namespace roofscope::kernels::chains {

inline constexpr unsigned kThreads = 256;
/// Independent chains per thread: with all warps that fit, far more than the pipe's depth.
inline constexpr int kChains = 8;

/// Each thread runs its chains a ← a·x + y for `steps` steps from different values. It stores
/// one result that depends on all steps, so that none can be removed. `unrolled` steps lie
/// between two branches, because counting and branching take issue slots that the pipe could
/// use.
template <class Arithmetic, int unrolled, class Element = typename Arithmetic::Element>
__global__ void __launch_bounds__(kThreads)
    fusedChains(Element* out, int steps, Element x, Element y) {
    const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    Element chain[kChains];
#pragma unroll
    for (int c = 0; c < kChains; ++c)
        chain[c] = Arithmetic::start(0.5F + 0.0078125F * static_cast<float>(threadIdx.x % 64 + c));
#pragma unroll unrolled
    for (int i = 0; i < steps; ++i)
#pragma unroll
        for (int c = 0; c < kChains; ++c) chain[c] = Arithmetic::multiplyAdd(chain[c], x, y);
    Element all = chain[0];
#pragma unroll
    for (int c = 1; c < kChains; ++c) all = Arithmetic::add(all, chain[c]);
    out[thread] = all;
}

/// `operations`: per step of one chain. The factor is near −1, so that values neither grow nor
/// converge.
template <class Arithmetic, int unrolled, class Element = typename Arithmetic::Element>
[[nodiscard]] Workload variant(const ProbeGpu& gpu, const char* name, double operations, int steps,
                               const std::string& method) {
    constexpr float kFactor = -0.9985F, kSummand = 0.75F;
    const unsigned blocks = fullWave(gpu, fusedChains<Arithmetic, unrolled>, kThreads);
    const auto out = std::make_shared<BufferSets<Element>>(std::size_t{blocks} * kThreads, 1);
    Workload workload;
    workload.launch = [=](Stream stream) {
        fusedChains<Arithmetic, unrolled><<<blocks, kThreads, 0, stream>>>(
            out->get(0), steps, Arithmetic::start(kFactor), Arithmetic::start(kSummand));
        requireLaunched(name);
    };
    workload.work = operations * kChains * steps * blocks * kThreads;
    workload.method =
        method + ", 8 chains per thread, " + std::to_string(unrolled) + " steps unrolled";
    return workload;
}

template <class Arithmetic>
[[nodiscard]] std::vector<Workload> variants(const ProbeGpu& gpu, const char* name,
                                             double operations, int steps,
                                             const std::string& method) {
    return {variant<Arithmetic, 8>(gpu, name, operations, steps, method),
            variant<Arithmetic, 32>(gpu, name, operations, steps, method),
            variant<Arithmetic, 128>(gpu, name, operations, steps, method)};
}

}  // namespace roofscope::kernels::chains
