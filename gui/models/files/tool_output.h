// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Runs a program (a path) and returns its stdout; stdin is empty. The program and all that it has
/// started are ended if `stop` is requested, if it writes more than `most` bytes, if it writes
/// nothing for `patience`, and when this process ends.
///
/// Needs no event loop, so that a worker thread can call it. The error says only what happened, not
/// to which program.
[[nodiscard]] Result<std::string> toolOutput(const std::vector<std::string>& command,
                                             std::uint64_t most, std::chrono::milliseconds patience,
                                             const std::stop_token& stop);

}  // namespace roofscope::gui
