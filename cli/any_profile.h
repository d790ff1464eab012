// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// Reads a profile, or imports a file of Nsight Compute: a report (.ncu-rep) or a CSV.
[[nodiscard]] Result<Profile> readAnyProfile(const std::string& path);

}  // namespace roofscope::cli
