// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Lets a command end with a program and its arguments: everything from the first word that is
/// neither an option nor its value. To be called when all options are declared.
void endsWithProgram(CLI::App& command);

/// The program and its arguments: `afterDashes`, which main() found after "--", or the words at the
/// end of the command line; empty if there are none. Errors (Usage): an unknown option; words on
/// both sides of "--".
[[nodiscard]] Result<std::vector<std::string>> programWords(
    const CLI::App& command, const std::vector<std::string>& afterDashes);

}  // namespace roofscope::cli
