// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Runs a program, given by its path, and returns its stdout; stdin is empty. The program and all
/// processes that it started are killed if `stop` is requested, if it writes more than `most` bytes
/// or nothing for `patience`, and when this process ends.
///
/// Needs no event loop, so worker threads can call it. Errors say what happened but not to which
/// program.
[[nodiscard]] Result<std::string> toolOutput(const std::vector<std::string>& command,
                                             std::uint64_t most, std::chrono::milliseconds patience,
                                             const std::stop_token& stop);

}  // namespace roofscope::gui
