// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// A demangled name without return type, namespaces and parameters:
/// "void ns::gemm<float, 4>(float const*)" → "gemm<float, 4>". A name that is not C++ stays whole.
[[nodiscard]] std::string functionName(std::string_view demangled);

/// The same without template arguments: "gemm". What people call a kernel, and what Nsight
/// Compute's `--kernel-name` matches. Of Numba without its compiler's tags: "mm".
[[nodiscard]] std::string functionBaseName(std::string_view demangled);

/// What a demangled name keeps when its program is compiled again with other options: all of it, of
/// Numba without its compiler's tags. By it a kernel is found in another recording.
[[nodiscard]] std::string lastingName(std::string_view demangled);

}  // namespace roofscope
