// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "collector/inject/python/python_lines.h"

namespace roofscope::inject::python_lines {

/// Where the calling thread is, read from the interpreter's memory. For a process that is recorded
/// only for a while, in which nothing reports lines for here(). Empty if the thread runs no Python,
/// if none of its code is the program's own, or if this version of Python is not known.
[[nodiscard]] std::optional<Place> hereByFrames();

/// Whether a file is the program's own: not part of Python or a package, and not generated.
[[nodiscard]] bool isOwnFile(std::string_view file);

}  // namespace roofscope::inject::python_lines
