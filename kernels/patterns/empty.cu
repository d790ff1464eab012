// SPDX-License-Identifier: Apache-2.0
//
// A kernel that does nothing.
//
// What this rung does: one block of 32 threads returns at once. Its time is the cost of a launch,
// and its counters are 0.
//
// The fault: none that editing the kernel could fix.
//
// Where it shows: all memory and arithmetic counters are a measured 0, not missing.
#include <cuda_runtime.h>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

__global__ void emptyKernel() {}

std::vector<Case> cases() {
    return {{.shape = {{"blocks", 1}, {"threads", 32}}, .dtype = DType::F32}};
}
std::vector<Case> verifyCases() { return cases(); }
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, kMaxBlocks),
                   refuseOutside(c, "threads", 1, 1024));
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const auto threads = static_cast<unsigned>(c.shape.at("threads"));
    return makeArrayInstance<float, float>({
        .launch =
            [=](const float*, float*, Stream stream) {
                emptyKernel<<<blocks, threads, 0, stream>>>();
                requireLaunched("patterns/empty");
            },
        .reference = [](const std::vector<float>&) { return std::vector<double>(); },
    });
}

std::vector<Expectation> expect(const Case&) {
    std::vector<Expectation> list;
    for (const char* name :
         {counter::kGlobalLoads, counter::kGlobalStores, counter::kGlobalLoadBytes,
          counter::kGlobalStoreBytes, counter::kGlobalLoadSectors, counter::kGlobalStoreSectors,
          counter::kSharedLoads, counter::kSharedStores, counter::kSharedLoadWavefronts,
          counter::kSharedStoreWavefronts, counter::kLocalBytes, counter::kFp32Add,
          counter::kFp32Mul, counter::kFp32Fma})
        list.push_back({name, 0, 0, "the kernel does nothing"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_empty;
const Rung patterns_empty{
    .family = "patterns",
    .name = "empty",
    .order = 16,
    .summary = "does nothing: the cost of a launch",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
