// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "importer/ncu/ncu_report.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// How many seconds a tool may stay silent: kNcuPatience, unless ROOFSCOPE_TOOL_PATIENCE is set.
[[nodiscard]] double toolPatience();
/// Starts ncu or nsys with a time limit.
[[nodiscard]] RunProgram toolRunner();
/// Reads a profile, or imports what Nsight Compute, Nsight Systems or PyTorch's profiler wrote.
[[nodiscard]] Result<Profile> readAnyProfile(const std::string& path);

}  // namespace roofscope::cli
