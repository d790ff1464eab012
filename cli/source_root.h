// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::cli {

/// Adds the text of source files that could not be read during the recording, from the folder
/// `root`. For "/build/src/a.cu" it tries "build/src/a.cu" below `root`, then "src/a.cu", then
/// "a.cu". Reads nothing outside of `root`, not even through ".." or links, and only text files up
/// to a maximum size. Files that are not found have no text. Error: `root` is not a folder.
Result<void> addSourceTexts(Profile& profile, const std::filesystem::path& root);

}  // namespace roofscope::cli
