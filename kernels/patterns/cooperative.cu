// SPDX-License-Identifier: Apache-2.0
//
// A cooperative launch: blocks that wait for each other.
//
// What this rung does: `rounds` rounds of smoothing on a ring of 256 · blocks values,
// next[i] = value[i] / 2 + (value[i − 1] + value[i + 1]) / 4, with a barrier for the whole grid
// between rounds. The two halves of the output are written in turn. All blocks must be resident at
// once.
//
// The fault: none: the kernel needs the barriers, and one launch per round would cost more.
//
// Where it shows: arithmetic and stores are exact. Loads are not: a block that waits at the barrier
// polls a flag, an unknown number of times, so no answer is given for loads.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256;

/// Another block may read `to` in the next round, so it is not marked __restrict__.
__global__ void __launch_bounds__(kThreads)
    smoothTogether(const float* in, float* out, int rounds) {
    const unsigned count = gridDim.x * kThreads;
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    const unsigned left = i == 0 ? count - 1 : i - 1, right = i + 1 == count ? 0 : i + 1;
    const float* from = in;
    for (int round = 0; round < rounds; ++round) {
        float* const to = out + (round % 2) * count;
        to[i] = fmaf(0.5F, from[i], 0.25F * (from[left] + from[right]));
        from = to;
        cooperative_groups::this_grid().sync();
    }
}

Case smoothCase(std::int64_t blocks, std::int64_t rounds) {
    return {.shape = {{"blocks", blocks}, {"rounds", rounds}}, .dtype = DType::F32};
}
/// One block for each of 132 SMs.
std::vector<Case> cases() { return {smoothCase(132, 64)}; }
std::vector<Case> verifyCases() {
    return {smoothCase(132, 64), smoothCase(3, 7), smoothCase(1, 2)};
}
/// The largest resident grid depends on the GPU; a larger one is refused at launch.
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, 1 << 14),
                   refuseOutside(c, "rounds", 2, 1 << 20));
}

std::vector<double> smoothed(const std::vector<float>& in, int rounds) {
    const std::size_t count = in.size();
    std::vector<double> halves[2];
    std::vector<double> value(in.begin(), in.end());
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(count);
        for (std::size_t i = 0; i < count; ++i)
            next[i] =
                0.5 * value[i] + 0.25 * (value[(i + count - 1) % count] + value[(i + 1) % count]);
        value = halves[round % 2] = std::move(next);
    }
    halves[0].insert(halves[0].end(), halves[1].begin(), halves[1].end());
    return halves[0];
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const int rounds = static_cast<int>(c.shape.at("rounds"));
    const std::size_t count = std::size_t{blocks} * kThreads;
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(count, 0.5F, 1.0F),
        .outputCount = 2 * count,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                int roundsArgument = rounds;
                void* arguments[] = {&in, &out, &roundsArgument};
                require(cudaLaunchCooperativeKernel(smoothTogether, dim3(blocks), dim3(kThreads),
                                                    arguments, 0, stream),
                        "launching patterns/cooperative");
            },
        .reference = [=](const std::vector<float>& in) { return smoothed(in, rounds); },
        .tolerance = 1e-5,
        .minimumBytes = 12.0 * static_cast<double>(count),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const double updates = kThreads * static_cast<double>(c.shape.at("blocks")) *
                           static_cast<double>(c.shape.at("rounds"));
    return {{counter::kGlobalStores, updates / 32, 0, "8 · blocks · rounds"},
            {counter::kGlobalStoreBytes, 4 * updates, 0, "4 · 256 · blocks · rounds"},
            {counter::kGlobalStoreSectors, updates / 8, 0, "32 · blocks · rounds"},
            {counter::kFp32Add, updates, 0, "256 · blocks · rounds"},
            {counter::kFp32Mul, updates, 0, "256 · blocks · rounds"},
            {counter::kFp32Fma, updates, 0, "256 · blocks · rounds"},
            {counter::kLocalSectors, 0, 0, "none"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_cooperative;
const Rung patterns_cooperative{
    .family = "patterns",
    .name = "cooperative",
    .order = 23,
    .summary = "a cooperative launch with barriers for the whole grid",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
