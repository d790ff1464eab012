// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
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
    enum class Language { Cuda, Python };

    std::filesystem::path path;
    std::string text;
    Language language = Language::Cuda;
};

/// The first of these files that can be read and in which `__global__` (in Python: `def`) and the
/// kernel's base name both occur. Files above 4 MiB, and what is not text, are passed over.
[[nodiscard]] std::optional<KernelSource> findKernelSource(const std::vector<std::string>& files,
                                                           std::string_view baseName);

/// What a source includes with quotes, and what that includes.
struct SourceHeaders {
    /// Contents by the name that the source gives them, which lies in the source's folder.
    std::map<std::string, std::string> files;
    std::vector<std::string> missing;  ///< cannot be read, or lie elsewhere
};
[[nodiscard]] SourceHeaders headersOf(const KernelSource& source);

}  // namespace roofscope
