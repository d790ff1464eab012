// SPDX-License-Identifier: Apache-2.0
//
// Atomic additions of many threads to few counters.
//
// What this rung does: a histogram directly in global memory. Thread i loads the bin of element i
// and adds 1 to that bin's counter; there are `addresses` bins (1 by default). Bins are loaded, so
// that the compiler cannot know that they are equal and add up a warp's lanes first. Counters are
// not reset between launches.
//
// The fault: additions to one address are serialised in the L2, by the slice that holds it. Many
// bins, or summing within a warp or block first, would spread or avoid them.
//
// Where it shows: lts__d_atomic_input_cycles_active (counter group "atomics"). With one address its
// .max is near the elapsed cycles and a hundred times its .avg; with a million addresses it is
// close to .avg. Time grows as `addresses` shrinks, but the known answers, which are those of the
// loads, do not change.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    atomicContention(const std::uint32_t* __restrict__ bins, std::uint32_t* __restrict__ counters,
                     std::uint32_t n) {
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) atomicAdd(&counters[bins[i]], 1u);
}

Case histogramCase(std::int64_t n, std::int64_t addresses) {
    return {.shape = {{"n", n}, {"addresses", addresses}}, .dtype = DType::F32};
}
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const int addresses : {1, 32, 1024, 1 << 20})
        list.push_back(histogramCase(1 << 22, addresses));
    return list;
}
std::vector<Case> verifyCases() {
    return {histogramCase(1 << 18, 1), histogramCase(99'991, 32), histogramCase(99'991, 1009),
            histogramCase(33, 33), histogramCase(1, 1)};
}
std::string refusal(const Case& c) {
    const std::string text =
        firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "n", 1, std::int64_t{1} << 31),
                refuseOutside(c, "addresses", 1, std::int64_t{1} << 31));
    if (!text.empty()) return text;
    return c.shape.at("addresses") <= c.shape.at("n") ? ""
                                                      : "there are more addresses than elements";
}

/// All bins equally often, to within one, in random order.
std::vector<std::uint32_t> shuffledBins(std::size_t n, std::size_t addresses, std::uint64_t seed) {
    std::vector<std::uint32_t> bins(n);
    for (std::size_t i = 0; i < n; ++i) bins[i] = static_cast<std::uint32_t>(i % addresses);
    RandomValues random(seed, 1);
    for (std::size_t i = n - 1; i > 0; --i) std::swap(bins[i], bins[random.bits() % (i + 1)]);
    return bins;
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(c.shape.at("n"));
    const auto addresses = static_cast<std::size_t>(c.shape.at("addresses"));
    return makeArrayInstance<std::uint32_t, std::uint32_t>({
        .input = shuffledBins(n, addresses, seed),
        .outputCount = addresses,
        .launch =
            [n](const std::uint32_t* in, std::uint32_t* out, Stream stream) {
                const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
                atomicContention<<<blocks, kThreads, 0, stream>>>(in, out,
                                                                  static_cast<std::uint32_t>(n));
                requireLaunched("patterns/atomic_contention");
            },
        // Poisoned counters hold 2^32 − 1, i.e. −1: after k additions they hold k − 1. Every bin
        // occurs, so none stays poisoned.
        .reference =
            [addresses](const std::vector<std::uint32_t>& bins) {
                std::vector<double> counters(addresses, -1.0);
                for (const std::uint32_t bin : bins) counters[bin] += 1.0;
                return counters;
            },
        .minimumBytes = 4.0 * static_cast<double>(n + 2 * addresses),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto n = static_cast<double>(c.shape.at("n"));
    return {{counter::kGlobalLoads, std::ceil(n / 32), 0, "⌈n / 32⌉"},
            {counter::kGlobalLoadBytes, 4 * n, 0, "4·n, the bins"},
            {counter::kGlobalLoadSectors, std::ceil(n / 8), 0, "⌈n / 8⌉"},
            {counter::kGlobalStores, 0, 0, "none: atomic additions do not count as stores"},
            {counter::kGlobalStoreBytes, 0, 0, "none: atomic additions do not count as stores"},
            {counter::kFp32Add, 0, 0, "none: the counters are integers"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_atomic_contention;
const Rung patterns_atomic_contention{
    .family = "patterns",
    .name = "atomic_contention",
    .order = 22,
    .summary = "atomic additions by all threads to a few counters (default 1)",
    .fault = "atomic-contention",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
