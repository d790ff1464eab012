// SPDX-License-Identifier: Apache-2.0
//
// FP64 rate of the tensor cores.
//
// Why this reaches the limit: each warp adds products to 8 tiles of sums. Sums and operands stay
// in registers, and nothing else is done. There is no warpgroup instruction for fp64: a warp's
// largest product is m16n8k16 on 9.0 and m8n8k4 on 8.0. Graphics chips have hardly any fp64 tensor
// cores.
#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

using tensor::kThreads;
using tensor::kTiles;
constexpr int kRounds = 512;
/// A thread's elements of each matrix on 9.0 (16 × 16, 16 × 8, 16 × 8) and on 8.0 (8 × 4, 4 × 8, 8
/// × 8).
constexpr int kLargeRow = 16, kLargeSums = 4, kSmallRow = 4, kSmallSums = 2;

__global__ void __launch_bounds__(kThreads)
    tensorFp64(const double* operands, double* out, int rounds) {
    double total = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 900
    constexpr int kLeft = 8, kRight = 4, kSums = kLargeSums;
#else
    constexpr int kLeft = 1, kRight = 1, kSums = kSmallSums;
#endif
    double left[kLeft], right[kRight], sums[kTiles][kSums] = {};
#pragma unroll
    for (int i = 0; i < kLeft; ++i) left[i] = operands[32 * i + lane];
#pragma unroll
    for (int i = 0; i < kRight; ++i) right[i] = operands[32 * (kLeft + i) + lane];
#pragma unroll 4
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
#if __CUDA_ARCH__ >= 900
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                : "+d"(sums[t][0]), "+d"(sums[t][1]), "+d"(sums[t][2]), "+d"(sums[t][3])
                : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(left[4]),
                  "d"(left[5]), "d"(left[6]), "d"(left[7]), "d"(right[0]), "d"(right[1]),
                  "d"(right[2]), "d"(right[3]));
#else
            asm volatile(
                "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(sums[t][0]), "+d"(sums[t][1])
                : "d"(left[0]), "d"(right[0]));
#endif
        }
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < kSums; ++i) total += sums[t][i];
#endif
    out[std::size_t{blockIdx.x} * kThreads + threadIdx.x] = total;
}

std::string refusal(const ProbeGpu& gpu) {
    if (!perClock(gpu, "tensor_fp64"))
        return "an fp64 rate of the tensor cores is known only for compute capability 8.0 and 9.0";
    return tensor::refusal(gpu, 80, tensorFp64);
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    constexpr std::size_t kOperands = 32 * 12;
    const bool large = gpu.computeCapability >= 90;
    const unsigned blocks = fullWave(gpu, tensorFp64, kThreads);
    const std::size_t threads = std::size_t{blocks} * kThreads;
    const double perRound = kTiles * (large ? kLargeSums * kLargeRow : kSmallSums * kSmallRow);
    // The small product has an eighth of the large one's work.
    const int rounds = large ? kRounds : 8 * kRounds;

    RandomValues random(1, 1);
    std::vector<double> values(kOperands);
    for (double& value : values) value = double{random.uniform(-1.0F, 1.0F)};
    const auto operands = std::make_shared<BufferSets<double>>(kOperands, 1);
    operands->upload(values);
    const auto out = std::make_shared<BufferSets<double>>(threads, 1);

    Workload workload;
    workload.launch = [=](Stream stream) {
        tensorFp64<<<blocks, kThreads, 0, stream>>>(operands->get(0), out->get(0), rounds);
        requireLaunched("tensor_fp64");
    };
    constexpr double kOperationsPerProduct = 2;
    workload.work = kOperationsPerProduct * perRound * rounds * static_cast<double>(threads);
    workload.method = std::string("mma.sync.") + (large ? "m16n8k16" : "m8n8k4") +
                      ".f64, operands in registers, random values";
    workload.check = [=]() -> std::string {
        constexpr int kFewRounds = 4;
        BufferSets<double> ones(kOperands, 1);
        ones.upload(std::vector<double>(kOperands, 1.0));
        out->poison(0);
        tensorFp64<<<blocks, kThreads>>>(ones.get(0), out->get(0), kFewRounds);
        requireLaunched("tensor_fp64");
        const double expected = perRound * kFewRounds;
        for (const double total : out->download(0))
            if (total != expected)
                return "ones times ones gave " + std::to_string(total) + " instead of " +
                       std::to_string(expected);
        return {};
    };
    return {workload};
}

std::optional<double> theoretical(const ProbeGpu& gpu) {
    return perSm(gpu, perClock(gpu, "tensor_fp64"));
}

}  // namespace

namespace probes {
extern const Probe tensor_fp64;
const Probe tensor_fp64{
    .name = "tensor_fp64",
    .kind = Ceiling::Kind::Compute,
    .order = 16,
    .summary = "dense FP64 matrix products",
    .refusal = refusal,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
