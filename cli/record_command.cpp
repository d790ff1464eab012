// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/output_template.h"
#include "cli/record_output.h"

namespace roofscope::cli {

void addRecordCommand(CLI::App& app, Action& run, const std::vector<std::string>& program) {
    struct Options {
        std::string out;
        std::vector<std::string> groups{"default"};
        bool quiet = false;
        std::vector<std::string> stray;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("record", "Profile a CUDA program");
    command->add_option(
        "--out,-o", options->out,
        "Profile to write (default: PROGRAM.roofscope.json; \".gz\" compresses; %r is "
        "the rank, %h the host, %p the process id)");
    command
        ->add_option("--groups", options->groups,
                     "Counter groups, comma separated (default: default; more groups cost passes)")
        ->delimiter(',');
    command->add_flag("--quiet,-q", options->quiet, "No summary on stderr");
    command->add_option("stray", options->stray)->group("");

    command->footer(
        "Usage: roofscope record [OPTIONS] -- PROGRAM [ARGS...]\n\n"
        "Every kernel launch is replayed once per counter pass (default set: 2 passes), with its\n"
        "memory saved and restored, so results stay the same. The program's output and exit code\n"
        "pass through; with exit code 0, 90 means that part of the measurement was lost and 91\n"
        "that no launch was measured.\n\n"
        "Examples:\n"
        "  roofscope record -- ./app --size 4096\n"
        "  roofscope record --out step.roofscope.json.gz -- python3 train.py\n");
    command->callback([=, &run, &program] {
        run = [=, &program]() -> Result<int> {
            if (program.empty())
                return Error{.code = ErrorCode::Usage,
                             .what = options->stray.empty()
                                         ? "which program should be profiled?"
                                         : "put \"--\" before the program: roofscope record -- " +
                                               options->stray.front(),
                             .where = "record",
                             .advice = "example: roofscope record -- ./app"};
            if (!options->stray.empty())
                return Error{.code = ErrorCode::Usage,
                             .what = "\"" + options->stray.front() + "\" is not an option",
                             .where = "record",
                             .advice = "options of the program go behind \"-- PROGRAM\""};
            const auto out = recordOutput(options->out, program.front());
            if (!out) return out.error();
            RecordOptions request;
            request.command = program;
            request.groups = options->groups;
            return recordTo(request, *out, options->quiet);
        };
    });
}

}  // namespace roofscope::cli
