// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/language/words.h"
#include "analyzer/model/kernel_origin.h"

namespace roofscope {

/// What can be done about a fault of a kernel that cannot be edited as a rule says, because it is a
/// library's or written in another language than CUDA: what a caller can change, from what the
/// kernel's name says of it (`name` is demangled). `tooLittleWork` as in Rule. Empty for the
/// program's own kernels in CUDA. Absent where no caller can change it: how CUB's and Thrust's
/// algorithms access memory follows from the algorithm.
[[nodiscard]] std::optional<Words> libraryEdit(KernelOrigin origin, std::string_view name,
                                               bool tooLittleWork);

}  // namespace roofscope
