// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "profile/errors/result.h"

namespace roofscope {

/// The default time to wait for the first byte of a pipe.
inline constexpr int kPipeWaitMs = 10'000;

/// Opens an input; the caller closes the descriptor. A pipe without data for `pipeWaitMs` is an
/// error: nobody writes to it. Errors: NoInput (missing, a directory, such a pipe), NoPermission.
Result<int> openInput(const std::filesystem::path& path, int pipeWaitMs = kPipeWaitMs);

/// The content of a file, opened by openInput(). Stops at `most` + 1 bytes, which tells the caller
/// that the file is larger. Errors: those of openInput(), and Io if reading fails midway.
Result<std::string> readInput(const std::filesystem::path& path, std::size_t most,
                              int pipeWaitMs = kPipeWaitMs);

}  // namespace roofscope
