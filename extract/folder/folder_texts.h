// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "extract/driver/launch_description.h"

namespace roofscope {

/// README.md: what lies in the folder, and what it may give away.
[[nodiscard]] std::string readmeText(const replay::LaunchDescription& launch,
                                     const std::vector<std::string>& notes);
/// Where the folder has the kernel's source: in kernel.cu, in kernel.py (Triton), or nowhere.
enum class SourceKnown { Cuda, Python, No };

/// TASK.md: what is to be made faster, and how an edit is judged.
[[nodiscard]] std::string taskText(const replay::LaunchDescription& launch, SourceKnown source);

}  // namespace roofscope
