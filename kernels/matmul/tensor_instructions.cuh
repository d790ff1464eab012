// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Instructions of compute capability 8.0 that CUDA C++ does not expose: asynchronous copies to
/// shared memory, and products of small matrices held in a warp's registers.
namespace roofscope::kernels::matmul {

/// Whether the code being compiled may use them. The bundled code for 7.5 must compile as well.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool kBf16TensorCores = false;
#else
inline constexpr bool kBf16TensorCores = true;
#endif

/// Starts copying 16 bytes from global to shared memory, or, if `inside` is false, puts 16 zero
/// bytes there without reading. Both addresses are multiples of 16.
__device__ inline void copyPieceAsync(void* shared, const void* global, bool inside) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(global),
                 "r"(bytes)
                 : "memory");
}
/// Ends a group of copies; groups complete in order. A group may be empty.
__device__ inline void endCopyGroup() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
/// Waits until at most `Pending` of this thread's groups are in flight.
template <int Pending>
__device__ inline void waitForCopyGroups() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

/// Reads four 8 × 8 matrices of 16-bit elements. Lane l passes the address of row l % 8 (16 bytes)
/// of matrix l / 8; register i of lane l gets elements 2·(l % 4) and 2·(l % 4) + 1 of row l / 4 of
/// matrix i.
__device__ inline void loadMatrices(std::uint32_t (&to)[4], const void* row) {
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}
/// The same, but each matrix is transposed.
__device__ inline void loadMatricesTransposed(std::uint32_t (&to)[4], const void* row) {
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/// sums += left · right in the tensor core: left 16 × 16 and right 16 × 8 in bf16, sums 16 × 8 in
/// fp32. With g = lane / 4 and p = 2·(lane % 4), a lane holds
/// left: (g, p), (g + 8, p), (g, p + 8), (g + 8, p + 8), each with the element to its right;
/// right: rows p and p + 1 of column g, then rows p + 8 and p + 9;
/// sums: (g, p), (g, p + 1), (g + 8, p), (g + 8, p + 1).
__device__ inline void multiplyAdd(float (&sums)[4], const std::uint32_t (&left)[4],
                                   std::uint32_t right0, std::uint32_t right1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

}  // namespace roofscope::kernels::matmul
