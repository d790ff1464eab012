// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// The instruction by which a kernel multiplies matrices on tensor cores.
struct ProductInstruction {
    TensorType type = TensorType::Bf16;
    /// As in a chip's table (ChipTable::tensorPerBusyCycle): "wgmma", "fp64", and mma.sync by the
    /// bytes of a row that one instruction takes, "mma_k32" (m16n8k16 of 16 bits, m16n8k8 of tf32)
    /// and "mma_k16".
    std::string_view form;
    bool operator==(const ProductInstruction&) const = default;
};

/// For each kernel, by its name, if it is one of cuBLAS, cuDNN, CUTLASS or an attention library,
/// else by its machine code, if that was recorded. Absent if neither says it, or if the
/// instructions of the code differ.
///
/// cuDNN's attention kernels say "f16" for both 16-bit types. They have the type of the program's
/// other products; absent if those have both.
using ProductInstructions = std::vector<std::optional<ProductInstruction>>;
[[nodiscard]] ProductInstructions productInstructions(const Profile& profile);

}  // namespace roofscope
