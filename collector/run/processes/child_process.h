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

/// What happens to processes that a program has started and left running when it ends by itself.
enum class Leftovers { Stay, End };

/// How a program is run.
struct ChildOptions {
    std::map<std::string, std::string> environment;  ///< in addition to ours
    /// A file that receives stdout and stderr, instead of ours.
    std::optional<std::filesystem::path> output;
    bool noInput = false;  ///< stdin is empty instead of ours
    /// The same, and when ours ends (its other end is closed), the program is ended as after its
    /// time limit.
    bool endWithInput = false;
    /// SIGTERM is sent after this many seconds, and SIGKILL kGraceSeconds later.
    std::optional<double> timeoutSeconds;
    Leftovers leftovers = Leftovers::Stay;
};
inline constexpr double kGraceSeconds = 5;
/// Limits for captureChild(): the patience (s) with a tool that reads a large file, the bytes of
/// output, and the patience with one of our own programs.
inline constexpr double kToolPatience = 300;
inline constexpr std::uint64_t kMostCaptured = 1ULL << 30;
inline constexpr double kNoTimeLimit = 1e6;

/// How a program ended, and whether roofscope ended it.
struct ChildEnd {
    ExitStatus status;
    bool timedOut = false;
    bool interrupted = false;  ///< SIGINT, SIGQUIT, SIGTERM or SIGHUP came while it ran
    double seconds = 0;        ///< wall time until the program itself ended
};

/// Runs a program to its end. Standard streams are inherited unless the options say otherwise.
///
/// SIGINT and SIGQUIT from the terminal reach only the program. SIGTERM and SIGHUP are passed on to
/// it, and so are SIGUSR1, SIGUSR2 and SIGXCPU, which do not count as interruptions. The program
/// also ignores the signals that we ignore. If it does not end, it is killed at the third signal,
/// or kGraceSeconds after SIGTERM or SIGHUP.
///
/// After any such signal, after the time limit or the end of our input, and if we are killed,
/// everything that the program has started ends with it, even processes in other sessions (a Guard
/// takes care of that). If the program ends by itself, `leftovers` says what happens to them. An
/// error means that the program could not be started.
Result<ChildEnd> runChild(const std::vector<std::string>& command, const ChildOptions& options);

/// Runs a program (a path, or a name that findProgram() finds) and returns what it wrote to stdout.
/// stderr is inherited, or dropped if `quiet`. Everything that the program has started ends with
/// it, and with us, as with runChild().
///
/// Errors: if the program fails, the text contains its exit code, and the kind is the one that
/// roofscope's exit codes stand for. BadData if it writes more than `most` bytes, Unavailable if it
/// writes nothing for `patience` seconds; it is ended in both cases. `status` receives how it ended
/// if it could be started.
Result<std::string> captureChild(const std::vector<std::string>& command, bool quiet = false,
                                 std::uint64_t most = kMostCaptured, ExitStatus* status = nullptr,
                                 double patience = kNoTimeLimit);

}  // namespace roofscope
