// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

namespace CLI {
class App;
}

/// One function per subcommand, each in cli/<name>_command.cpp. It declares its options on `app`
/// and sets `run`, which main() calls after parsing; only main() prints errors and exits.
namespace roofscope::cli {

/// What a subcommand does once the command line is parsed. The value is the process exit code.
using Action = std::function<Result<int>()>;

void addDoctorCommand(CLI::App& app, Action& run);
/// `afterDashes` is everything after "--" of `record`: main() removes it before parsing, so that
/// the program's own options can never be taken for ours.
void addRecordCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes);
/// For the Python package's `measure`; hidden in the help.
void addMeasureCommand(CLI::App& app, Action& run);
/// `afterDashes` as for `record`.
void addCheckLoopCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes);
/// `afterDashes` as for `record`.
void addExtractCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes);
/// `afterDashes` as for `record`.
void addArmCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes);
/// For the Python package's `try`; hidden in the help. `afterDashes` as for `record`.
void addGuardCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes);
void addPsCommand(CLI::App& app, Action& run);
void addSnapCommand(CLI::App& app, Action& run);
void addDisarmCommand(CLI::App& app, Action& run);
/// For the Python package's `review`; hidden in the help.
void addJudgeReviewCommand(CLI::App& app, Action& run);
void addKernelsCommand(CLI::App& app, Action& run);
void addCeilingsCommand(CLI::App& app, Action& run);
void addReportCommand(CLI::App& app, Action& run);
void addCompareCommand(CLI::App& app, Action& run);
void addImportCommand(CLI::App& app, Action& run);
void addMergeCommand(CLI::App& app, Action& run);
void addGateCommand(CLI::App& app, Action& run);
void addRulesCommand(CLI::App& app, Action& run);
void addViewCommand(CLI::App& app, Action& run);
void addCompletionCommand(CLI::App& app, Action& run);
/// Adds show, loop, try, review, mcp, setup and ci to help and completion only. Their arguments
/// must not go through this program's parser, which would drop a "--".
void addPythonCommands(CLI::App& app);
/// The options of one of these commands, separated by spaces; empty for other commands.
[[nodiscard]] std::string_view pythonOptions(std::string_view command);
/// What else can follow one of these commands, separated by spaces.
[[nodiscard]] std::string_view pythonArguments(std::string_view command);
/// What can follow a part of such a command ("ci init") or the value of its option ("ci init
/// --for").
struct PythonWords {
    const char *after, *words;
};
[[nodiscard]] std::span<const PythonWords> pythonWords();
/// Replaces this process by `COMMAND ARGUMENTS…` of the Python package. Returns only on failure.
Result<int> execPythonPackage(const std::string& command,
                              const std::vector<std::string>& arguments);

}  // namespace roofscope::cli
