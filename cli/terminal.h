// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope::cli {

/// Whether to use colours on a stream (1 = stdout, 2 = stderr): it is a terminal, NO_COLOR is not
/// set and TERM is not "dumb".
[[nodiscard]] bool wantsColour(int stream);
/// Prints "roofscope: TEXT" to stderr as one clean line; on a terminal the prefix is red.
void printError(std::string_view text);
/// Prints "roofscope: TEXT" to stderr as one clean line.
void printNote(std::string_view text);

}  // namespace roofscope::cli
