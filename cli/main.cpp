// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/help_format.h"
#include "cli/output_file.h"
#include "cli/spelling.h"
#include "cli/terminal.h"
#include "profile/files/file_size_guard.h"
#include "profile/files/large_blocks.h"

namespace {

using namespace roofscope;

/// The number of arguments that are ours. Everything after the first "--" of `record`,
/// `check-loop`, `extract`, `arm`, `guard` and `try` belongs to the program, and CLI11 never sees
/// it. For other commands "--" has its usual meaning: only files follow.
int ownArguments(int argc, char** argv) {
    std::string_view command;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--" &&
            (command == "record" || command == "check-loop" || command == "extract" ||
             command == "arm" || command == "guard" || command == "try"))
            return i;
        if (command.empty() && !word.starts_with('-')) command = word;
    }
    return argc;
}

/// "list or show", "run, list or check"
std::string subcommandsOf(const CLI::App& command) {
    std::string names;
    const auto all = command.get_subcommands([](const CLI::App*) { return true; });
    for (std::size_t i = 0; i < all.size(); ++i)
        names += (i == 0 ? "" : i + 1 < all.size() ? ", " : " or ") + all[i]->get_name();
    return names;
}

/// The error for an invalid command line, with the --help to read.
Error parseError(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
    std::string what = error.what();
    if (const auto extras = command->remaining(); !extras.empty()) {
        for (const std::string& word : extras)
            if (word.size() > 1 && word.starts_with('-')) return cli::unknownOption(*command, word);
        if (command->get_require_subcommand_min() > 0)
            return cli::unknownCommand(*command, extras.front());
        what.clear();
        for (const std::string& word : extras) what += (what.empty() ? "" : " ") + word;
        what += ": not expected";
    } else if (command->get_require_subcommand_min() > 0) {
        what = "say what: " + subcommandsOf(*command);
    }
    return {.code = ErrorCode::Usage,
            .what = std::move(what),
            .where = cli::pathOf(*command),
            .advice = "see \"" + cli::helpOf(*command) + "\""};
}

/// Translates shorthands: "help record" means "record --help", and a file alone means its report.
/// Errors (Usage): the first word is neither a command nor a file.
Result<std::vector<std::string>> meantWords(const CLI::App& app, std::vector<std::string> words) {
    if (words.empty()) return words;
    const auto isCommand = [&](const std::string& word) {
        return !app.get_subcommands(
                       [&](const CLI::App* command) { return command->get_name() == word; })
                    .empty();
    };
    const auto isFile = [](const std::string& word) {
        std::error_code error;
        return std::filesystem::exists(word, error);
    };
    if (isCommand(words.front())) return words;
    if (words.front() == "help") {
        words.erase(words.begin());
        if (!words.empty() && !words.front().starts_with('-') && !isCommand(words.front()))
            return cli::unknownCommand(app, words.front());
        words.emplace_back("--help");
        return words;
    }
    // Options of the report may precede its file.
    const bool option = words.front().starts_with('-');
    if (option && (std::ranges::any_of(words, isCommand) || std::ranges::none_of(words, isFile)))
        return words;
    if (!option && !isFile(words.front())) return cli::unknownCommand(app, words.front());
    words.insert(words.begin(), "report");
    return words;
}

