// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// How a child process ended: exactly one of the two is set.
struct ExitStatus {
    std::optional<int> code;
    std::optional<int> signal;
};

/// How a program is run.
struct ChildOptions {
    std::map<std::string, std::string> environment;  ///< in addition to ours
    /// A file for stdout and stderr instead of ours.
    std::optional<std::filesystem::path> output;
    bool noInput = false;  ///< stdin is empty instead of ours
    /// After this SIGTERM is sent, and SIGKILL kGraceSeconds later.
    std::optional<double> timeoutSeconds;
};
inline constexpr double kGraceSeconds = 5;

/// How a program ended, and whether roofscope ended it.
struct ChildEnd {
    ExitStatus status;
    bool timedOut = false;
    bool interrupted = false;  ///< SIGINT, SIGQUIT, SIGTERM or SIGHUP came while it ran
    double seconds = 0;        ///< wall time
};

/// Runs a program to its end; standard streams are inherited unless the options say otherwise.
/// SIGINT and SIGQUIT from the terminal go to the program alone, SIGTERM and SIGHUP are passed on
/// to it, and so are SIGUSR1, SIGUSR2 and SIGXCPU, which interrupt nothing. Signals that we ignore
/// it ignores, too. A program that ignores these signals is killed with all that it started: at the
/// third signal, and kGraceSeconds after SIGTERM or SIGHUP. If we are killed, it ends as well. An
/// error means that it could not be started.
Result<ChildEnd> runChild(const std::vector<std::string>& command, const ChildOptions& options);

/// Runs a program and returns what it wrote to stdout (stderr is inherited, or dropped when
/// `quiet`). If the program fails, the error has its exit code in the text, and the kind that
/// roofscope's exit codes stand for. If it writes more than `most` bytes it is ended, and the error
/// is BadData. `status` receives how it ended, if it could be started.
Result<std::string> captureChild(const std::vector<std::string>& command, bool quiet = false,
                                 std::uint64_t most = 1ULL << 30, ExitStatus* status = nullptr);

}  // namespace roofscope
