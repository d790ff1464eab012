// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/result.h"

namespace roofscope {

struct RecordOptions {
    std::vector<std::string> command;              ///< program and arguments; no shell is involved
    std::vector<std::string> groups{"default"};    ///< counter groups
    std::optional<std::filesystem::path> library;  ///< libroofscope_inject.so; searched when absent
    /// The command that the profile names, when it is not `command` to the letter (a program of
    /// ours that was found by its path).
    std::vector<std::string> shownCommand;
};

/// What became of a recording.
struct Recording {
    Profile profile;
    int programExit = 0;  ///< the program's exit code; 128 + N when signal N ended it
};

/// Exit codes of `roofscope record` beside the program's own (docs/exit-codes.md).
inline constexpr int kExitPartial = 90;  ///< the program succeeded, part of the measurement is lost
inline constexpr int kExitNothing = 91;  ///< the program succeeded, no launch was measured

/// Runs a program with the injected library and collects what it measured. The program keeps
/// stdin, stdout, stderr and its exit code; interrupts reach it, not us. An error means that the
/// program could not be started; whatever goes wrong later is an issue in the profile.
Result<Recording> record(const RecordOptions& options);

/// The code with which `roofscope record` exits: the program's own when it failed, otherwise 0, 90
/// or 91 by what was measured.
[[nodiscard]] int recordExitCode(const Recording& recording);

/// Finds libroofscope_inject.so: $ROOFSCOPE_INJECT, ../lib beside this executable (build tree and
/// installation), the executable's own folder.
Result<std::filesystem::path> findInjectLibrary();

/// Folder of the running executable.
[[nodiscard]] std::filesystem::path executableFolder();

}  // namespace roofscope
