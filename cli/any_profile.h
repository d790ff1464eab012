// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/profile.h"
#include "profile/result.h"

namespace roofscope::cli {

/// A profile, or a report (.ncu-rep, which ncu reads) or CSV of Nsight Compute.
[[nodiscard]] Result<Profile> readAnyProfile(const std::string& path);

}  // namespace roofscope::cli
