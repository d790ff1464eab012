// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope::cli {

/// True when a stream (1 = stdout, 2 = stderr) is a terminal on which colours are welcome: NO_COLOR
/// is not set and TERM is not "dumb".
[[nodiscard]] bool wantsColour(int stream);
/// "roofscope: TEXT" on stderr, in red on a terminal. The text is made one clean line.
void printError(std::string_view text);
/// "roofscope: TEXT" on stderr, one clean line.
void printNote(std::string_view text);

}  // namespace roofscope::cli
