// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace roofscope::cli {

/// For Option::check(): the name of a file or folder, which is not empty. An empty one comes from a
/// variable that is not set, and must not mean "none given".
[[nodiscard]] CLI::Validator fileName();

/// An option that takes values with commas between them: "--groups default,stalls". If a value is
/// only commas, CLI11's own delimiter would take the next word of the command line.
CLI::Option* addListOption(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description);

}  // namespace roofscope::cli
