// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory reads of one word by a whole warp: broadcasts.
//
// What this rung does: every thread evaluates a polynomial at its own point; in step i all lanes of
// a warp read the same coefficient from shared memory.
//
// The fault: none. A word needed by all lanes is read once and broadcast. Each read has 4 bytes
// instead of 128, which must not be taken for a conflict.
//
// Where it shows: wavefronts equal instructions, although bytes / (128 × wavefronts) is 1/32.
#include <cuda_runtime.h>

#include "kernels/patterns/shared_read.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kCoefficients = 256;

__global__ void __launch_bounds__(kReadThreads)
    broadcastRead(const float* __restrict__ in, float* __restrict__ out, int reads) {
    __shared__ float tile[kCoefficients];
    for (int i = threadIdx.x; i < kCoefficients; i += kReadThreads) tile[i] = in[i];
    __syncthreads();

    const int warp = threadIdx.x / 32;
    const float x = threadIdx.x * (1.0F / 512);  // in [0, 0.5): the polynomial stays small
    float y = 0.0F;
    // Warps start at different coefficients; the wrap keeps each read one word wide.
    for (int i = 0; i < reads; ++i) y = fmaf(y, x, tile[(i + warp) & (kCoefficients - 1)]);
    out[static_cast<std::size_t>(blockIdx.x) * kReadThreads + threadIdx.x] = y;
}

Case readCase(std::int64_t reads, std::int64_t blocks) {
    return {.shape = {{"reads", reads}, {"blocks", blocks}}, .dtype = DType::F32};
}
std::vector<Case> cases() { return {readCase(4096, kReadBlocks)}; }
std::vector<Case> verifyCases() {
    return {readCase(4096, kReadBlocks), readCase(77, 3), readCase(1, 1)};
}
std::string refusal(const Case& c) { return refuseReadShape(c); }

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const int reads = static_cast<int>(c.shape.at("reads"));
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    return makeSharedRead({
        .tileWords = kCoefficients,
        .blocks = blocks,
        .seed = seed,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                broadcastRead<<<blocks, kReadThreads, 0, stream>>>(in, out, reads);
                requireLaunched("patterns/broadcast_read");
            },
        .result =
            [=](const std::vector<float>& tile, int thread) {
                const double x = thread / 512.0;
                double y = 0;
                for (int i = 0; i < reads; ++i)
                    y = y * x + tile[static_cast<std::size_t>((i + thread / 32) % kCoefficients)];
                return y;
            },
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto reads = static_cast<double>(c.shape.at("reads"));
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const double loads = blocks * kReadWarps * reads;
    std::vector<Expectation> list = expectTileTraffic(kCoefficients, blocks);
    list.push_back({counter::kSharedLoads, loads, 0, "8 · reads · blocks"});
    list.push_back(
        {counter::kSharedLoadBytes, 4 * loads, 0, "4 · 8 · reads · blocks, one word each"});
    list.push_back({counter::kSharedLoadWavefronts, loads, 0, "8 · reads · blocks, no conflict"});
    list.push_back({counter::kSharedStoreWavefronts, kReadWarps * blocks, 0, "8 · blocks"});
    list.push_back({counter::kFp32Fma, 32 * loads, 0, "256 · reads · blocks"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_broadcast_read;
const Rung patterns_broadcast_read{
    .family = "patterns",
    .name = "broadcast_read",
    .order = 10,
    .summary = "all lanes read the same word of shared memory: no conflict",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
