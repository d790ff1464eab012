// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace roofscope {

/// Whether the file is a CUDA program that a library can be preloaded into: a dynamically linked
/// program of this system's kind that holds code for GPUs or is linked to CUDA. False for scripts
/// and interpreters, for programs with privileges, and for those with a sanitizer, whose library
/// must come first. Also false if the file cannot be read.
[[nodiscard]] bool isPreloadableCudaProgram(const std::filesystem::path& file);

}  // namespace roofscope
