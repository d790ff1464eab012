// SPDX-License-Identifier: Apache-2.0
//
// A grid of slightly more than one wave of blocks.
//
// What this rung does: each warp follows a chain of `hops` links through a table that fits into the
// L2 (element i holds the next i), as in a linked list or tree. A block takes the same time however
// many others run, because it waits and does not compete for bandwidth.
//
// The fault: on a GPU with 132 SMs that hold 8 blocks each (1056 at a time), 1267 blocks are 1.2
// waves but take as long as two: most of the GPU idles during the second. On other GPUs set
// `blocks` to 1.2 times the resident blocks.
//
// Where it shows: waves / ⌈waves⌉ = 0.6; warps active per SM fall off at the end.
#include <cuda_runtime.h>

#include <cmath>
#include <numeric>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
/// Entries of the table: 4 MiB, larger than an L1 and smaller than an L2.
constexpr std::uint32_t kEntries = 1u << 20;

/// Where a warp starts; the odd factor spreads the warps over the table.
__host__ __device__ inline std::uint32_t firstEntry(std::uint32_t warp) {
    return warp * 2654435761u % kEntries;
}

__global__ void __launch_bounds__(kThreads)
    partialWave(const std::uint32_t* __restrict__ next, std::uint32_t* __restrict__ out, int hops) {
    const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
    std::uint32_t at = firstEntry(thread / 32);
    for (int hop = 0; hop < hops; ++hop) at = next[at];
    out[thread] = at;
}

Case waveCase(std::int64_t blocks, std::int64_t hops) {
    return {.shape = {{"blocks", blocks}, {"hops", hops}}, .dtype = DType::F32};
}
/// 1.2 times 132 SMs · 8 blocks.
std::vector<Case> cases() { return {waveCase(1267, 1024)}; }
std::vector<Case> verifyCases() { return {waveCase(1267, 256), waveCase(3, 77), waveCase(1, 1)}; }
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, 1 << 20),
                   refuseOutside(c, "hops", 1, 1 << 20));
}

/// A permutation with a single cycle (Sattolo's algorithm), so that no walk loops in a short one.
std::vector<std::uint32_t> oneCycle(std::uint64_t seed) {
    std::vector<std::uint32_t> next(kEntries);
    std::iota(next.begin(), next.end(), 0u);
    RandomValues random(seed, 1);
    for (std::uint32_t i = kEntries - 1; i > 0; --i) std::swap(next[i], next[random.bits() % i]);
    return next;
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const int hops = static_cast<int>(c.shape.at("hops"));
    return makeArrayInstance<std::uint32_t, std::uint32_t>({
        .input = oneCycle(seed),
        .outputCount = std::size_t{blocks} * kThreads,
        .launch =
            [=](const std::uint32_t* in, std::uint32_t* out, Stream stream) {
                partialWave<<<blocks, kThreads, 0, stream>>>(in, out, hops);
                requireLaunched("patterns/partial_wave");
            },
        .reference =
            [=](const std::vector<std::uint32_t>& next) {
                std::vector<double> out(std::size_t{blocks} * kThreads);
                for (std::uint32_t warp = 0; warp < blocks * kWarps; ++warp) {
                    std::uint32_t at = firstEntry(warp);
                    for (int hop = 0; hop < hops; ++hop) at = next[at];
                    std::fill_n(out.begin() + 32 * std::ptrdiff_t{warp}, 32, double(at));
                }
                return out;
            },
        .minimumBytes = 4.0 * (static_cast<double>(kEntries) + blocks * double{kThreads}),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const auto hops = static_cast<double>(c.shape.at("hops"));
    const double loads = blocks * kWarps * hops;
    return {{counter::kGlobalLoads, loads, 0, "8 · blocks · hops"},
            {counter::kGlobalLoadBytes, 4 * loads, 0, "4 · 8 · blocks · hops, one word each"},
            {counter::kGlobalLoadSectors, loads, 0, "8 · blocks · hops, one sector each"},
            {counter::kGlobalStoreBytes, 4 * kThreads * blocks, 0, "4 · 256 · blocks"},
            {counter::kGlobalStoreSectors, kThreads * blocks / 8, 0, "32 · blocks"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_partial_wave;
const Rung patterns_partial_wave{
    .family = "patterns",
    .name = "partial_wave",
    .order = 15,
    .summary = "1.2 waves of blocks, which take as long as 2 waves",
    .fault = "wave-tail",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
