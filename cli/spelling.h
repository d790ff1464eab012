// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// The name that `word` is most likely a misspelling of; empty if none is near.
[[nodiscard]] std::string nearestName(std::string_view word, const std::vector<std::string>& names);

/// The error (Usage) for an option that `command` does not have; suggests the nearest one. `word`
/// may include a value after "=".
[[nodiscard]] Error unknownOption(const CLI::App& command, std::string_view word);

/// The error (Usage) for a command that `app` does not have; suggests the nearest one.
[[nodiscard]] Error unknownCommand(const CLI::App& app, std::string_view word);

/// A command's name after "roofscope": "kernels run"; empty for the program itself.
[[nodiscard]] std::string pathOf(const CLI::App& command);

/// The command that prints a command's help: "roofscope record --help".
[[nodiscard]] std::string helpOf(const CLI::App& command);

}  // namespace roofscope::cli
