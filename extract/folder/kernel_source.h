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

/// The source files named by the line information of a cubin; empty without `-lineinfo`. Never
/// reads beyond `cubin`.
[[nodiscard]] std::vector<std::string> sourceFilesOf(std::span<const unsigned char> cubin);

/// A source file that defines a kernel.
struct KernelSource {
    enum class Language { Cuda, Python };

    std::filesystem::path path;
    std::string text;
    Language language = Language::Cuda;
};

/// The first readable file that contains `__global__` (in Python: `def`) and the kernel's base
/// name. Skips files above 4 MiB and files that are not text.
[[nodiscard]] std::optional<KernelSource> findKernelSource(const std::vector<std::string>& files,
                                                           std::string_view baseName);

/// The files that a source includes with quotes, directly or indirectly.
struct SourceHeaders {
    /// File contents by the name used in the source, relative to the source's folder.
    std::map<std::string, std::string> files;
    std::vector<std::string> missing;  ///< files that cannot be read or are elsewhere
};
[[nodiscard]] SourceHeaders headersOf(const KernelSource& source);

}  // namespace roofscope
