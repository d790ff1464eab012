// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda_failure.h"

namespace roofscope::kernels {

/// How many copies of a working set of `bytes` are rotated: together they are twice as large as the
/// L2 of current GPUs (50 to 126 MB), so that a launch does not find its inputs in the L2.
[[nodiscard]] inline int rotationSets(double bytes) {
    constexpr double kTotalBytes = 256.0 * 1024 * 1024;
    constexpr double kMaxSets = 64;  // tiny cases are served by the L2 in any program
    return static_cast<int>(std::clamp(kTotalBytes / std::max(bytes, 1.0), 1.0, kMaxSets));
}

/// Equal device buffers of `count` elements each, one per input set, aligned like cudaMalloc's (256
/// bytes). After each is a guard that stays poisoned unless a kernel writes past the end.
template <class T>
class BufferSets {
public:
    static constexpr std::size_t kGuardBytes = 256;
    /// A byte pattern that is a NaN in every floating-point type.
    static constexpr unsigned char kPoison = 0xFF;

    BufferSets(std::size_t count, int sets)
        : m_count(count),
          m_stride((count * sizeof(T) + kGuardBytes + 255) / 256 * 256),
          m_sets(sets) {
        const std::size_t bytes = m_stride * static_cast<std::size_t>(sets);
        require(cudaMalloc(&m_memory, bytes),
                "allocating " + std::to_string(bytes / (1024 * 1024) + 1) + " MiB on the GPU");
        require(cudaMemset(m_memory, kPoison, bytes), "clearing GPU memory");
    }
    ~BufferSets() { cudaFree(m_memory); }
    BufferSets(const BufferSets&) = delete;
    BufferSets& operator=(const BufferSets&) = delete;

    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] T* get(int set) const {
        return reinterpret_cast<T*>(static_cast<char*>(m_memory) +
                                    m_stride * static_cast<std::size_t>(set));
    }

    /// Copies `host` into every set.
    void upload(const std::vector<T>& host) {
        const std::size_t bytes = m_count * sizeof(T);
        require(cudaMemcpy(get(0), host.data(), bytes, cudaMemcpyHostToDevice), "copying inputs");
        for (int set = 1; set < m_sets; ++set)
            require(cudaMemcpy(get(set), get(0), bytes, cudaMemcpyDeviceToDevice),
                    "copying inputs");
    }
    /// Fills one set with the poison pattern.
    void poison(int set) {
        require(cudaMemset(get(set), kPoison, m_count * sizeof(T) + kGuardBytes),
                "poisoning outputs");
    }
    /// The contents of one set.
    [[nodiscard]] std::vector<T> download(int set) const {
        std::vector<T> host(m_count);
        require(cudaMemcpy(host.data(), get(set), m_count * sizeof(T), cudaMemcpyDeviceToHost),
                "reading outputs back");
        return host;
    }
    /// The number of guard bytes of one set that were overwritten.
    [[nodiscard]] std::uint64_t bytesWrittenOutside(int set) const {
        std::vector<unsigned char> guard(kGuardBytes);
        require(cudaMemcpy(guard.data(), get(set) + m_count, kGuardBytes, cudaMemcpyDeviceToHost),
                "reading outputs back");
        return static_cast<std::uint64_t>(std::count_if(
            guard.begin(), guard.end(), [](unsigned char b) { return b != kPoison; }));
    }

private:
    void* m_memory = nullptr;
    std::size_t m_count = 0, m_stride = 0;
    int m_sets = 1;
};

}  // namespace roofscope::kernels
