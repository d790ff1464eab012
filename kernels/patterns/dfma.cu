// SPDX-License-Identifier: Apache-2.0
//
// Chains of fp64 fused multiply-adds: a kernel limited by double-precision arithmetic.
//
// What this rung does: each thread runs four independent chains a ← a·x + y, `fmas` steps each,
// from four different values, and writes their sum.
//
// The fault: none: near the fp64 roof, which is far lower on GPUs not made for fp64.
//
// Where it shows: smsp__sass_thread_inst_executed_op_dfma_pred_on = 4 · fmas · threads, almost no
// memory traffic.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/chain.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

__global__ void dfma(const double* __restrict__ in, double* __restrict__ out, int fmas, double x,
                     double y) {
    const std::size_t count = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    double chain[kChains];
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = in[c * count + thread];
#pragma unroll 16
    for (int i = 0; i < fmas; ++i)
#pragma unroll
        for (int c = 0; c < kChains; ++c) chain[c] = fma(chain[c], x, y);
    out[thread] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

/// 16 blocks of 256 threads for each of 132 SMs.
std::vector<Case> cases() { return {chainCase(DType::F64, 132 * 16, 256, 1024)}; }
std::vector<Case> verifyCases() {
    return {chainCase(DType::F64, 4, 256, 1024), chainCase(DType::F64, 3, 96, 77),
            chainCase(DType::F64, 1, 1, 1)};
}
std::string refusal(const Case& c) { return refuseChain(c, DType::F64); }

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const auto threads = static_cast<unsigned>(c.shape.at("threads"));
    const int fmas = static_cast<int>(c.shape.at("fmas"));
    const std::size_t count = std::size_t{blocks} * threads;
    // With a factor near −1 chains neither overflow nor converge to the same value.
    RandomValues random(seed, 2);
    const double x = random.uniform(-0.999F, -0.998F), y = random.uniform(0.5F, 1.0F);
    const std::vector<float> start = RandomValues(seed, 1).floats(kChains * count, 0.5F, 1.0F);
    return makeArrayInstance<double, double>({
        .input = std::vector<double>(start.begin(), start.end()),
        .outputCount = count,
        .launch =
            [=](const double* in, double* out, Stream stream) {
                dfma<<<blocks, threads, 0, stream>>>(in, out, fmas, x, y);
                requireLaunched("patterns/dfma");
            },
        .reference =
            [=](const std::vector<double>& in) {
                std::vector<double> out(count);
                for (std::size_t thread = 0; thread < count; ++thread) {
                    double chain[kChains];
                    for (std::size_t i = 0; i < kChains; ++i) {
                        chain[i] = in[i * count + thread];
                        for (int k = 0; k < fmas; ++k) chain[i] = std::fma(chain[i], x, y);
                    }
                    out[thread] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
                }
                return out;
            },
        // The CPU computes and rounds the same steps in the same order.
        .tolerance = 0.0,
        .minimumBytes = 8.0 * (kChains + 1) * static_cast<double>(count),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto fmas = static_cast<double>(c.shape.at("fmas"));
    const double threads =
        static_cast<double>(c.shape.at("blocks")) * static_cast<double>(c.shape.at("threads"));
    std::vector<Expectation> list{
        {counter::kFp64Fma, kChains * fmas * threads, 0, "4 · fmas · blocks · threads"},
        {counter::kFp64Add, 3 * threads, 0, "3 · blocks · threads"},
        {counter::kFp64Mul, 0, 0, "none"},
        {counter::kFp32Fma, 0, 0, "none"},
        {counter::kGlobalLoadBytes, 8 * kChains * threads, 0, "32 · blocks · threads"},
        {counter::kGlobalStoreBytes, 8 * threads, 0, "8 · blocks · threads"}};
    if (c.shape.at("threads") % 32 == 0) {
        list.push_back({counter::kGlobalLoadSectors, kChains * threads / 4, 0, "blocks · threads"});
        list.push_back({counter::kGlobalStoreSectors, threads / 4, 0, "blocks · threads / 4"});
    }
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_dfma;
const Rung patterns_dfma{
    .family = "patterns",
    .name = "dfma",
    .order = 17,
    .summary = "four chains of fp64 fused multiply-adds per thread: near the fp64 roof",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
