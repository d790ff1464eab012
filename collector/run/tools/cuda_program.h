// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace roofscope {

/// Whether the file is a CUDA program that allows preloading a library: a dynamically linked
/// program for this system that contains GPU code or is linked to CUDA. False for scripts and
/// interpreters, for set-user-ID and set-group-ID programs, and for those with a sanitizer, whose
/// library must come first. Also false if the file cannot be read.
[[nodiscard]] bool isPreloadableCudaProgram(const std::filesystem::path& file);

}  // namespace roofscope
