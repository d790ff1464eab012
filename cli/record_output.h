// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "collector/run/record.h"

namespace roofscope::cli {

/// Where a profile goes.
struct ProfileOutput {
    std::filesystem::path path;
    /// Chosen by us: when there is such a file at the time of writing, PROGRAM-2.roofscope.json and
    /// so on is taken instead, and never by two who write at once.
    bool numbered = false;
};

/// Where a recording goes when --out is not given: PROGRAM.roofscope.json in the current folder.
/// Nothing is ever overwritten unasked.
[[nodiscard]] ProfileOutput defaultOutput(const std::string& program);

/// Writes the profile; the value is where it stands.
Result<std::filesystem::path> writeProfileTo(const Profile& profile, const ProfileOutput& output);

/// Fails early when the profile could not be written, before minutes of recording are spent.
Result<void> checkWritable(const std::filesystem::path& path);

/// Records, writes the profile and says on stderr what was measured. The value is the exit code.
Result<int> recordTo(const RecordOptions& options, const ProfileOutput& output, bool quiet);

}  // namespace roofscope::cli
