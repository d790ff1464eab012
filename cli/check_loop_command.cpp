// SPDX-License-Identifier: Apache-2.0
// `roofscope check-loop -- PROGRAM`: checks whether a benchmark loop measures the times that a real
// program would see.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/honesty/loop.h"
#include "cli/commands.h"
#include "cli/honesty_option.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/program_words.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/recording/record.h"
#include "profile/codec/codec.h"
#include "profile/files/output_conflict.h"

namespace roofscope::cli {
namespace {

/// Exit codes, like the gate's: something was found; nothing could be measured.
constexpr int kFound = 1, kNothing = 2;

struct Options {
    HonestyOutput output;
    std::string program, kernel;
    double timeout = 0;
    bool quiet = false;
};

Result<Analysis> recorded(const RecordOptions& options) {
    auto recording = record(options);
    if (!recording) return recording.error();
    if (recording->programExit != 0)
        return Error{.code = ErrorCode::Unavailable,
                     .what = fmt::format("the program ended with {}", recording->programExit),
                     .where = options.command.front(),
                     .advice = "only a loop that runs to completion can be checked"};
    for (const Issue& issue : recording->profile.issues)
        if (issue.severity == Severity::Error)
            return Error{.code = issue.code == "counters-not-permitted" ? ErrorCode::NoPermission
                                                                        : ErrorCode::Unavailable,
                         .what = issue.message,
                         .advice = issue.advice};
    return analyze(std::make_shared<const Profile>(std::move(recording->profile)));
}

std::string commandText(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

Result<int> checkLoop(const Options& o, const std::vector<std::string>& command) {
    if (command.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "no program to check",
                     .where = "check-loop",
                     .advice = "example: roofscope check-loop ./bench"};
    const auto writer = honestyWriter(o.output, "a check of a loop");
    if (!writer) return writer.error();
    if (auto ok = checkOutputIsNoInput("--out", o.output.out, {o.program}); !ok) return ok.error();
    std::optional<Analysis> program;
    if (!o.program.empty()) {
        auto profile = readProfile(o.program);
        if (!profile) return profile.error();
        program = analyze(std::make_shared<const Profile>(std::move(*profile)));
    }
    const auto say = [&](const char* what) {
        if (!o.quiet) printNote(what);
    };
    RecordOptions options;
    options.command = command;
    options.selection.kernel = o.kernel;
    options.callSites = false;
    options.timeline = TimelineDetail::Off;
    options.replay = ReplayChoice::Application;
    if (o.timeout > 0) options.timeoutSeconds = o.timeout;
    say("the unchanged loop: each launch runs once, in place");
    auto inPlace = recorded(options);
    if (!inPlace) return inPlace.error();
    // A further group tells whether a kernel writes with bulk copies. GPUs without bulk copies do
    // not have this group; then it is left out.
    options.groups.emplace_back("tma");
    say("the same, with an empty L2 before each launch");
    RecordOptions empty = options;
    empty.cacheControl = CacheControl::Flush;
    auto flushed = recorded(empty);
    if (!flushed) return flushed.error();
    say("the same, replayed");
    RecordOptions again = options;
    again.replay = ReplayChoice::Kernel;
    auto replayed = recorded(again);
    if (!replayed) return replayed.error();
    const auto kernels = honesty::judgeLoop({.inPlace = &*inPlace,
                                             .replayed = &*replayed,
                                             .flushed = &*flushed,
                                             .program = program ? &*program : nullptr});
    const auto written = writeOutput(
        o.output.out, writer->format->loop(kernels, commandText(command), writer->options));
    if (!written) return written.error();
    if (kernels.empty()) return kNothing;
    const bool found = std::ranges::any_of(
        kernels, [](const honesty::LoopKernel& kernel) { return !kernel.findings.empty(); });
    return found ? kFound : 0;
}

}  // namespace

void addCheckLoopCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "check-loop",
        "Check whether a timing loop measures the times that a real program will see");
    command
        ->add_option("--program", options->program,
                     "A recording of the real program that uses the kernel, to compare its times "
                     "with the loop's")
        ->check(fileName())
        ->type_name("PROFILE");
    command->add_option("--kernel", options->kernel,
                        "Only kernels whose full or base name (\"gemm\" of \"ns::gemm<4>(int*)\") "
                        "matches this regular expression");
    command
        ->add_option("--timeout", options->timeout,
                     "End each run of the program after this many seconds")
        ->check(positiveNumber());
    command->add_flag("--quiet,-q", options->quiet, "No progress on stderr");
    addHonestyOptions(*command, options->output);
    command->footer(
        "The program runs seven to nine times: as it is, with an empty L2 before each launch, and\n"
        "replayed; each time once without counters (durations) and with them (bytes).\n\n"
        "Examples:\n"
        "  roofscope check-loop ./bench\n"
        "  roofscope check-loop --kernel gemm python3 bench.py\n"
        "  roofscope check-loop --program app.roofscope.json.gz ./bench\n"
        "Exit codes: 0 the loop is honest, 1 something was found, 2 no kernel was timed; others:\n"
        "docs/exit-codes.md. What is checked: docs/honesty.md");
    endsWithProgram(*command);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            return checkLoop(*options, *program);
        };
    });
}

}  // namespace roofscope::cli
