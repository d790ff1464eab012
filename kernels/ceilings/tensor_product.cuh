// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"
#include "kernels/ceilings/wgmma.cuh"
#include "kernels/random_values.h"

/// What the probes of the tensor cores share. On compute capability 9.0 two warpgroups per SM
/// multiply matrices in shared memory (wgmma.m64n256: mma.sync reaches about two thirds there); on
/// other chips warps multiply matrices in registers (mma.sync.m16n8). Rows are 32 bytes in both.
///
/// Why this reaches the limit: products are issued one after the other into sums in registers, from
/// operands that stay in shared memory (9.0) or registers (others); nothing else is done. On 9.0 a
/// product of 64 × 256 sums keeps all four tensor cores of an SM busy for 128 clocks and reads 10
/// KB of shared memory in that time, less than it can deliver. A second warpgroup works while the
/// first one waits. Operands are random: constants take less power and would run at clocks that no
/// real program reaches.
///
/// `Instruction` is one type of product. It defines kName of its probe, the least compute
/// capability (times ten), Sum, kElementsPerRow, kOnes and randomWord() for operands, and
/// ROOFSCOPE_TENSOR_INSTRUCTION.

/// The products of one type: PTX names of the types of sums and operands, kElementsPerRow as text,
/// the constraint of a sum, and wgmma's arguments after its descriptors.
#define ROOFSCOPE_TENSOR_INSTRUCTION(sum, type, k, constraint, more)                              \
    static constexpr const char* kWgmmaName = "m64n256k" k "." sum "." type "." type;             \
    static constexpr const char* kMmaName = "m16n8k" k ".row.col." sum "." type "." type "." sum; \
    ROOFSCOPE_TENSOR_PRODUCT(sum, type, k, constraint, more)

#if defined(ROOFSCOPE_HAS_WGMMA)
#define ROOFSCOPE_TENSOR_PRODUCT(sum, type, k, constraint, more)                              \
    __device__ static void wgmma(Sum(&sums)[128], std::uint64_t left, std::uint64_t right) {  \
        ROOFSCOPE_WGMMA("m64n256k" k "." sum "." type "." type, more, constraint, sums, left, \
                        right);                                                               \
    }
#else
#define ROOFSCOPE_TENSOR_PRODUCT(sum, type, k, constraint, more)                              \
    template <class = void> /* made only where kLeast allows it */                            \
    __device__ static void mma(Sum(&sums)[4], const unsigned(&left)[4],                       \
                               const unsigned(&right)[2]) {                                   \
        asm volatile("mma.sync.aligned.m16n8k" k ".row.col." sum "." type "." type "." sum    \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                     : constraint(sums[0]), constraint(sums[1]), constraint(sums[2]),         \
                       constraint(sums[3])                                                    \
                     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), \
                       "r"(right[1]));                                                        \
    }
#endif

namespace roofscope::kernels::tensor {

inline constexpr unsigned kThreads = 256, kWarpgroups = 2;
/// Words of 16 bytes: both warpgroups' left matrices and the right matrix for each step of a round.
inline constexpr unsigned kSteps = 4, kLeftWords = 64 * 2, kRightWords = 256 * 2;
inline constexpr unsigned kOperandWords = kSteps * (kWarpgroups * kLeftWords + kRightWords);
/// The steps of a round issued before waiting once: each step twice.
inline constexpr unsigned kIssued = 2 * kSteps;
/// Tiles of 16 × 8 sums per warp with mma.sync.
inline constexpr int kTiles = 8;

/// Adds products to sums `rounds` times and stores, for each thread, the total of its sums.
template <class Instruction, class Sum = typename Instruction::Sum>
__global__ void __launch_bounds__(kThreads, 1)
    tensorProduct(const uint4* operands, Sum* out, int rounds) {
#if defined(ROOFSCOPE_HAS_WGMMA)
    __shared__ alignas(128) uint4 tiles[kOperandWords];
    for (unsigned i = threadIdx.x; i < kOperandWords; i += kThreads) tiles[i] = operands[i];
    wgmma::fenceShared();
    __syncthreads();
    const unsigned group = threadIdx.x / 128;
    const std::uint64_t right = wgmma::descriptor(tiles, wgmma::kColumns);
    const std::uint64_t left =
        wgmma::descriptor(tiles + kSteps * (kRightWords + group * kLeftWords), wgmma::kRows);
    Sum sums[128];
#pragma unroll
    for (int i = 0; i < 128; ++i) sums[i] = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        wgmma::begin();
#pragma unroll
        for (unsigned i = 0; i < kIssued; ++i)
            Instruction::wgmma(sums, wgmma::advanced(left, 16 * kLeftWords * (i % kSteps)),
                               wgmma::advanced(right, 16 * kRightWords * (i % kSteps)));
        wgmma::finish();
    }
    Sum total = 0;
#pragma unroll
    for (int i = 0; i < 128; ++i) total += sums[i];
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned lane = threadIdx.x % 32;
    const uint4 word = operands[lane];
    const unsigned left[4] = {word.x, word.y, word.z, word.w};
    unsigned right[kTiles][2];
    Sum sums[kTiles][4] = {};
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
        const uint4 pair = operands[32 * (1 + t) + lane];
        right[t][0] = pair.x;
        right[t][1] = pair.y;
    }
