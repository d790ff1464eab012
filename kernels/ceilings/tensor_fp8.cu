// SPDX-License-Identifier: Apache-2.0
//
// FP8 (e4m3) rate of the tensor cores, dense, sums in fp32.
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
    using Sum = float;
    static constexpr int kElementsPerRow = 32;
    static constexpr std::uint32_t kOnes = 0x38383838;
    static constexpr const char* kWgmmaName = "m64n256k32.f32.e4m3.e4m3";
    static constexpr const char* kMmaName = "m16n8k32.row.col.f32.e4m3.e4m3.f32";
    static std::uint32_t randomWord(RandomValues& random) {
        // Without the highest bit of the exponent: values below 2, and none that is no number.
        return static_cast<std::uint32_t>(random.bits()) & 0xBFBFBFBF;
    }
#if defined(ROOFSCOPE_HAS_WGMMA)
    __device__ static void wgmma(Sum (&sums)[128], std::uint64_t left, std::uint64_t right) {
        ROOFSCOPE_WGMMA("m64n256k32.f32.e4m3.e4m3", ", 1, 1, 1;", "+f", sums, left, right);
    }
#else
    __device__ static void mma(Sum (&sums)[4], const unsigned (&left)[4],
                               const unsigned (&right)[2]) {
#if __CUDA_ARCH__ >= 890
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
#endif
    }
#endif
};

std::string refusal(const ProbeGpu& gpu) {
    return tensor::refusal(gpu, 89, tensor::tensorProduct<Instruction>);
}
std::vector<Workload> make(const ProbeGpu& gpu) {
    return tensor::workloads<Instruction>(gpu, "tensor_fp8");
}
std::optional<double> theoretical(const ProbeGpu& gpu) {
    return perSm(gpu, operationsPerClock(gpu, Pipe::TensorByte));
}

}  // namespace

namespace probes {
extern const Probe tensor_fp8;
const Probe tensor_fp8{
    .name = "tensor_fp8",
    .kind = Ceiling::Kind::Compute,
    .order = 14,
    .summary = "dense FP8 (e4m3) matrix products, sums in fp32",
    .refusal = refusal,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
