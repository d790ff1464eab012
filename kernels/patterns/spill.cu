// SPDX-License-Identifier: Apache-2.0
//
// A private array indexed at run time: local memory.
//
// What this rung does: an echo. Each thread filters a different constant signal x with y[n] = x +
// gain · y[n − delay], and writes the last y. It keeps the last `delay` values in a ring of 16
// floats.
//
// The fault: registers cannot be indexed, so the ring is in local memory: every step loads and
// stores 4 bytes per thread through the L1. Spilled registers move in the same way and are counted
// by the same counters.
//
// Where it shows: smsp__sass_sectors_mem_local = threads / 8 · (16 + 2 · steps), and hardly any
// other memory traffic. The counter of local bytes shows 1/32 of what moves: it counts an address
// once per warp, and an element has the same local address in every lane.
#include <cuda_runtime.h>

#include <array>
#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

/// 64 bytes per thread: the rings of 2048 threads take half of an SM's L1.
constexpr int kThreads = 256, kRing = 16;
constexpr float kGain = 0.5F;

__global__ void __launch_bounds__(kThreads)
    spill(const float* __restrict__ in, float* __restrict__ out, int steps, int delay) {
    const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    const float x = in[thread];
    float ring[kRing];
#pragma unroll
    for (float& value : ring) value = 0.0F;
    float y = 0.0F;
    int at = 0;
    for (int n = 0; n < steps; ++n) {
        y = fmaf(kGain, ring[at], x);
        ring[at] = y;
        at = at + 1 == delay ? 0 : at + 1;
    }
    out[thread] = y;
}

Case echoCase(std::int64_t blocks, std::int64_t steps, std::int64_t delay) {
    return {.shape = {{"blocks", blocks}, {"steps", steps}, {"delay", delay}}, .dtype = DType::F32};
}
/// 16 blocks for each of 132 SMs.
std::vector<Case> cases() { return {echoCase(132 * 16, 1024, 12)}; }
std::vector<Case> verifyCases() {
    return {echoCase(66, 1024, 12), echoCase(3, 77, 16), echoCase(2, 5, 1), echoCase(1, 1, 2)};
}
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, 1 << 20),
                   refuseOutside(c, "steps", 1, 1 << 20), refuseOutside(c, "delay", 1, kRing));
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const int steps = static_cast<int>(c.shape.at("steps"));
    const int delay = static_cast<int>(c.shape.at("delay"));
    const std::size_t threads = std::size_t{blocks} * kThreads;
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(threads, 0.5F, 1.0F),
        .outputCount = threads,
        .launch =
            [=](const float* in, float* out, Stream stream) {
                spill<<<blocks, kThreads, 0, stream>>>(in, out, steps, delay);
                requireLaunched("patterns/spill");
            },
        .reference =
            [=](const std::vector<float>& in) {
                std::vector<double> out(threads);
                for (std::size_t thread = 0; thread < threads; ++thread) {
                    std::array<double, kRing> ring{};
                    for (int n = 0, at = 0; n < steps; ++n, at = (at + 1) % delay)
                        out[thread] = ring[static_cast<std::size_t>(at)] =
                            kGain * ring[static_cast<std::size_t>(at)] + in[thread];
                }
                return out;
            },
        .tolerance = 1e-5,
        .minimumBytes = 8.0 * static_cast<double>(threads),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const double threads = kThreads * static_cast<double>(c.shape.at("blocks"));
    const auto steps = static_cast<double>(c.shape.at("steps"));
    const double accesses = threads / 32 * (kRing + 2 * steps);  // of 4 bytes, by warps
    return {{counter::kLocalBytes, 4 * accesses, 0, "4 · 8 · blocks · (16 + 2 · steps)"},
            // All lanes use the same index, and local memory stores equal elements of a warp next
            // to each other: four whole sectors.
            {counter::kLocalSectors, 4 * accesses, 0, "4 · 8 · blocks · (16 + 2 · steps)"},
            {counter::kGlobalLoadBytes, 4 * threads, 0, "4 · 256 · blocks"},
            {counter::kGlobalStoreBytes, 4 * threads, 0, "4 · 256 · blocks"},
            {counter::kGlobalLoadSectors, threads / 8, 0, "32 · blocks"},
            {counter::kGlobalStoreSectors, threads / 8, 0, "32 · blocks"},
            {counter::kFp32Fma, threads * steps, 0, "256 · blocks · steps"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_spill;
const Rung patterns_spill{
    .family = "patterns",
    .name = "spill",
    .order = 20,
    .summary = "a private array indexed at run time: local memory",
    .fault = "local-memory-spill",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
