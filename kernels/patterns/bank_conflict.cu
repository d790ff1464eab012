// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory reads with an n-way bank conflict.
//
// What this rung does: a tile of 32 · ways words per block; in step i lane l of each warp reads
// word (l · ways + i) mod (32 · ways) and sums what it reads. If ways is a power of two, each bank
// that is hit holds `ways` different words of a warp's read.
//
// The fault: each read takes `ways` passes through the banks (1: no conflict, 32: the worst).
//
// Where it shows: sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld =
// ways · smsp__sass_inst_executed_op_shared_ld.
#include <cuda_runtime.h>

#include "kernels/patterns/shared_read.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kMaxWays = 32;

__global__ void __launch_bounds__(kReadThreads)
    bankConflict(const float* __restrict__ in, float* __restrict__ out, int ways, int reads) {
    __shared__ float tile[32 * kMaxWays];
    const int words = 32 * ways;
    for (int i = threadIdx.x; i < words; i += kReadThreads) tile[i] = in[i];
    __syncthreads();

    const int lane = threadIdx.x % 32;
    float sum = 0.0F;
    for (int i = 0; i < reads; ++i) sum += tile[(lane * ways + i) & (words - 1)];
    out[static_cast<std::size_t>(blockIdx.x) * kReadThreads + threadIdx.x] = sum;
}

Case conflictCase(std::int64_t ways, std::int64_t reads, std::int64_t blocks) {
    return {.shape = {{"ways", ways}, {"reads", reads}, {"blocks", blocks}}, .dtype = DType::F32};
}

std::vector<Case> cases() {
    std::vector<Case> list;
    for (const int ways : {32, 1, 2, 4, 8, 16})
        list.push_back(conflictCase(ways, 256, kReadBlocks));
    return list;
}

std::vector<Case> verifyCases() {
    std::vector<Case> list;
    for (const int ways : {1, 2, 4, 8, 16, 32}) list.push_back(conflictCase(ways, 77, 3));
    list.push_back(conflictCase(32, 256, kReadBlocks));
    list.push_back(conflictCase(32, 1, 1));
    return list;
}

std::string refusal(const Case& c) {
    std::string text = firstOf(refuseReadShape(c), refuseOutside(c, "ways", 1, kMaxWays));
    if (!text.empty()) return text;
    const std::int64_t ways = c.shape.at("ways");
    return (ways & (ways - 1)) == 0 ? "" : "ways must be a power of two: 1, 2, 4, 8, 16 or 32";
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const int ways = static_cast<int>(c.shape.at("ways"));
    const int reads = static_cast<int>(c.shape.at("reads"));
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    return makeSharedRead({
        .tileWords = static_cast<std::size_t>(32 * ways),
        .blocks = blocks,
        .seed = seed,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                bankConflict<<<blocks, kReadThreads, 0, stream>>>(in, out, ways, reads);
                requireLaunched("patterns/bank_conflict");
            },
        .result =
            [=](const std::vector<float>& tile, int thread) {
                double sum = 0;
                for (int i = 0; i < reads; ++i)
                    sum += tile[static_cast<std::size_t>((thread % 32 * ways + i) % (32 * ways))];
                return sum;
            },
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto ways = static_cast<double>(c.shape.at("ways"));
    const auto reads = static_cast<double>(c.shape.at("reads"));
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const double loads = blocks * kReadWarps * reads;
    std::vector<Expectation> list = expectTileTraffic(32 * ways, blocks);
    list.push_back({counter::kSharedLoads, loads, 0, "8 · reads · blocks"});
    list.push_back({counter::kSharedLoadBytes, 128 * loads, 0, "128 · 8 · reads · blocks"});
    list.push_back({counter::kSharedLoadWavefronts, ways * loads, 0, "ways · 8 · reads · blocks"});
    list.push_back(
        {counter::kSharedStoreWavefronts, ways * blocks, 0, "ways · blocks, no conflict"});
    list.push_back({counter::kFp32Add, 32 * loads, 0, "256 · reads · blocks"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_bank_conflict;
const Rung patterns_bank_conflict{
    .family = "patterns",
    .name = "bank_conflict",
    .order = 9,
    .summary = "shared-memory reads with an n-way bank conflict (default 32)",
    .fault = "shared-bank-conflict",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
