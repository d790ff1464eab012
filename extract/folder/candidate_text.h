// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "extract/driver/launch_description.h"
#include "extract/folder/kernel_source.h"

namespace roofscope {

/// kernel.cu with the kernel's own source.
[[nodiscard]] std::string sourceCandidate(const replay::LaunchDescription& launch,
                                          const KernelSource& source);
/// kernel.cu without it: a kernel of the same parameters with an empty body. `python`: its Python
/// source lies beside it.
[[nodiscard]] std::string signatureCandidate(const replay::LaunchDescription& launch, bool python);

/// What nvcc's -arch takes for the GPU of the launch: "sm_90a".
[[nodiscard]] std::string architectureOf(const replay::LaunchDescription& launch);

}  // namespace roofscope
