// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "profile/errors/result.h"
#include "profile/text/text_sink.h"

namespace roofscope::cli {

/// Columns of the terminal on stdout; 100 if stdout is not a terminal.
[[nodiscard]] int terminalWidth();
/// True for "" and "-", which mean stdout.
[[nodiscard]] bool isStdout(const std::string& path);
/// The error of a lost write to stdout; `number` is its errno, or 0.
[[nodiscard]] Error stdoutWriteError(int number);
/// Flushes stdout. Error Io if that fails or earlier output was lost.
Result<void> flushStdout();
/// Writes a finished report to stdout or a file. A file is written completely or not at all.
Result<void> writeOutput(const std::string& path, const std::string& text);
/// The same for a report that is generated while it is written. If `make` returns an error, so does
/// this, and no file is written.
Result<void> writeOutput(const std::string& path,
                         const std::function<Result<void>(const TextSink&)>& make);

}  // namespace roofscope::cli
