// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace roofscope {

/// The types in a name of CuPy's: "cupy_multiply__float32_float64_float64" has those of the inputs,
/// then that of the output. Empty for other names.
[[nodiscard]] std::vector<std::string_view> cupyTypes(std::string_view kernelName);

}  // namespace roofscope
