// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace {

using namespace roofscope;

/// How many of the arguments are ours. Everything behind the first "--" of `record` is the profiled
/// program's: CLI11 never sees it. Elsewhere "--" means what it always does: files follow.
int ownArguments(int argc, char** argv) {
    std::string_view command;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--" && command == "record") return i;
        if (command.empty() && !word.starts_with('-')) command = word;
    }
    return argc;
}

int run(int argc, char** argv) {
    const int own = ownArguments(argc, argv);
    const std::vector<std::string> program(argv + std::min(own + 1, argc), argv + argc);

    if (argc > 1 && std::string_view(argv[1]) == "--") {
        cli::printError("which command? (roofscope record -- PROGRAM profiles a program)");
        return exitCode(ErrorCode::Usage);
    }

    CLI::App app{"Profiles CUDA kernels and says what limits each one.", "roofscope"};
    app.set_version_flag("--version", std::string("roofscope ") + ROOFSCOPE_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough(false);
    app.footer(
        "Examples:\n"
        "  roofscope doctor                            can counters be read here?\n"
        "  roofscope record -- ./app --size 4096       profile a program\n"
        "  roofscope report app.roofscope.json         verdicts and hints\n"
        "  roofscope compare before.roofscope.json after.roofscope.json\n"
        "                                              what changed, and why\n"
        "  roofscope gate app.roofscope.json --baseline perf.baseline\n"
        "                                              a verdict for CI\n"
        "  roofscope kernels run                       profile the bundled kernels\n"
        "  roofscope ceilings                          measure this GPU's real roofs\n"
        "  roofscope import report.ncu-rep             read what Nsight Compute measured\n"
        "\"roofscope COMMAND --help\" tells more. Exit codes: docs/exit-codes.md");

    cli::Action action;
    cli::addDoctorCommand(app, action);
    cli::addRecordCommand(app, action, program);
    cli::addKernelsCommand(app, action);
    cli::addCeilingsCommand(app, action);
    cli::addReportCommand(app, action);
    cli::addCompareCommand(app, action);
    cli::addImportCommand(app, action);
    cli::addMergeCommand(app, action);
    cli::addGateCommand(app, action);
    cli::addRulesCommand(app, action);
    cli::addViewCommand(app, action);
    cli::addCompletionCommand(app, action);

    try {
        app.parse(own, argv);
    } catch (const CLI::ParseError& error) {
        // Help and version come as "errors" with exit code 0.
        if (error.get_exit_code() == 0) return app.exit(error);
        cli::printError(error.what());
        std::cerr << "See \"roofscope --help\".\n";
        return exitCode(ErrorCode::Usage);
    }
    if (!action) {
        std::cout << app.help();
        return 0;
    }
    const Result<int> code = action();
    if (code) return *code;
    cli::printError(code.error().message());
    return exitCode(code.error().code);
}

/// A full disk shows when the buffers are written: what was lost must not look like success, nor
/// like a verdict that nobody can read.
bool stdoutWritten() {
    return (std::cout << std::flush) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int failLostOutput() {
    cli::printError("stdout: cannot write");
    return exitCode(ErrorCode::Io);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = run(argc, argv);
        return stdoutWritten() ? code : failLostOutput();
    } catch (const std::exception& error) {
        // fmt::print throws where the buffer is full before the end.
        if (!stdoutWritten()) return failLostOutput();
        roofscope::cli::printError(std::string("internal error: ") + error.what());
        return roofscope::exitCode(roofscope::ErrorCode::Internal);
    }
}
