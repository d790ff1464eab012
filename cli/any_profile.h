// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// Reads a profile, or imports what Nsight Compute, Nsight Systems or PyTorch's profiler wrote.
[[nodiscard]] Result<Profile> readAnyProfile(const std::string& path);

}  // namespace roofscope::cli
