// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// Refuses to write `out` where that would destroy one of `inputs`: the same regular file, by
/// whatever path or link. `option` is what named `out`, or empty. An input or output that does not
/// exist, a pipe and a device conflict with nothing. Errors: Usage.
Result<void> checkOutputIsNoInput(const std::string& option, const std::filesystem::path& out,
                                  const std::vector<std::filesystem::path>& inputs);

}  // namespace roofscope
