// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace roofscope::cli {

/// For Option::check(): a name of a file or folder that is not empty. An empty name usually comes
/// from an unset shell variable and must not be treated as "not given".
[[nodiscard]] CLI::Validator fileName();

/// Adds an option with comma-separated values: "--groups default,stalls". CLI11's own delimiter is
/// not used: for a value of only commas it would take the next word of the command line.
CLI::Option* addListOption(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description);

}  // namespace roofscope::cli
