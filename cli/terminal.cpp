// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "profile/text/clean_text.h"

namespace roofscope::cli {

bool wantsColour(int stream) {
    const char* off = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(stream) && !(off && *off) && !(terminal && std::string_view(terminal) == "dumb");
}

void printError(std::string_view text) {
    const bool colour = wantsColour(2);
    std::cerr << (colour ? "\033[31mroofscope:\033[0m " : "roofscope: ")
              << cleanText(text, kMaxMessage) << "\n";
}

void printNote(std::string_view text) {
    std::cerr << "roofscope: " << cleanText(text, kMaxMessage) << "\n";
}

}  // namespace roofscope::cli
