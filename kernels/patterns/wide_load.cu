// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory reads of 16 bytes per lane without conflicts.
//
// What this rung does: each lane reads one of 32 consecutive float4 per step and sums what it
// reads.
//
// The fault: none. 512 bytes per warp need 4 passes through 32 banks of 4 bytes: four wavefronts
// per instruction are the ideal here, not a 4-way conflict.
//
// Where it shows: wavefronts = 4 × instructions = bytes / 128.
#include <cuda_runtime.h>

#include "kernels/patterns/shared_read.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kVectors = 128, kTileWords = 4 * kVectors;

__global__ void __launch_bounds__(kReadThreads)
    wideLoad(const float* __restrict__ in, float* __restrict__ out, int reads) {
    __shared__ float4 tile[kVectors];
    for (int i = threadIdx.x; i < kTileWords; i += kReadThreads)
        reinterpret_cast<float*>(tile)[i] = in[i];
    __syncthreads();

    float4 sum = {0.0F, 0.0F, 0.0F, 0.0F};
    for (int i = 0; i < reads; ++i) {
        const float4 value = tile[(threadIdx.x + i) & (kVectors - 1)];
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
    }
    out[static_cast<std::size_t>(blockIdx.x) * kReadThreads + threadIdx.x] =
        (sum.x + sum.y) + (sum.z + sum.w);
}

Case readCase(std::int64_t reads, std::int64_t blocks) {
    return {.shape = {{"reads", reads}, {"blocks", blocks}}, .dtype = DType::F32};
}
std::vector<Case> cases() { return {readCase(1024, kReadBlocks)}; }
std::vector<Case> verifyCases() {
    return {readCase(1024, kReadBlocks), readCase(77, 3), readCase(1, 1)};
}
std::string refusal(const Case& c) { return refuseReadShape(c); }

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const int reads = static_cast<int>(c.shape.at("reads"));
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    return makeSharedRead({
        .tileWords = kTileWords,
        .blocks = blocks,
        .seed = seed,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                wideLoad<<<blocks, kReadThreads, 0, stream>>>(in, out, reads);
                requireLaunched("patterns/wide_load");
            },
        .result =
            [=](const std::vector<float>& tile, int thread) {
                double sum = 0;
                for (int i = 0; i < reads; ++i)
                    for (int j = 0; j < 4; ++j)
                        sum += tile[static_cast<std::size_t>(4 * ((thread + i) % kVectors) + j)];
                return sum;
            },
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto reads = static_cast<double>(c.shape.at("reads"));
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const double loads = blocks * kReadWarps * reads;
    std::vector<Expectation> list = expectTileTraffic(kTileWords, blocks);
    list.push_back({counter::kSharedLoads, loads, 0, "8 · reads · blocks"});
    list.push_back({counter::kSharedLoadBytes, 512 * loads, 0, "512 · 8 · reads · blocks"});
    list.push_back(
        {counter::kSharedLoadWavefronts, 4 * loads, 0, "4 · 8 · reads · blocks, bytes / 128"});
    list.push_back(
        {counter::kSharedStoreWavefronts, kTileWords / 32 * blocks, 0, "tile words / 32 · blocks"});
    list.push_back(
        {counter::kFp32Add, 128 * loads + 3 * 256 * blocks, 0, "256 · blocks · (4 · reads + 3)"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_wide_load;
const Rung patterns_wide_load{
    .family = "patterns",
    .name = "wide_load",
    .order = 12,
    .summary = "16-byte shared-memory reads: four wavefronts each, no conflict",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
