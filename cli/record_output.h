// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "collector/run/recording/record.h"

namespace roofscope::cli {

/// Where a profile goes.
struct ProfileOutput {
    std::filesystem::path path;
    /// True for a default name: if the file exists, use PROGRAM-2.roofscope.json and so on. Two
    /// processes never get the same name.
    bool numbered = false;
};

/// The output without --out: PROGRAM.roofscope.json in the current folder. Never overwrites a file.
[[nodiscard]] ProfileOutput defaultOutput(const std::string& program);

/// Writes the profile and returns its path.
Result<std::filesystem::path> writeProfileTo(const Profile& profile, const ProfileOutput& output);

/// Checks before a recording that the profile can be written.
Result<void> checkWritable(const std::filesystem::path& path);

/// Records, writes the profile and prints a summary to stderr. Returns the exit code. `written`:
/// set to the profile's path, or empty if there was nothing to write.
Result<int> recordTo(const RecordOptions& options, const ProfileOutput& output, bool quiet,
                     std::filesystem::path* written = nullptr);

}  // namespace roofscope::cli