Result<int> run(int argc, char** argv) {
    const int own = ownArguments(argc, argv);
    const std::vector<std::string> afterDashes(argv + std::min(own + 1, argc), argv + argc);

    if (argc > 1 && std::string_view(argv[1]) == "--")
        return Error{.code = ErrorCode::Usage,
                     .what = "no command is given",
                     .advice = "roofscope record PROGRAM profiles a program"};

    CLI::App app{"Profiles CUDA kernels and says what limits each one.", "roofscope"};
    app.formatter(std::make_shared<cli::HelpFormat>());
    app.set_version_flag("--version,-V", std::string("roofscope ") + ROOFSCOPE_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough(false);
    app.footer(
        "Examples:\n"
        "  roofscope doctor                            can counters be read here?\n"
        "  roofscope record ./app --size 4096          profile a program\n"
        "  roofscope report app.roofscope.json         verdicts and hints\n"
        "  roofscope compare before.roofscope.json after.roofscope.json\n"
        "                                              what changed, and why\n"
        "  roofscope gate app.roofscope.json --baseline perf.baseline\n"
        "                                              a verdict for CI\n"
        "  roofscope extract --kernel gemm --out gemm/ ./app\n"
        "                                              one launch as a folder that judges edits\n"
        "  roofscope kernels run                       profile the bundled kernels\n"
        "  roofscope ceilings                          measure this GPU's real roofs\n"
        "  roofscope import report.ncu-rep             read what Nsight Compute measured\n"
        "\"roofscope COMMAND --help\" lists its options. Exit codes: docs/exit-codes.md");

    cli::Action action;
    cli::addDoctorCommand(app, action);
    cli::addRecordCommand(app, action, afterDashes);
    cli::addMeasureCommand(app, action);
    cli::addGuardCommand(app, action, afterDashes);
    cli::addArmCommand(app, action, afterDashes);
    cli::addPsCommand(app, action);
    cli::addSnapCommand(app, action);
    cli::addDisarmCommand(app, action);
    cli::addKernelsCommand(app, action);
    cli::addCeilingsCommand(app, action);
    cli::addReportCommand(app, action);
    cli::addCompareCommand(app, action);
    cli::addCheckLoopCommand(app, action, afterDashes);
    cli::addExtractCommand(app, action, afterDashes);
    cli::addJudgeReviewCommand(app, action);
    cli::addImportCommand(app, action);
    cli::addMergeCommand(app, action);
    cli::addGateCommand(app, action);
    cli::addRulesCommand(app, action);
    cli::addViewCommand(app, action);
    cli::addPythonCommands(app);
    cli::addCompletionCommand(app, action);
    // Only now, or the commands added above would inherit it.
    app.set_help_all_flag("--help-all", "All commands with all their options");

    try {
        auto words = meantWords(app, {argv + 1, argv + std::max(own, 1)});
        if (!words) return words.error();
        if (!words->empty() && !cli::pythonOptions(words->front()).empty()) {
            std::vector<std::string> arguments(words->begin() + 1, words->end());
            if (!afterDashes.empty()) {
                arguments.emplace_back("--");
                arguments.insert(arguments.end(), afterDashes.begin(), afterDashes.end());
            }
            return cli::execPythonPackage(words->front(), arguments);
        }
        std::ranges::reverse(*words);  // CLI11 takes arguments from the back
        app.parse(std::move(*words));
    } catch (const CLI::ParseError& error) {
        // CLI11 reports --help and --version as errors with exit code 0.
        if (error.get_exit_code() == 0) return app.exit(error);
        return parseError(app, error);
    }
    if (action) return action();
    if (const auto written = cli::writeOutput("", app.help()); !written) return written.error();
    return 0;
}

/// Runs the command; no exception leaves this function.
Result<int> outcomeOf(int argc, char** argv) try {
    return run(argc, argv);
} catch (const std::bad_alloc&) {
    return Error{.code = ErrorCode::Io, .what = "not enough memory"};
} catch (const std::exception& error) {
    // fmt::print throws if writing fails when its buffer is full.
    if (const auto written = cli::flushStdout(); !written) {
        const auto* system = dynamic_cast<const std::system_error*>(&error);
        return system ? cli::stdoutWriteError(system->code().value()) : written.error();
    }
    return Error{.code = ErrorCode::Internal,
                 .what = std::string("internal error: ") + error.what()};
}

bool g_started = false;

/// Called if an exception cannot be passed on, usually because memory is exhausted: before main()
/// there may not even be memory for the exception object.
[[noreturn]] void onTerminate() {
    bool memory = false;
    try {
        const auto error = std::current_exception();
        memory = !error && !g_started;
        if (error) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        memory = true;
    } catch (...) {
    }
    if (!memory) std::abort();
    constexpr std::string_view kMessage = "roofscope: not enough memory\n";
    [[maybe_unused]] const auto n = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(exitCode(ErrorCode::Io));
}

/// Constructed before all other static objects, whose constructors allocate memory.
struct HandlesTermination {
    HandlesTermination() { std::set_terminate(onTerminate); }
};
[[gnu::init_priority(101)]] HandlesTermination g_handler;

}  // namespace

int main(int argc, char** argv) {
    g_started = true;
    ignoreFileSizeSignal();
    returnLargeBlocksToSystem();
    Result<int> outcome = outcomeOf(argc, argv);
    // A full disk is noticed only when buffers are flushed. Lost output must not look like success.
    if (const auto written = cli::flushStdout(); !written && outcome) outcome = written.error();
    if (outcome) return *outcome;
    cli::printError(outcome.error().message());
    return exitCode(outcome.error().code);
}
