// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// The error for an input that cannot be opened, by errno: NoPermission if the system refuses
/// access, else NoInput. Gives the same words and code for every input.
[[nodiscard]] Error cannotOpenInput(const std::filesystem::path& path, int number);

}  // namespace roofscope
