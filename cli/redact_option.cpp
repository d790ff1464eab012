// SPDX-License-Identifier: Apache-2.0
#include "cli/redact_option.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <cstring>

#include "profile/errors/usage_error.h"

namespace roofscope::cli {
namespace {

/// Names of this user and this machine: a profile recorded here may contain them.
std::vector<std::string> privateWords() {
    std::vector<std::string> words;
    const auto add = [&words](const char* word) {
        // Common names are not private.
        if (word && *word && std::strcmp(word, "root") != 0 && std::strcmp(word, "localhost") != 0)
            words.emplace_back(word);
    };
    for (const char* variable : {"USER", "LOGNAME", "HOSTNAME"}) add(std::getenv(variable));
    if (const passwd* entry = getpwuid(getuid())) add(entry->pw_name);
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0) {
        add(host.data());
        if (char* dot = std::strchr(host.data(), '.')) *dot = '\0';
        add(host.data());
    }
    return words;
}

}  // namespace

void addRedactOption(CLI::App& command, std::string& value) {
    command
        .add_flag("--redact{private}", value,
                  "Leave out paths, arguments, user and host names; with --redact=names kernel "
                  "names and NVTX ranges become hashes")
        ->type_name("");
}

Result<std::optional<RedactOptions>> chooseRedaction(const std::string& option) {
    if (option.empty()) return std::optional<RedactOptions>();
    const auto what = parseRedaction(option);
    if (!what)
        return usageError("unknown value \"" + option + "\"", "--redact",
                          "use --redact or --redact=names");
    return std::optional(RedactOptions{.what = *what, .words = privateWords()});
}

}  // namespace roofscope::cli
