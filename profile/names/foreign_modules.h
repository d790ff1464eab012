// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Whether a file of machine code is not the program's own: CUDA, CUPTI, the C and C++ runtimes,
/// libraries that launch for others, the interpreter of Python.
[[nodiscard]] bool isForeignModule(std::string_view path);

/// The same, for whatever is installed on the machine or in an environment of Python, too.
[[nodiscard]] bool isInstalledModule(std::string_view path);

/// Whether a function is part of CUDA's runtime (with its own symbols, or the hidden ones of the
/// static library), or a stub that nvcc puts between the program and a launch.
[[nodiscard]] bool isCudaRuntime(std::string_view function);

/// Whether a file of Python belongs to Python or to an installed package.
[[nodiscard]] bool isInstalledPython(std::string_view path);

}  // namespace roofscope
