// SPDX-License-Identifier: Apache-2.0
#include "kernels/gelu/gelu.h"

#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels::gelu {
namespace {

Case lengthCase(std::int64_t n) { return {.shape = {{"n", n}}, .dtype = DType::F32}; }

/// Sectors of an array of n floats that starts at a sector. Elements left over by wide accesses
/// take a separate instruction and touch their sector again.
double sectorsOf(std::int64_t n, int width) {
    const std::int64_t wide = n / width * width;
    const std::int64_t sectors = (wide + 7) / 8 + (n > wide ? 1 : 0);
    return static_cast<double>(sectors);
}

std::string sectorText(int width) { return width == 1 ? "⌈n / 8⌉" : "⌈⌊n/4⌋ / 2⌉ + [n mod 4 > 0]"; }

std::string times(int arrays, const std::string& one) {
    return arrays == 1 ? one : std::to_string(arrays) + " · (" + one + ")";
}

}  // namespace

std::vector<Case> geluCases() { return {lengthCase(std::int64_t{1} << 26)}; }

std::vector<Case> geluVerifyCases() {
    std::vector<Case> cases;
    for (const std::int64_t n : {1, 3, 4, 31, 1023, 4096, 4099, 99'991, (1 << 18) + 2})
        cases.push_back(lengthCase(n));
    return cases;
}

std::string geluRefusal(const Case& c) {
    return patterns::firstOf(patterns::refuseOtherTypes(c, DType::F32),
                             patterns::refuseOutside(c, "n", 1, std::int64_t{1} << 32));
}

std::vector<Expectation> expectElementwise(const Case& c, int inputs, int width) {
    const std::int64_t n = c.shape.at("n");
    const double bytes = 4.0 * static_cast<double>(n), sectors = sectorsOf(n, width);
    const std::string loadBytes = std::to_string(4 * inputs) + " · n";
    std::vector<Expectation> list{
        {counter::kGlobalLoadBytes, inputs * bytes, 0, loadBytes},
        {counter::kGlobalStoreBytes, bytes, 0, "4 · n"},
        {counter::kGlobalLoadSectors, inputs * sectors, 0, times(inputs, sectorText(width))},
        {counter::kGlobalStoreSectors, sectors, 0, sectorText(width)},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
    // Only if every thread of every block has work: an instruction without an active thread may or
    // may not be skipped.
    constexpr std::int64_t kBlockElements = 1024;
    if (n % kBlockElements == 0) {
        const double warps = static_cast<double>(n / (32 * width));
        const std::string text = width == 1 ? "n / 32" : "n / 128";
        list.push_back({counter::kGlobalLoads, inputs * warps, 0, times(inputs, text)});
        list.push_back({counter::kGlobalStores, warps, 0, text});
    }
    expectDram(list, inputs * bytes, bytes, loadBytes, "4 · n");
    return list;
}

std::vector<Expectation> expectElementwiseChain(const Case& c) {
    std::vector<Expectation> list;
    for (const Expectation& e : expectElementwise(c, 1, 4))
        for (const char* same : {counter::kGlobalStoreBytes, counter::kGlobalStoreSectors,
                                 counter::kGlobalStores, counter::kLocalBytes})
            if (e.counter == same) {
                list.push_back(e);
                list.back().formula += ", every launch of the chain";
            }
    return list;
}

}  // namespace roofscope::kernels::gelu
