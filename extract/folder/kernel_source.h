// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope {

/// The source files that the line information of a cubin names; empty without `-lineinfo`. Nothing
/// outside of `cubin` is read.
[[nodiscard]] std::vector<std::string> sourceFilesOf(std::span<const unsigned char> cubin);

/// A source file that defines a kernel.
struct KernelSource {
    std::string name;  ///< without its folder
    std::string text;
};

/// The first of these files that can be read and in which `__global__` and the kernel's base name
/// both occur. Files above 4 MiB, and what is not text, are passed over.
[[nodiscard]] std::optional<KernelSource> findKernelSource(const std::vector<std::string>& files,
                                                           std::string_view baseName);

}  // namespace roofscope
