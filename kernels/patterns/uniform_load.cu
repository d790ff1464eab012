// SPDX-License-Identifier: Apache-2.0
//
// Global loads of one address by all lanes of a warp.
//
// What this rung does: each warp evaluates a different polynomial, given by `terms` coefficients in
// global memory, at 32 points, one per lane. All lanes load the same coefficient.
//
// The fault: none. A load requests 4 bytes and touches one sector of 32, so that coalescing
// efficiency is 0.125; a single word cannot be accessed in a better way.
//
// Where it shows: bytes / (32 × sectors) = 1/8 for loads, sectors per request = 1.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

__global__ void __launch_bounds__(kThreads)
    uniformLoad(const float* __restrict__ coefficients, float* __restrict__ out, int terms) {
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    const float* const own = coefficients + thread / 32 * terms;
    const float x = (threadIdx.x % 32) * (1.0F / 64);
    float y = 0.0F;
    for (int i = 0; i < terms; ++i) y = fmaf(y, x, own[i]);
    out[thread] = y;
}

Case uniformCase(std::int64_t blocks, std::int64_t terms) {
    return {.shape = {{"blocks", blocks}, {"terms", terms}}, .dtype = DType::F32};
}
std::vector<Case> cases() { return {uniformCase(16384, 64)}; }
std::vector<Case> verifyCases() {
    return {uniformCase(512, 64), uniformCase(3, 7), uniformCase(1, 1)};
}
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, 1 << 20),
                   refuseOutside(c, "terms", 1, 1024));
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<std::size_t>(c.shape.at("blocks"));
    const auto terms = static_cast<std::size_t>(c.shape.at("terms"));
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(blocks * kWarps * terms, 0.5F, 1.0F),
        .outputCount = blocks * kThreads,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                uniformLoad<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
                    in, out, static_cast<int>(terms));
                requireLaunched("patterns/uniform_load");
            },
        .reference =
            [=](const std::vector<float>& in) {
                std::vector<double> out(blocks * kThreads);
                for (std::size_t thread = 0; thread < out.size(); ++thread) {
                    const double x = static_cast<double>(thread % 32) / 64;
                    for (std::size_t i = 0; i < terms; ++i)
                        out[thread] = out[thread] * x + in[thread / 32 * terms + i];
                }
                return out;
            },
        .tolerance = 1e-5,
        .minimumBytes = 4.0 * static_cast<double>(blocks * (kWarps * terms + kThreads)),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const auto terms = static_cast<double>(c.shape.at("terms"));
    const double loads = blocks * kWarps * terms;
    return {{counter::kGlobalLoads, loads, 0, "8 · blocks · terms"},
            {counter::kGlobalLoadBytes, 4 * loads, 0, "4 · 8 · blocks · terms, one word each"},
            {counter::kGlobalLoadSectors, loads, 0, "8 · blocks · terms, one sector each"},
            {counter::kGlobalStoreBytes, 4 * kThreads * blocks, 0, "4 · 256 · blocks"},
            {counter::kGlobalStoreSectors, kThreads * blocks / 8, 0, "32 · blocks"},
            {counter::kFp32Fma, 32 * loads, 0, "256 · blocks · terms"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_uniform_load;
const Rung patterns_uniform_load{
    .family = "patterns",
    .name = "uniform_load",
    .order = 13,
    .summary = "all lanes load the same word of global memory: no fault",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
