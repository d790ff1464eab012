// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/language/words.h"
#include "analyzer/model/kernel_origin.h"

namespace roofscope {

/// What a caller can do about a fault of a kernel that cannot be edited as the rule says, because
/// it is a library's or not written in CUDA. Judges by the kernel's demangled `name`;
/// `tooLittleWork` as in Rule. Empty for the program's own CUDA kernels. Absent if no caller can
/// change it: how CUB's and Thrust's algorithms and cuFFT's passes access memory follows from the
/// algorithm, and a convolution may have the layout and the type that it wants.
[[nodiscard]] std::optional<Words> libraryEdit(KernelOrigin origin, std::string_view name,
                                               bool tooLittleWork);

/// The same for an algorithm of CUB or Thrust that passes over its input once (reduce, transform,
/// scan), where its loads leave most of their sectors unused: as it does with one field of structs.
/// Absent for other kernels.
[[nodiscard]] std::optional<Words> editOfStridedInput(KernelOrigin origin, std::string_view name);

}  // namespace roofscope
