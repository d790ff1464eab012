// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "collector/run/record.h"

namespace roofscope::cli {

/// Where a recording goes when --out is not given: PROGRAM.roofscope.json in the current folder, or
/// PROGRAM-2.roofscope.json and so on when that exists. Nothing is ever overwritten unasked.
[[nodiscard]] std::filesystem::path defaultOutput(const std::string& program);

/// Fails early when the profile could not be written, before minutes of recording are spent.
Result<void> checkWritable(const std::filesystem::path& path);

/// Records, writes the profile and says on stderr what was measured. The value is the exit code.
Result<int> recordTo(const RecordOptions& options, const std::filesystem::path& out, bool quiet);

}  // namespace roofscope::cli
