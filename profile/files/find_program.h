// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace roofscope {

/// Whether `path` is a file that this user may run.
[[nodiscard]] bool isProgram(const std::filesystem::path& path);

/// The first program of this name in the folders of PATH; empty where there is none. An empty entry
/// of PATH means the current folder, from which nothing is run.
[[nodiscard]] std::filesystem::path findProgram(std::string_view name);

}  // namespace roofscope
