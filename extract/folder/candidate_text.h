// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "extract/driver/launch_description.h"
#include "extract/folder/kernel_source.h"

namespace roofscope {

/// kernel.cu with the kernel's own source.
[[nodiscard]] std::string sourceCandidate(const replay::LaunchDescription& launch,
                                          const KernelSource& source);
/// kernel.cu without the source: an empty kernel with the same parameters. `python`: the kernel's
/// Python source is beside it.
[[nodiscard]] std::string signatureCandidate(const replay::LaunchDescription& launch, bool python);

/// The kernel's parameter types in the words of candidate_runner.py, as far as its name shows them:
/// "f32*", "i32"; "" for an unknown one.
[[nodiscard]] std::vector<std::string> pythonTypes(const replay::LaunchDescription& launch);
/// start.py: a Python function with the same parameters. `source`: kernel.py is beside it.
[[nodiscard]] std::string pythonCandidate(const replay::LaunchDescription& launch, bool source);

/// A valid name for a function or a folder, made from the kernel's name.
[[nodiscard]] std::string identifierOf(const std::string& kernel);

/// The -arch option of nvcc for the GPU of the launch: "sm_90a".
[[nodiscard]] std::string architectureOf(const replay::LaunchDescription& launch);

}  // namespace roofscope
