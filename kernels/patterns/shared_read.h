// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

/// Shared by rungs that read shared memory in a loop: each block of 256 threads fills a tile from
/// the input, every thread then reads it `reads` times and writes one float.
namespace roofscope::kernels::patterns {

inline constexpr int kReadThreads = 256;
inline constexpr int kReadWarps = kReadThreads / 32;

/// Blocks that fill a GPU with 132 SMs exactly once, with 8 blocks of 256 threads per SM.
inline constexpr std::int64_t kReadBlocks = 132 * 8;

/// The arrays and the CPU reference of such a rung. `result(tile, thread)` is the result of a
/// thread in any block, in double precision.
struct SharedReadJob {
    std::size_t tileWords = 0;
    std::int64_t blocks = 0;
    std::uint64_t seed = 0;
    std::function<void(const float* input, float* output, Stream stream)> launch;
    std::function<double(const std::vector<float>& tile, int thread)> result;
};

[[nodiscard]] inline std::unique_ptr<Instance> makeSharedRead(SharedReadJob job) {
    const auto threads = static_cast<std::size_t>(job.blocks) * kReadThreads;
    // Fp32 sums of up to 2^16 values of one sign: errors stay far below 1e-5.
    constexpr double kTolerance = 1e-5;
    return makeArrayInstance<float, float>({
        .input = RandomValues(job.seed, 1).floats(job.tileWords, 0.5F, 1.0F),
        .outputCount = threads,
        .launch = std::move(job.launch),
        .reference =
            [threads, result = std::move(job.result)](const std::vector<float>& tile) {
                std::vector<double> out(threads);
                for (int thread = 0; thread < kReadThreads; ++thread) {
                    const double value = result(tile, thread);
                    for (std::size_t i = static_cast<std::size_t>(thread); i < threads;
                         i += kReadThreads)
                        out[i] = value;
                }
                return out;
            },
        .tolerance = kTolerance,
        .minimumBytes = static_cast<double>(4 * (job.tileWords + threads)),
    });
}

/// Known answers for global memory: each block reads the tile once, each thread stores one float.
[[nodiscard]] inline std::vector<Expectation> expectTileTraffic(double tileWords, double blocks) {
    const double loads = 4 * tileWords * blocks, stores = 4.0 * kReadThreads * blocks;
    return {{counter::kGlobalLoadBytes, loads, 0, "4 · tile words · blocks"},
            {counter::kGlobalStoreBytes, stores, 0, "4 · 256 · blocks"},
            {counter::kGlobalLoadSectors, loads / 32, 0, "tile words / 8 · blocks"},
            {counter::kGlobalStoreSectors, stores / 32, 0, "32 · blocks"}};
}

[[nodiscard]] inline std::string refuseReadShape(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "reads", 1, 1 << 16),
                   refuseOutside(c, "blocks", 1, 1 << 20));
}

}  // namespace roofscope::kernels::patterns
