// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a warp that take different branches.
//
// What this rung does: there are `ways` kinds of threads, and neighbouring threads differ in kind
// (thread modulo ways). Each kind takes its own branch: four chains a ← a·x + y with that kind's
// factor x, `fmas` steps each.
//
// The fault: a warp executes all `ways` branches one after the other, each with 32 / ways of its
// lanes while the others wait. The work per thread does not depend on `ways`, but the time does.
// Sorting threads by kind would give each branch whole warps.
//
// Where it shows: smsp__sass_thread_inst_executed / (32 · smsp__sass_inst_executed) is close to
// 1 / ways, while instructions are issued all the time.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/chain.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256, kMaxWays = 32;

/// The factors of the kinds come before the chains' initial values.
__global__ void __launch_bounds__(kThreads)
    divergentBranch(const float* __restrict__ in, float* __restrict__ out, int ways, int fmas,
                    float y) {
    const std::size_t count = std::size_t{gridDim.x} * kThreads;
    const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    const int kind = static_cast<int>(threadIdx.x) & (ways - 1);
    float chain[kChains];
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = in[kMaxWays + c * count + thread];
    for (int side = 0; side < ways; ++side) {
        if (side != kind) continue;
        const float x = in[side];
#pragma unroll 16
        for (int i = 0; i < fmas; ++i)
#pragma unroll
            for (int c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], x, y);
    }
    out[thread] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

Case branchCase(std::int64_t ways, std::int64_t fmas, std::int64_t blocks) {
    return {.shape = {{"ways", ways}, {"fmas", fmas}, {"blocks", blocks}}, .dtype = DType::F32};
}

/// 16 blocks for each of 132 SMs.
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const int ways : {8, 1, 2, 4, 16, 32}) list.push_back(branchCase(ways, 512, 132 * 16));
    return list;
}
std::vector<Case> verifyCases() {
    std::vector<Case> list;
    for (const int ways : {1, 2, 4, 8, 16, 32}) list.push_back(branchCase(ways, 77, 3));
    list.push_back(branchCase(8, 512, 33));
    list.push_back(branchCase(32, 1, 1));
    return list;
}
std::string refusal(const Case& c) {
    const std::string text =
        firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "ways", 1, kMaxWays),
                refuseOutside(c, "fmas", 1, 1 << 20), refuseOutside(c, "blocks", 1, 1 << 20));
    if (!text.empty()) return text;
    const std::int64_t ways = c.shape.at("ways");
    return (ways & (ways - 1)) == 0 ? "" : "ways must be a power of two: 1, 2, 4, 8, 16 or 32";
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto ways = static_cast<std::size_t>(c.shape.at("ways"));
    const int fmas = static_cast<int>(c.shape.at("fmas"));
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const std::size_t count = std::size_t{blocks} * kThreads;
    // With factors near −1 chains neither overflow nor converge to the same value.
    std::vector<float> input = RandomValues(seed, 1).floats(kMaxWays, -0.999F, -0.998F);
    const std::vector<float> start = RandomValues(seed, 2).floats(kChains * count, 0.5F, 1.0F);
    input.insert(input.end(), start.begin(), start.end());
    const float y = RandomValues(seed, 3).uniform(0.5F, 1.0F);
    return makeArrayInstance<float, float>({
        .input = std::move(input),
        .outputCount = count,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                divergentBranch<<<blocks, kThreads, 0, stream>>>(in, out, static_cast<int>(ways),
                                                                 fmas, y);
                requireLaunched("patterns/divergent_branch");
            },
        .reference =
            [=](const std::vector<float>& in) {
                std::vector<double> out(count);
                for (std::size_t thread = 0; thread < count; ++thread)
                    for (std::size_t c = 0; c < kChains; ++c) {
                        double chain = in[kMaxWays + c * count + thread];
                        for (int i = 0; i < fmas; ++i) chain = chain * in[thread % ways] + y;
                        out[thread] += chain;
                    }
                return out;
            },
        .tolerance = 1e-4,  // as in ffma: each chain rounds `fmas` times in a row
        .minimumBytes = 4.0 * static_cast<double>(kMaxWays + (kChains + 1) * count),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto ways = static_cast<double>(c.shape.at("ways"));
    const auto fmas = static_cast<double>(c.shape.at("fmas"));
    const double threads = kThreads * static_cast<double>(c.shape.at("blocks"));
    const double warps = threads / 32;
    return {{counter::kFp32Fma, kChains * fmas * threads, 0, "4 · fmas · 256 · blocks, any ways"},
            {counter::kFp32Add, 3 * threads, 0, "3 · 256 · blocks"},
            {counter::kFp32Mul, 0, 0, "none"},
            {counter::kGlobalLoads, (kChains + ways) * warps, 0, "(4 + ways) · 8 · blocks"},
            {counter::kGlobalLoadBytes, 4 * kChains * threads + 4 * ways * warps, 0,
             "16 · 256 · blocks + 4 · ways · 8 · blocks, a factor per branch"},
            {counter::kGlobalLoadSectors, kChains * threads / 8 + ways * warps, 0,
             "128 · blocks + ways · 8 · blocks"},
            {counter::kGlobalStoreBytes, 4 * threads, 0, "4 · 256 · blocks"},
            {counter::kGlobalStoreSectors, threads / 8, 0, "32 · blocks"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_divergent_branch;
const Rung patterns_divergent_branch{
    .family = "patterns",
    .name = "divergent_branch",
    .order = 21,
    .summary = "lanes of a warp take different branches (default 8)",
    .fault = "idle-lanes",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
