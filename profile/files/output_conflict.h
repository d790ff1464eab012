// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// Refuses to write `out` if that would destroy one of `inputs`: the same regular file by any path
/// or link. `option` is the option that named `out`, or empty. Pipes, devices and files that do not
/// exist never conflict. Errors: Usage.
Result<void> checkOutputIsNoInput(const std::string& option, const std::filesystem::path& out,
                                  const std::vector<std::filesystem::path>& inputs);

}  // namespace roofscope
