// SPDX-License-Identifier: Apache-2.0
//
// INT8 rate of the tensor cores, dense, sums in 32-bit integers.
//
// Why this reaches the limit: products are issued one after the other into sums that stay in
// registers, from operands that stay in shared memory (9.0) or registers (others); nothing else is
// done. On 9.0 a product of 64 × 256 sums keeps all four tensor cores of an SM busy for 128 clocks
// and reads 10 KB of shared memory in that time, less than it can give; a second warpgroup works
// while the first one waits. Operands are random, because constant ones take less power and would
// run at clocks that no real program sees.

#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

struct Instruction {
    using Sum = int;
    static constexpr int kElementsPerRow = 32;
    static constexpr std::uint32_t kOnes = 0x01010101;
    static constexpr const char* kWgmmaName = "m64n256k32.s32.s8.s8";
    static constexpr const char* kMmaName = "m16n8k32.row.col.s32.s8.s8.s32";
    static std::uint32_t randomWord(RandomValues& random) {
        return static_cast<std::uint32_t>(random.bits());
    }
#if defined(ROOFSCOPE_HAS_WGMMA)
    __device__ static void wgmma(Sum (&sums)[128], std::uint64_t left, std::uint64_t right) {
        ROOFSCOPE_WGMMA("m64n256k32.s32.s8.s8", ", 1;", "+r", sums, left, right);
    }
#else
    __device__ static void mma(Sum (&sums)[4], const unsigned (&left)[4],
                               const unsigned (&right)[2]) {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
#endif
    }
#endif
};

std::string refusal(const ProbeGpu& gpu) {
    return tensor::refusal(gpu, 80, tensor::tensorProduct<Instruction>);
}
std::vector<Workload> make(const ProbeGpu& gpu) {
    return tensor::workloads<Instruction>(gpu, "tensor_int8");
}
std::optional<double> theoretical(const ProbeGpu& gpu) {
    return perSm(gpu, operationsPerClock(gpu, Pipe::TensorByte));
}

}  // namespace

namespace probes {
extern const Probe tensor_int8;
const Probe tensor_int8{
    .name = "tensor_int8",
    .kind = Ceiling::Kind::Compute,
    .order = 15,
    .summary = "dense INT8 matrix products, sums in 32-bit integers",
    .refusal = refusal,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
