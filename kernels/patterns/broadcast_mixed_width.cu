// SPDX-License-Identifier: Apache-2.0
//
// Broadcasts of 4 bytes mixed with conflict-free reads of 16 bytes per lane.
//
// What this rung does: in step i all lanes of a warp read the same weight (4 bytes), and each lane
// reads a different one of 32 float4 (16 bytes), as in the inner loop of a matrix product.
//
// The fault: none. The ideal is 1 wavefront for the broadcast and 4 for the wide read (512 bytes),
// 5 per step; bytes / 128 says 4.03, which must not be taken for a conflict of 19 %.
//
// Where it shows: wavefronts = 5/2 of the instructions, within the bound n₃₂ + 2·n₆₄ + 4·n₁₂₈.
#include <cuda_runtime.h>

#include "kernels/patterns/shared_read.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kWeights = 256, kVectors = 32, kTileWords = kWeights + 4 * kVectors;

__global__ void __launch_bounds__(kReadThreads)
    broadcastMixedWidth(const float* __restrict__ in, float* __restrict__ out, int reads) {
    __shared__ float weights[kWeights];
    __shared__ float4 vectors[kVectors];
    for (int i = threadIdx.x; i < kWeights; i += kReadThreads) weights[i] = in[i];
    for (int i = threadIdx.x; i < 4 * kVectors; i += kReadThreads)
        reinterpret_cast<float*>(vectors)[i] = in[kWeights + i];
    __syncthreads();

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0F;
    for (int i = 0; i < reads; ++i) {
        const float weight = weights[(i + warp) & (kWeights - 1)];
        const float4 vector = vectors[(i + lane) & (kVectors - 1)];
        sum = fmaf(weight, vector.x, sum);
        sum = fmaf(weight, vector.y, sum);
        sum = fmaf(weight, vector.z, sum);
        sum = fmaf(weight, vector.w, sum);
    }
    out[static_cast<std::size_t>(blockIdx.x) * kReadThreads + threadIdx.x] = sum;
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
                broadcastMixedWidth<<<blocks, kReadThreads, 0, stream>>>(in, out, reads);
                requireLaunched("patterns/broadcast_mixed_width");
            },
        .result =
            [=](const std::vector<float>& tile, int thread) {
                double sum = 0;
                for (int i = 0; i < reads; ++i) {
                    const double weight =
                        tile[static_cast<std::size_t>((i + thread / 32) % kWeights)];
                    const float* vector =
                        tile.data() + kWeights + 4 * ((i + thread % 32) % kVectors);
                    for (int j = 0; j < 4; ++j) sum += weight * vector[j];
                }
                return sum;
            },
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto reads = static_cast<double>(c.shape.at("reads"));
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const double steps = blocks * kReadWarps * reads;
    std::vector<Expectation> list = expectTileTraffic(kTileWords, blocks);
    list.push_back({counter::kSharedLoads, 2 * steps, 0, "2 · 8 · reads · blocks"});
    list.push_back({counter::kSharedLoadBytes, 516 * steps, 0, "(4 + 512) · 8 · reads · blocks"});
    list.push_back({counter::kSharedLoadWavefronts, 5 * steps, 0, "(1 + 4) · 8 · reads · blocks"});
    list.push_back(
        {counter::kSharedStoreWavefronts, kTileWords / 32 * blocks, 0, "tile words / 32 · blocks"});
    list.push_back({counter::kFp32Fma, 4 * 32 * steps, 0, "4 · 256 · reads · blocks"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_broadcast_mixed_width;
const Rung patterns_broadcast_mixed_width{
    .family = "patterns",
    .name = "broadcast_mixed_width",
    .order = 11,
    .summary = "4-byte broadcasts mixed with 16-byte reads: no conflict",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
