// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/profile.h"
#include "profile/result.h"

namespace roofscope::cli {

/// Gives the source passes the text of files that was not readable when they were recorded, from
/// under `root`: of a path "/build/src/a.cu" the longest end that is a file there ("src/a.cu", then
/// "a.cu"). Nothing outside of `root` is read, not through ".." or links either, and only plain
/// files of text up to a size. Files that are not found stay without text; that `root` is no folder
/// is an error.
Result<void> addSourceTexts(Profile& profile, const std::filesystem::path& root);

}  // namespace roofscope::cli
