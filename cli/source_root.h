// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// Reads source files that could not be read when the profile was recorded, from the folder `root`.
/// For "/build/src/a.cu" it tries "src/a.cu" there, then "a.cu". It reads nothing outside of `root`
/// (not through ".." or links either), and only plain text files up to a size. Files that are not
/// found stay without text. Error: `root` is not a folder.
Result<void> addSourceTexts(Profile& profile, const std::filesystem::path& root);

}  // namespace roofscope::cli
