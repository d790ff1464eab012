// SPDX-License-Identifier: Apache-2.0
// `roofscope guard -- PROGRAM`: runs a program for the Python package (`try`, and `check` of the
// server), which cannot find all that a program has started, and may be killed itself.
//
// Everything that the program has started ends with it: when it ends by itself, after the time
// limit, and when our stdin ends. The package holds the other end of that, so it also ends with the
// package. --end FILE gets how the program ended:
//
//   {"code":3,"signal":null,"timed_out":false,"seconds":1.25}
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/program_words.h"
#include "cli/text_checks.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/processes/temporary_folder.h"

namespace roofscope::cli {
namespace {

struct GuardOptions {
    std::string end;
    double timeout = 0;
};

std::string orNull(const std::optional<int>& number) {
    return number ? std::to_string(*number) : "null";
}

Result<int> guarded(const GuardOptions& options, const std::vector<std::string>& command) {
    if (command.empty())
        return Error{.code = ErrorCode::Usage, .what = "no program to run", .where = "guard"};
    // The package's folders have the same form, and a package that was killed leaves them.
    removeAbandonedFolders();
    ChildOptions child{.endWithInput = true, .leftovers = Leftovers::End};
    if (options.timeout > 0) child.timeoutSeconds = options.timeout;
    const auto end = runChild(command, child);
    if (!end) return end.error();
    if (!options.end.empty()) {
        const auto text = fmt::format(
            "{{\"code\":{},\"signal\":{},\"timed_out\":{},\"seconds\":{:.6f}}}\n",
            orNull(end->status.code), orNull(end->status.signal), end->timedOut, end->seconds);
        if (const auto written = writeOutput(options.end, text); !written) return written.error();
    }
    return end->status.signal ? 128 + *end->status.signal : end->status.code.value_or(0);
}

}  // namespace

void addGuardCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<GuardOptions>();
    CLI::App* command =
        app.add_subcommand("guard", "Run a program and end all that it starts (roofscope try)");
    command->group("");  // for the Python package, not for people
    command->add_option("--end", options->end, "File that gets how it ended")->check(fileName());
    command->add_option("--timeout", options->timeout, "End it after this many seconds")
        ->check(positiveNumber());
    endsWithProgram(*command);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            return guarded(*options, *program);
        };
    });
}

}  // namespace roofscope::cli
