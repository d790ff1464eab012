// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// Why an input cannot be opened, by errno, in the same words and with the same code wherever one
/// is read: NoPermission where the system refuses, else NoInput.
[[nodiscard]] Error cannotOpenInput(const std::filesystem::path& path, int number);

}  // namespace roofscope
