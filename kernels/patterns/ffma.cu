// SPDX-License-Identifier: Apache-2.0
//
// Chains of fp32 fused multiply-adds: a kernel limited by arithmetic.
//
// What this rung does: each thread runs four independent chains a ← a·x + y, `fmas` steps each,
// from four different values, and writes their sum.
//
// The fault: none: near the fp32 roof.
//
// Where it shows: smsp__sass_thread_inst_executed_op_ffma_pred_on = 4 · fmas · threads, almost no
// memory traffic.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/chain.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

__global__ void ffma(const float* __restrict__ in, float* __restrict__ out, int fmas, float x,
                     float y) {
    const std::size_t count = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    float chain[kChains];
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = in[c * count + thread];
#pragma unroll 16
    for (int i = 0; i < fmas; ++i)
#pragma unroll
        for (int c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], x, y);
    out[thread] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

/// 16 blocks of 256 threads for each of 132 SMs.
std::vector<Case> cases() { return {chainCase(DType::F32, 132 * 16, 256, 4096)}; }
std::vector<Case> verifyCases() {
    return {chainCase(DType::F32, 8, 256, 4096), chainCase(DType::F32, 3, 96, 77),
            chainCase(DType::F32, 1, 1, 1)};
}
std::string refusal(const Case& c) { return refuseChain(c, DType::F32); }

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const auto threads = static_cast<unsigned>(c.shape.at("threads"));
    const int fmas = static_cast<int>(c.shape.at("fmas"));
    const std::size_t count = std::size_t{blocks} * threads;
    // With a factor near −1 chains neither overflow nor converge to the same value.
    RandomValues random(seed, 2);
    const float x = random.uniform(-0.999F, -0.998F), y = random.uniform(0.5F, 1.0F);
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(kChains * count, 0.5F, 1.0F),
        .outputCount = count,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                ffma<<<blocks, threads, 0, stream>>>(in, out, fmas, x, y);
                requireLaunched("patterns/ffma");
            },
        .reference =
            [=](const std::vector<float>& in) {
                std::vector<double> out(count);
                for (std::size_t thread = 0; thread < count; ++thread)
                    for (std::size_t c = 0; c < kChains; ++c) {
                        double chain = in[c * count + thread];
                        for (int i = 0; i < fmas; ++i) chain = chain * x + y;
                        out[thread] += chain;
                    }
                return out;
            },
        // Each chain rounds `fmas` times: at worst 7e-6 over 200 seeds and 4096 steps.
        .tolerance = 1e-4,
        .minimumBytes = 4.0 * (kChains + 1) * static_cast<double>(count),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto fmas = static_cast<double>(c.shape.at("fmas"));
    const double threads =
        static_cast<double>(c.shape.at("blocks")) * static_cast<double>(c.shape.at("threads"));
    std::vector<Expectation> list{
        {counter::kFp32Fma, kChains * fmas * threads, 0, "4 · fmas · blocks · threads"},
        {counter::kFp32Add, 3 * threads, 0, "3 · blocks · threads"},
        {counter::kFp32Mul, 0, 0, "none"},
        {counter::kGlobalLoadBytes, 4 * kChains * threads, 0, "16 · blocks · threads"},
        {counter::kGlobalStoreBytes, 4 * threads, 0, "4 · blocks · threads"}};
    if (c.shape.at("threads") % 32 == 0) {
        list.push_back(
            {counter::kGlobalLoadSectors, kChains * threads / 8, 0, "blocks · threads / 2"});
        list.push_back({counter::kGlobalStoreSectors, threads / 8, 0, "blocks · threads / 8"});
    }
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_ffma;
const Rung patterns_ffma{
    .family = "patterns",
    .name = "ffma",
    .order = 14,
    .summary = "four chains of fp32 fused multiply-adds per thread: near the fp32 roof",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
