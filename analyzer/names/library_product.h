// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace roofscope {

/// What the name of a library's kernel says about the matrix product that it computes.
/// "cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1": tensor cores, bf16, rows whose
/// length is not a multiple of 2.
struct LibraryProduct {
    enum class Kind {
        Matrices,     ///< matrix times matrix
        Vector,       ///< matrix times vector (gemv)
        PartialSums,  ///< adds the parts of a split-k product
        Convolution
    };
    Kind kind = Kind::Matrices;
    bool tensorCores = false;    ///< by its name; false if the name does not say
    bool plainFp32 = false;      ///< fp32 matrices by multiply-adds in FP32, without tensor cores
    std::optional<int> aligned;  ///< rows and pointers are multiples of this many elements
    /// Elements in 16 bytes. The library has its best kernels for rows that are multiples of this.
    int wanted = 8;
};

/// Absent if the name is not that of a product of cuBLAS, cuDNN or CUTLASS.
[[nodiscard]] std::optional<LibraryProduct> libraryProduct(std::string_view kernelName);

/// Whether the name is that of an attention kernel (cuDNN, FlashAttention, xFormers).
[[nodiscard]] bool isAttention(std::string_view kernelName);

}  // namespace roofscope
