// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/result.h"

namespace roofscope {

/// How a child process ended: exactly one of the two is set.
struct ExitStatus {
    std::optional<int> code;
    std::optional<int> signal;
};

/// Runs a program to its end with additional environment variables; standard streams are
/// inherited. SIGINT and SIGQUIT from the terminal go to the program alone, SIGTERM and SIGHUP are
/// passed on to it. An error means that it could not be started.
Result<ExitStatus> runChild(const std::vector<std::string>& command,
                            const std::map<std::string, std::string>& environment);

/// Runs a program and returns what it wrote to stdout (stderr is inherited). A program that fails
/// is an error with its exit code in the text, and of the kind that roofscope's exit codes stand
/// for.
Result<std::string> captureChild(const std::vector<std::string>& command);

}  // namespace roofscope
