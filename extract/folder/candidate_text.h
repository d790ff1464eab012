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
/// kernel.cu without it: a kernel of the same parameters with an empty body. `python`: its Python
/// source lies beside it.
[[nodiscard]] std::string signatureCandidate(const replay::LaunchDescription& launch, bool python);

/// The kernel's parameters as candidate_runner.py calls them, as far as the kernel's name tells:
/// "f32*", "i32"; "" if it does not.
[[nodiscard]] std::vector<std::string> pythonTypes(const replay::LaunchDescription& launch);
/// start.py: a function in Python of the same parameters. `source`: kernel.py lies beside it.
[[nodiscard]] std::string pythonCandidate(const replay::LaunchDescription& launch, bool source);

/// A name for a function or a folder, from the kernel's.
[[nodiscard]] std::string identifierOf(const std::string& kernel);

/// What nvcc's -arch takes for the GPU of the launch: "sm_90a".
[[nodiscard]] std::string architectureOf(const replay::LaunchDescription& launch);

}  // namespace roofscope
