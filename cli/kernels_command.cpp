// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/kernel_check.h"
#include "cli/kernels_program.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/recording/record.h"
#include "profile/codec/codec.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

/// The limit of roofscope-kernels itself.
constexpr int kMostLaunches = 1'000'000;

/// Arguments that the subcommands pass to roofscope-kernels.
struct KernelArguments {
    std::vector<std::string> names;
    std::vector<std::string> shapes;
    std::string dtype;
    int repeat = 0, warmup = -1;
    bool allShapes = false;

    void declare(CLI::App& command) {
        command.add_option("names", names, "Rungs or globs: naive, lightning*/naive, \"*/copy_*\"");
        command.add_option("--shape", shapes, "Shape, NAME=VALUE comma separated: B=64,D=96");
        command.add_option("--dtype", dtype, "Element type: f32, bf16, f16");
    }
    void declareRepeats(CLI::App& command) {
        command.add_option("--repeat", repeat, "Profiled launches per rung (default: 3)")
            ->check(wholeNumber(1, kMostLaunches));
        command
            .add_option("--warmup", warmup,
                        "Launches before those, measured too but outside the range (default: 0)")
            ->check(wholeNumber(0, kMostLaunches));
        command.add_flag("--all-shapes", allShapes, "All listed shapes instead of the default one");
    }
    [[nodiscard]] std::vector<std::string> toCommand(const std::string& program,
                                                     const std::string& verb) const {
        std::vector<std::string> command{program, verb};
        command.insert(command.end(), names.begin(), names.end());
        for (const auto& shape : shapes) command.insert(command.end(), {"--shape", shape});
        if (!dtype.empty()) command.insert(command.end(), {"--dtype", dtype});
        if (repeat > 0) command.insert(command.end(), {"--repeat", std::to_string(repeat)});
        if (warmup >= 0) command.insert(command.end(), {"--warmup", std::to_string(warmup)});
        if (allShapes) command.push_back("--all-shapes");
        return command;
    }
};

RecordOptions recordOptions(const KernelArguments& arguments, const std::string& program) {
    RecordOptions options;
    options.command = arguments.toCommand(program, "run");
    options.shownCommand = arguments.toCommand("roofscope-kernels", "run");
    options.perKernel = 0;  // all launches: there are only a few
    return options;
}

/// The known answers of the chosen kernels.
Result<std::vector<ExpectedCounter>> expectations(const KernelArguments& arguments,
                                                  const std::string& program) {
    auto command = arguments.toCommand(program, "expect");
    command.push_back("--json");
    auto text = captureChild(command);
    if (!text) return text.error();
    return parseExpectations(*text);
}

Result<int> runKernels(const KernelArguments& arguments, std::string out,
                       const std::vector<std::string>& groups, const std::string& source,
                       bool quiet) {
    auto program = kernelsProgram();
    if (!program) return program.error();
    const ProfileOutput output =
        out.empty() ? defaultOutput("kernels") : ProfileOutput{.path = out};
    RecordOptions options = recordOptions(arguments, *program);
    options.groups = groups;
    options.source.pattern = source;
    auto expected = expectations(arguments, *program);
    if (!expected) return expected.error();
    options.declaredBytes = declaredBytes(*expected);
    return recordTo(options, output, quiet);
}

Result<int> checkKernels(const KernelArguments& arguments, const std::string& recorded, bool json) {
    auto program = kernelsProgram();
    if (!program) return program.error();
    auto expected = expectations(arguments, *program);
    if (!expected) return expected.error();

    Profile profile;
    if (recorded.empty()) {
        auto recording = record(recordOptions(arguments, *program));
        if (!recording) return recording.error();
        for (const Issue& issue : recording->profile.issues)
            if (issue.severity != Severity::Info) printNote(issue.message);
        if (recording->programExit != 0) return recording->programExit;
        profile = std::move(recording->profile);
    } else {
        auto read = readProfile(recorded);
        if (!read) return read.error();
        profile = std::move(*read);
    }
    const CheckTable table = compareWithExpectations(*expected, profile);
    if (const auto shown =
            writeOutput("", json ? toJsonText(table) : toText(table, wantsColour(1)));
        !shown)
        return shown.error();
    // Kernels that this GPU cannot run are not a failure. But a given profile without any bundled
    // kernel cannot be checked.
    const bool onlyTooNew = recorded.empty() && !table.skipped.empty();
    if (table.compared == 0 && !onlyTooNew)
        return Error{.code = ErrorCode::BadData,
                     .what = "no launch of the profile belongs to a bundled kernel",
                     .where = recorded,
                     .advice = "record with \"roofscope kernels run\""};
    return table.failed == 0 ? 0 : 1;
}

