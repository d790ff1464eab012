// SPDX-License-Identifier: Apache-2.0
#include "cli/program_words.h"

#include <CLI/CLI.hpp>

#include "cli/spelling.h"

namespace roofscope::cli {

void endsWithProgram(CLI::App& command) {
    command.prefix_command();
    // Otherwise an option with a list of values would take the program as its next value.
    for (CLI::Option* option : command.get_options())
        if (option->get_items_expected_max() > 1) option->allow_extra_args(false);
}

Result<std::vector<std::string>> programWords(const CLI::App& command,
                                              const std::vector<std::string>& afterDashes) {
    const std::vector<std::string> words = command.remaining();
    if (words.empty()) return afterDashes;
    const std::string& first = words.front();
    if (first.starts_with('-')) return unknownOption(command, first);
    if (afterDashes.empty()) return words;
    return Error{.code = ErrorCode::Usage,
                 .what = "\"" + first + "\" is neither an option nor after \"--\"",
                 .where = command.get_name(),
                 .advice = "put the program and all of its arguments after \"--\""};
}

}  // namespace roofscope::cli
