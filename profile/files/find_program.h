// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace roofscope {

/// The folder of the running program. If it is not known, "/", never the current folder.
[[nodiscard]] std::filesystem::path executableFolder();

/// Whether `path` is a file that this user may run.
[[nodiscard]] bool isProgram(const std::filesystem::path& path);

/// The first program of this name in the folders of PATH; empty if there is none. Entries that do
/// not begin with "/" are skipped: they mean the current folder or one below it, and nothing there
/// is run unless the user named it.
[[nodiscard]] std::filesystem::path findProgram(std::string_view name);

}  // namespace roofscope
