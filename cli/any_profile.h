// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// A profile, or a report (.ncu-rep, which ncu reads) or CSV of Nsight Compute.
[[nodiscard]] Result<Profile> readAnyProfile(const std::string& path);

}  // namespace roofscope::cli
