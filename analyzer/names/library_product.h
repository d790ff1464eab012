// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace roofscope {

/// What the name of a library's kernel says of the product of matrices that it computes.
/// "cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1": tensor cores, bf16, rows whose
/// length is no multiple of 2.
struct LibraryProduct {
    enum class Kind {
        Matrices,     ///< matrix times matrix
        Vector,       ///< matrix times vector (gemv)
        PartialSums,  ///< adds the parts of a split-k product
        Convolution
    };
    Kind kind = Kind::Matrices;
    bool tensorCores = false;    ///< named for them; false where the name does not say
    bool plainFp32 = false;      ///< fp32 matrices by multiply-adds in FP32, without tensor cores
    std::optional<int> aligned;  ///< elements of which rows and pointers are multiples
    /// Elements that 16 bytes hold: with rows of such multiples the library has its best kernels.
    int wanted = 8;
};

/// Absent for what is no product of cuBLAS, cuDNN or CUTLASS as far as the name says.
[[nodiscard]] std::optional<LibraryProduct> libraryProduct(std::string_view kernelName);

}  // namespace roofscope