void addList(CLI::App& kernels, Action& run) {
    auto json = std::make_shared<bool>(false);
    auto listed = std::make_shared<std::vector<std::string>>();
    CLI::App* list = kernels.add_subcommand("list", "Families, rungs, their faults and shapes");
    list->add_option("names", *listed, "Rungs or globs: naive, lightning*/naive, \"*/copy_*\"");
    list->add_flag("--json", *json, "Machine-readable output");
    list->footer(
        "Examples:\n"
        "  roofscope kernels list\n"
        "  roofscope kernels list \"patterns/*\" --json\n");
    list->callback([=, &run] {
        run = [=]() -> Result<int> {
            auto program = kernelsProgram();
            if (!program) return program.error();
            std::vector<std::string> command{*program, "list"};
            command.insert(command.end(), listed->begin(), listed->end());
            if (*json) command.push_back("--json");
            auto end = runChild(command, {});
            if (!end) return end.error();
            return end->status.signal ? 128 + *end->status.signal : end->status.code.value_or(0);
        };
    });
}

void addRun(CLI::App& kernels, Action& run) {
    auto runArguments = std::make_shared<KernelArguments>();
    auto out = std::make_shared<std::string>();
    auto quiet = std::make_shared<bool>(false);
    CLI::App* runCommand = kernels.add_subcommand("run", "Profile bundled kernels on this GPU");
    runArguments->declare(*runCommand);
    runArguments->declareRepeats(*runCommand);
    auto groups = std::make_shared<std::vector<std::string>>(1, "default");
    addListOption(*runCommand, "--groups", *groups,
                  "Counter groups, comma separated (default: default)");
    auto source = std::make_shared<std::string>();
    runCommand->add_option("--source", *source,
                           "Counters per instruction of kernels whose name matches this regular "
                           "expression; one more run for each");
    runCommand->add_option("--out,-o", *out, "Profile to write (default: kernels.roofscope.json)")
        ->check(fileName());
    runCommand->add_flag("--quiet,-q", *quiet, "No summary on stderr");
    runCommand->footer(
        "Examples:\n"
        "  roofscope kernels run --out bundled.roofscope.json\n"
        "  roofscope kernels run \"lightning*/*\" --shape B=1 --dtype bf16\n");
    runCommand->callback([=, &run] {
        run = [=] { return runKernels(*runArguments, *out, *groups, *source, *quiet); };
    });
}

void addCheck(CLI::App& kernels, Action& run) {
    auto checkArguments = std::make_shared<KernelArguments>();
    auto recorded = std::make_shared<std::string>();
    auto checkJson = std::make_shared<bool>(false);
    CLI::App* check = kernels.add_subcommand(
        "check", "Compare counters with the kernels' known answers (self-test of a machine)");
    checkArguments->declare(*check);
    checkArguments->declareRepeats(*check);
    check->add_option("--profile", *recorded, "Check this profile instead of recording one")
        ->check(fileName());
    check->add_flag("--json", *checkJson, "Machine-readable output");
    check->footer(
        "Examples:\n"
        "  roofscope kernels check\n"
        "  roofscope kernels check \"matmul/*\" --repeat 1\n"
        "  roofscope kernels check --profile kernels.roofscope.json\n"
        "Exit codes: 0 all counters as expected; 1 a counter differs; 65 the profile has no "
        "launch\n"
        "of a bundled kernel; others: docs/exit-codes.md");
    check->callback(
        [=, &run] { run = [=] { return checkKernels(*checkArguments, *recorded, *checkJson); }; });
}

}  // namespace

void addKernelsCommand(CLI::App& app, Action& run) {
    CLI::App* kernels =
        app.add_subcommand("kernels", "List, profile and verify the bundled kernels");
    kernels->require_subcommand(1);
    kernels->footer(
        "Examples:\n"
        "  roofscope kernels list                      what there is; needs no GPU\n"
        "  roofscope kernels run \"matmul/*\"            profile some of them\n"
        "  roofscope kernels check                     does this machine count as it should?\n"
        "What each kernel shows: docs/kernels.md");
    addList(*kernels, run);
    addRun(*kernels, run);
    addCheck(*kernels, run);
}

}  // namespace roofscope::cli
