// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/probe.h"
#include "kernels/ceilings/theoretical.h"

/// What the DRAM probes share: arrays far larger than the L2. Each launch walks over them once,
/// with one piece per block and 16 bytes per thread and access.
namespace roofscope::kernels::stream {

inline constexpr unsigned kThreads = 256;
/// The data that one thread moves with one instruction.
using Word = uint4;

/// The cache hint for a word that is used only once.
enum class Hint { None, Streaming };

template <Hint hint>
__device__ inline Word load(const Word* from) {
    if constexpr (hint == Hint::Streaming) return __ldcs(from);
    return *from;
}
template <Hint hint>
__device__ inline void store(Word* to, const Word& word) {
    if constexpr (hint == Hint::Streaming)
        __stcs(to, word);
    else
        *to = word;
}

/// Pseudo-random bits: constant data would need less power in the memory and its links.
__device__ inline Word noise(std::size_t i) {
    unsigned bits = static_cast<unsigned>(i) * 2654435761U;
    bits ^= bits >> 15;
    bits *= 2246822519U;
    // Exponents from 64 to 127, so that the words are small numbers when read as fp32.
    const auto word = [&](unsigned k) { return (bits * (2 * k + 1) & 0xBFFFFFFFU) | 0x20000000U; };
    return make_uint4(word(0), word(1), word(2), word(3));
}
static __global__ void fillWithNoise(Word* words, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) words[i] = noise(i);
}

/// The minimum size of an array in multiples of the L2, so that hardly any of it is still there at
/// the next launch.
inline constexpr std::size_t kTimesL2 = 20;

/// The bytes per array for `arrays` arrays: 4 GiB, or an eighth of the free memory, but at least
/// kTimesL2 × L2; a multiple of each variant's block size.
[[nodiscard]] inline std::size_t arrayBytes(const ProbeGpu& gpu) {
    constexpr std::size_t kWanted = std::size_t{4} << 30, kPiece = std::size_t{1} << 20;
    const std::size_t least = kTimesL2 * gpu.l2Bytes;
    const std::size_t bytes = std::max(least, std::min(kWanted, gpu.freeBytes / 8));
    return (bytes + kPiece - 1) / kPiece * kPiece;
}

/// Arrays filled with noise().
class Arrays {
public:
    Arrays(const ProbeGpu& gpu, int arrays)
        : m_words(arrayBytes(gpu) / sizeof(Word)), m_memory(m_words, arrays) {
        constexpr unsigned kFillThreads = 256;
        for (int i = 0; i < arrays; ++i)
            fillWithNoise<<<static_cast<unsigned>((m_words + kFillThreads - 1) / kFillThreads),
                            kFillThreads>>>(get(i), m_words);
        requireLaunched("fillWithNoise");
        require(cudaDeviceSynchronize(), "filling arrays");
    }
    [[nodiscard]] Word* get(int i) const { return m_memory.get(i); }
    [[nodiscard]] std::size_t words() const { return m_words; }
    [[nodiscard]] std::size_t bytes() const { return m_words * sizeof(Word); }

private:
    std::size_t m_words;
    BufferSets<Word> m_memory;
};

/// A variant that walks over the arrays; `kernel(blocks, stream)` launches it.
template <int PerThread, Hint hint, class Launch>
[[nodiscard]] Workload walk(const std::shared_ptr<Arrays>& arrays, int count, const char* name,
                            Launch launch) {
    const auto blocks = static_cast<unsigned>(arrays->words() / (kThreads * PerThread));
    Workload workload;
    workload.launch = [=](Stream stream) {
        launch(blocks, *arrays, stream);
        requireLaunched(name);
    };
    workload.footprint = static_cast<std::uint64_t>(count) * arrays->bytes();
    workload.work = static_cast<double>(workload.footprint);
    workload.method = "16 bytes per access, " + std::to_string(PerThread) + " per thread" +
                      (hint == Hint::Streaming ? ", with streaming cache hints" : "");
    return workload;
}

}  // namespace roofscope::kernels::stream
