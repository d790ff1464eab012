// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "profile/errors/result.h"

namespace roofscope {

/// How long a pipe may stay without a first byte, unless said otherwise.
inline constexpr int kPipeWaitMs = 10'000;

/// Opens whatever is to be read; the descriptor is the caller's to close. A pipe that stays empty
/// for `pipeWaitMs` is an error: nobody writes to it. Errors: NoInput (missing, a directory, such a
/// pipe), NoPermission.
Result<int> openInput(const std::filesystem::path& path, int pipeWaitMs = kPipeWaitMs);

/// The content of a file, as openInput() opens it; of one that is larger, `most` bytes and one
/// more. Errors: those of openInput(), and Io where reading breaks off.
Result<std::string> readInput(const std::filesystem::path& path, std::size_t most,
                              int pipeWaitMs = kPipeWaitMs);

}  // namespace roofscope
