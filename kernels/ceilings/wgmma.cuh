// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// The warpgroup matrix products of compute capability 9.0, which CUDA C++ does not expose. They
/// exist only in code for 9.0a. Those here multiply 64 rows of 32 bytes by 256 columns of 32
/// bytes, both from shared memory, and add to 64 × 256 sums: 128 registers in each of 128
/// threads.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ROOFSCOPE_HAS_WGMMA 1

/// The 128 sums in an instruction's text and operand list; the two descriptors follow as %128 and
/// %129. `c` is the constraint, `d` the array.
#define ROOFSCOPE_WGMMA_SUMS                                                                       \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                      \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "   \
    "%127} "
#define ROOFSCOPE_WGMMA_4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define ROOFSCOPE_WGMMA_16(c, d, i)                                                             \
    ROOFSCOPE_WGMMA_4(c, d, i), ROOFSCOPE_WGMMA_4(c, d, i + 4), ROOFSCOPE_WGMMA_4(c, d, i + 8), \
        ROOFSCOPE_WGMMA_4(c, d, i + 12)
#define ROOFSCOPE_WGMMA_OPERANDS(c, d)                                                            \
    ROOFSCOPE_WGMMA_16(c, d, 0), ROOFSCOPE_WGMMA_16(c, d, 16), ROOFSCOPE_WGMMA_16(c, d, 32),      \
        ROOFSCOPE_WGMMA_16(c, d, 48), ROOFSCOPE_WGMMA_16(c, d, 64), ROOFSCOPE_WGMMA_16(c, d, 80), \
        ROOFSCOPE_WGMMA_16(c, d, 96), ROOFSCOPE_WGMMA_16(c, d, 112)

/// One product; `type` is "m64n256k16.f32.bf16.bf16", `more` the arguments after the descriptors
/// (", 1, 1, 1, 0, 0;": add to the sums, signs, no transposition).
#define ROOFSCOPE_WGMMA(type, more, c, d, a, b)                                                    \
    asm volatile("wgmma.mma_async.sync.aligned." type " " ROOFSCOPE_WGMMA_SUMS ", %128, %129" more \
                 : ROOFSCOPE_WGMMA_OPERANDS(c, d)                                                  \
                 : "l"(a), "l"(b))

namespace roofscope::kernels::wgmma {

inline constexpr unsigned kRows = 64, kColumns = 256;

/// The descriptor of a matrix of `rows` rows of 32 bytes in shared memory, not swizzled. Pieces of
/// 8 rows × 16 bytes are contiguous; horizontal neighbours are 16 · rows bytes apart, vertical ones
/// 128 bytes.
__device__ inline std::uint64_t descriptor(const void* shared, unsigned rows) {
    constexpr unsigned kPieceBytes = 128;
    const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(shared));
    const auto field = [](std::uint64_t bytes) { return (bytes & 0x3FFFF) >> 4; };
    return field(address) | field(16 * rows) << 16 | field(kPieceBytes) << 32;
}
/// The descriptor of a matrix that starts `bytes` later.
__device__ inline std::uint64_t advanced(std::uint64_t descriptor, unsigned bytes) {
    return descriptor + (bytes >> 4);
}
/// Makes the threads' stores to shared memory visible to later products.
__device__ inline void fenceShared() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// From here on products may use the registers of the sums.
__device__ inline void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Ends a group of products and waits for it.
__device__ inline void finish() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}  // namespace roofscope::kernels::wgmma
#endif
