// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Lets a command end with a program and its arguments, which begin at the first word that is
/// neither an option nor its value. Call this after all options are declared.
void endsWithProgram(CLI::App& command);

/// The program and its arguments: `afterDashes` (what main() found after "--") or the words at the
/// end of the command line; empty if there are none. Errors (Usage): an unknown option; words both
/// before and after "--".
[[nodiscard]] Result<std::vector<std::string>> programWords(
    const CLI::App& command, const std::vector<std::string>& afterDashes);

}  // namespace roofscope::cli
