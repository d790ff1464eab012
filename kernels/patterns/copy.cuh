// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

/// A copy of `bytes` bytes, one element of type T per thread: shared by the copy_* rungs, which
/// differ only in sizeof(T), the width of each access.
namespace roofscope::kernels::patterns {

constexpr int kCopyThreads = 256;

template <class T>
__global__ void __launch_bounds__(kCopyThreads)
    copyElements(const T* __restrict__ in, T* __restrict__ out, std::size_t count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kCopyThreads + threadIdx.x;
    if (i < count) out[i] = in[i];
}

/// 256 MiB, five times the L2 of an H200, so that DRAM traffic is known.
inline std::vector<Case> copyCases() {
    return {{.shape = {{"bytes", std::int64_t{1} << 28}}, .dtype = DType::U8}};
}

template <class T>
std::vector<Case> copyVerifyCases() {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    std::vector<Case> cases;
    for (const std::int64_t elements : {1, 31, 257, 99'991, 1 << 18})
        cases.push_back({.shape = {{"bytes", elements * size}}, .dtype = DType::U8});
    return cases;
}

template <class T>
std::string copyRefusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::U8),
                   refuseOutside(c, "bytes", 1, std::int64_t{1} << 34),
                   refuseUnlessMultiple(c, "bytes", sizeof(T)));
}

template <class T>
std::unique_ptr<Instance> makeCopy(const Case& c, std::uint64_t seed) {
    const auto bytes = static_cast<std::size_t>(c.shape.at("bytes"));
    return makeArrayInstance<std::uint8_t, std::uint8_t>({
        .input = RandomValues(seed, 1).bytes(bytes),
        .outputCount = bytes,
        .launch =
            [bytes](const std::uint8_t* in, std::uint8_t* out, Stream stream) {
                const std::size_t count = bytes / sizeof(T);
                const auto blocks =
                    static_cast<unsigned>((count + kCopyThreads - 1) / kCopyThreads);
                copyElements<<<blocks, kCopyThreads, 0, stream>>>(reinterpret_cast<const T*>(in),
                                                                  reinterpret_cast<T*>(out), count);
                requireLaunched("a copy");
            },
        .reference =
            [](const std::vector<std::uint8_t>& in) {
                return std::vector<double>(in.begin(), in.end());
            },
        .minimumBytes = 2.0 * static_cast<double>(bytes),
    });
}

template <class T>
std::vector<Expectation> expectCopy(const Case& c) {
    const auto bytes = static_cast<double>(c.shape.at("bytes"));
    const double sectors = std::ceil(bytes / 32);
    const double warps = std::ceil(bytes / sizeof(T) / 32);
    std::vector<Expectation> list{
        {counter::kGlobalLoadBytes, bytes, 0, "bytes"},
        {counter::kGlobalStoreBytes, bytes, 0, "bytes"},
        {counter::kGlobalLoadSectors, sectors, 0, "⌈bytes / 32⌉"},
        {counter::kGlobalStoreSectors, sectors, 0, "⌈bytes / 32⌉"},
        {counter::kGlobalLoads, warps, 0, "⌈bytes / (32 · width)⌉"},
        {counter::kGlobalStores, warps, 0, "⌈bytes / (32 · width)⌉"},
    };
    expectDram(list, bytes, bytes, "bytes", "bytes");
    return list;
}

/// The rung that copies through elements of type T.
template <class T>
constexpr Rung copyRung(std::string_view name, int order, std::string_view summary,
                        std::string_view fault) {
    return {.family = "patterns",
            .name = name,
            .order = order,
            .summary = summary,
            .fault = fault,
            .cases = copyCases,
            .verifyCases = copyVerifyCases<T>,
            .refusal = copyRefusal<T>,
            .make = makeCopy<T>,
            .expect = expectCopy<T>};
}

}  // namespace roofscope::kernels::patterns
