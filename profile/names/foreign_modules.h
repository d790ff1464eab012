// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Whether a file of machine code does not belong to the program itself: CUDA, CUPTI, the C and C++
/// runtimes, libraries that launch for others, Python's interpreter.
[[nodiscard]] bool isForeignModule(std::string_view path);

/// The same, but also true for all other files installed on the machine or in a Python environment.
[[nodiscard]] bool isInstalledModule(std::string_view path);

/// Whether a function is part of CUDA's runtime (with its own symbols, or the hidden ones of the
/// static library), or a stub that nvcc puts between the program and a launch.
[[nodiscard]] bool isCudaRuntime(std::string_view function);

/// Whether a source file of compiled code is an installed header (of the compiler, of CUDA, of the
/// system or of a Python package) or made by nvcc. Not everything below /usr is installed: programs
/// may be built there, too (/usr/src/app).
[[nodiscard]] bool isInstalledHeader(std::string_view path);

/// Whether a Python file belongs to Python itself or to an installed package.
[[nodiscard]] bool isInstalledPython(std::string_view path);

}  // namespace roofscope
