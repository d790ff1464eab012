// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// A demangled name without return type, namespaces and parameters: "void ns::gemm<float, 4>(float
/// const*)" → "gemm<float, 4>". A name that is not C++ is returned whole.
[[nodiscard]] std::string functionName(std::string_view demangled);

/// The same without template arguments: "gemm". This is what people call a kernel and what Nsight
/// Compute's `--kernel-name` matches. For Numba without its compiler's tags: "mm".
[[nodiscard]] std::string functionBaseName(std::string_view demangled);

/// The kernel that a host function launches, if nvcc generated it for nothing else:
/// "bitonicMerge" for "__device_stub__Z12bitonicMergePj(unsigned int*)", without template
/// arguments. Empty for other functions.
[[nodiscard]] std::string kernelOfStub(std::string_view demangled);

/// The part of a demangled name that stays the same when the program is compiled with other
/// options, used to find a kernel in another recording: the whole name, but for Numba without its
/// compiler's tags.
[[nodiscard]] std::string stableKernelName(std::string_view demangled);

}  // namespace roofscope