#pragma unroll 4
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int t = 0; t < kTiles; ++t)
            if constexpr (__CUDA_ARCH__ >= 10 * Instruction::kLeast)
                Instruction::mma(sums[t], left, right[t]);
    Sum total = 0;
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i) total += sums[t][i];
#else
    const Sum total = 0;
#endif
    out[std::size_t{blockIdx.x} * kThreads + threadIdx.x] = total;
}

/// Products per round on which one thread's total depends: its sums × length of a row.
template <class Instruction>
[[nodiscard]] double productsPerThread(const ProbeGpu& gpu) {
    return hasWgmma(gpu) ? 128.0 * kIssued * Instruction::kElementsPerRow
                         : 4.0 * kTiles * Instruction::kElementsPerRow;
}

/// Why a GPU cannot be measured; empty if it can. `least`: minimum capability (times ten).
template <class Kernel>
[[nodiscard]] std::string refusal(const ProbeGpu& gpu, int least, Kernel* kernel) {
    if (gpu.computeCapability < least)
        return "it needs compute capability " + computeCapabilityText(least);
    const std::optional<bool> tensorMemory = hasTensorMemory(gpu);
    if (!tensorMemory) return "its tensor cores are unknown: there is no chip table for this GPU";
    if (*tensorMemory)
        return "the tensor cores of compute capability " +
               computeCapabilityText(gpu.computeCapability) +
               " need tcgen05 instructions, which this probe does not have yet";
    if (!hasWgmma(gpu)) return {};
    cudaFuncAttributes attributes{};
    const bool known = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
    if (!known) (void)cudaGetLastError();
    if (known && attributes.ptxVersion >= 90) return {};
    return "this build has no code for compute capability 9.0a (it needs nvcc 12.0 or later)";
}

template <class Instruction>
[[nodiscard]] std::vector<Workload> workloads(const ProbeGpu& gpu) {
    using Sum = typename Instruction::Sum;
    constexpr int kRounds = 1024;
    const auto kernel = tensorProduct<Instruction>;
    const unsigned blocks = fullWave(gpu, kernel, kThreads);
    const std::size_t threads = std::size_t{blocks} * kThreads;
    const auto fill = [](auto word) {
        std::vector<uint4> words(kOperandWords);
        for (uint4& w : words) w = make_uint4(word(), word(), word(), word());
        return words;
    };
    const auto operands = std::make_shared<BufferSets<uint4>>(kOperandWords, 1);
    RandomValues random(1, 1);
    operands->upload(fill([&random] { return Instruction::randomWord(random); }));
    const auto out = std::make_shared<BufferSets<Sum>>(threads, 1);
    const double perRound = productsPerThread<Instruction>(gpu);

    Workload workload;
    workload.launch = [=](Stream stream) {
        tensorProduct<Instruction>
            <<<blocks, kThreads, 0, stream>>>(operands->get(0), out->get(0), kRounds);
        requireLaunched(Instruction::kName);
    };
    constexpr double kOperationsPerProduct = 2;
    workload.work = kOperationsPerProduct * perRound * kRounds * static_cast<double>(threads);
    workload.method = hasWgmma(gpu) ? std::string("wgmma.") + Instruction::kWgmmaName +
                                          ", operands in shared memory, random values"
                                    : std::string("mma.sync.") + Instruction::kMmaName +
                                          ", operands in registers, random values";
    // Ones times ones: each total must equal the number of products, so that none was skipped.
    workload.check = [=]() -> std::string {
        constexpr int kFewRounds = 4;  // sums stay exact in all types
        BufferSets<uint4> ones(kOperandWords, 1);
        ones.upload(fill([] { return Instruction::kOnes; }));
        out->poison(0);
        tensorProduct<Instruction><<<blocks, kThreads>>>(ones.get(0), out->get(0), kFewRounds);
        requireLaunched(Instruction::kName);
        const double expected = perRound * kFewRounds;
        for (const Sum total : out->download(0))
            if (static_cast<double>(total) != expected)
                return "ones times ones gave " + std::to_string(static_cast<double>(total)) +
                       " instead of " + std::to_string(expected);
        return {};
    };
    return {workload};
}

/// The probe of one type of product.
template <class Instruction>
[[nodiscard]] Probe probe(int order, std::string_view summary) {
    return {.name = Instruction::kName,
            .kind = Ceiling::Kind::Compute,
            .order = order,
            .summary = summary,
            .refusal =
                [](const ProbeGpu& gpu) {
                    return refusal(gpu, Instruction::kLeast, tensorProduct<Instruction>);
                },
            .theoretical =
                [](const ProbeGpu& gpu) { return perSm(gpu, perClock(gpu, Instruction::kName)); },
            .make = workloads<Instruction>};
}

}  // namespace roofscope::kernels::tensor
