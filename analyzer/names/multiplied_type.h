// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// The type that a matrix-product kernel multiplies, which decides the pipe that it uses.
struct MultipliedType {
    Arithmetic type = Precision::Fp32;
    /// cuDNN's attention kernels say "f16" for both 16-bit types: `type` is FP16 then.
    bool maybeBf16 = false;
};

/// Reads it from the name of a kernel of cuBLAS, cuDNN, CUTLASS or an attention library; absent if
/// the name does not say it. "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_…": bf16 in tensor cores.
[[nodiscard]] std::optional<MultipliedType> multipliedType(std::string_view kernelName);

}  // namespace roofscope
