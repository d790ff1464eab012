// SPDX-License-Identifier: Apache-2.0
// Thrust and CUB: random keys are generated, sorted, scanned, reduced and counted.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>

namespace {

/// A hash, so that the keys are the same on every machine.
struct Key {
    __device__ std::uint32_t operator()(std::uint32_t i) const {
        i = (i ^ (i >> 16)) * 0x45d9f3bU;
        i = (i ^ (i >> 16)) * 0x45d9f3bU;
        return i ^ (i >> 16);
    }
};

}  // namespace

int main() {
    constexpr int kKeys = 1 << 24, kBins = 256;
    thrust::device_vector<std::uint32_t> keys(kKeys), sums(kKeys);
    thrust::device_vector<int> histogram(kBins);
    thrust::device_vector<unsigned long long> total(1);
    thrust::device_vector<char> scratch;
    const auto run = [&](auto&& algorithm) {
        std::size_t bytes = 0;
        if (algorithm(nullptr, bytes) != cudaSuccess) return false;
        if (scratch.size() < bytes) scratch.resize(bytes);
        return algorithm(scratch.data().get(), bytes) == cudaSuccess;
    };
    for (int i = 0; i < 5; ++i) {
        const thrust::counting_iterator<std::uint32_t> first(static_cast<std::uint32_t>(i));
        thrust::transform(first, first + kKeys, keys.begin(), Key{});
        thrust::sort(keys.begin(), keys.end());
        const auto* in = keys.data().get();
        const bool done =
            run([&](void* temporary, std::size_t& bytes) {
                return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, sums.data().get(),
                                                     kKeys);
            }) &&
            run([&](void* temporary, std::size_t& bytes) {
                return cub::DeviceReduce::Reduce(temporary, bytes, in, total.data().get(), kKeys,
                                                 cuda::std::plus<>{}, 0ULL);
            }) &&
            run([&](void* temporary, std::size_t& bytes) {
                return cub::DeviceHistogram::HistogramEven(temporary, bytes, in,
                                                           histogram.data().get(), kBins + 1, 0.0f,
                                                           4294967296.0f, kKeys);
            });
        if (!done || cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    const std::uint32_t median = keys[kKeys / 2], last = sums[kKeys - 1];
    const int some = histogram[7];
    const unsigned long long all = total[0];
    std::printf("%u %u %d %llu\n", median, last, some, all);
    return 0;
}
