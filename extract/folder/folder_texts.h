// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "extract/driver/launch_description.h"

namespace roofscope {

/// README.md: what is in the folder, and which private data it may reveal.
[[nodiscard]] std::string readmeText(const replay::LaunchDescription& launch,
                                     const std::vector<std::string>& notes);
/// Where the kernel's source is in the folder: kernel.cu, kernel.py (Triton), or nowhere.
enum class SourceKnown { Cuda, Python, No };

/// TASK.md: what to make faster, and how candidates are judged.
[[nodiscard]] std::string taskText(const replay::LaunchDescription& launch, SourceKnown source);

}  // namespace roofscope
