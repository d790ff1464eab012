// SPDX-License-Identifier: Apache-2.0
// `roofscope extract --kernel NAME --out FOLDER -- PROGRAM`: makes a folder of one launch that
// replays it and judges edits of its kernel.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/program_words.h"
#include "cli/redact_option.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/processes/interruptions.h"
#include "collector/run/recording/record.h"
#include "extract/choice/launch_choice.h"
#include "extract/folder/launch_folder.h"
#include "extract/folder/scratch_folder.h"
#include "profile/errors/usage_error.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/report.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct ExtractArguments {
    std::string kernel, launch = "median", out, limit = "4GiB";
    std::vector<std::string> ranges;
    double timeout = 0;
    bool noCheck = false, quiet = false;
};

constexpr const char* kFooter =
    "The program runs three times: for times, for counters (report.md), and to keep the launch. "
    "Then\nthe folder's own check replays the original.\n\n"
    "Examples:\n"
    "  roofscope extract --kernel fan2 --out fan2/ ./gaussian -s 4096\n"
    "  roofscope extract --kernel softmax --launch slowest --out softmax/ python3 serve.py\n"
    "  cd fan2 && ./check                       is the result the program's?\n"
    "  cp kernel.cu candidate.cu                edit it, then\n"
    "  ./check candidate.cu                     better, not better, or wrong\n"
    "What can be extracted, and what the folder contains: docs/extract.md";

/// The launch that was chosen, once the program has run.
struct Choosing {
    LaunchChoice choice;
    std::uint64_t limitBytes = 0;
    std::string folder;  ///< for what the injected library keeps
    std::optional<Result<ChosenLaunch>> chosen;
};

std::string launchWords(const Profile& profile, const ChosenLaunch& chosen) {
    const Launch& launch = profile.launches[chosen.launch];
    std::string text = shortKernelName(profile.kernels[launch.kernel].name);
    if (launch.duration) text += ", " + formatTime(*launch.duration);
    text +=
        chosen.among == 1 ? ", its only launch" : fmt::format(", one of {} launches", chosen.among);
    if (chosen.kernels > 1)
        text += fmt::format("; {} kernels match, and it takes the most time", chosen.kernels);
    return text;
}

RecordOptions recordOptions(const ExtractArguments& o, const std::vector<std::string>& program,
                            Choosing& choosing) {
    RecordOptions r;
    r.command = program;
    r.selection.kernel = o.kernel;
    r.selection.ranges = o.ranges;
    // A run that first counts and then times would not show all launches.
    r.timingRuns = 1;
    r.timeline = TimelineDetail::Off;
    r.cpuSamples = false;
    r.callSites = false;
    if (o.timeout > 0) r.timeoutSeconds = o.timeout;
    const bool quiet = o.quiet;
    if (!quiet) r.progress = [](const std::string& text) { printNote(text); };
    r.keep = [&choosing, quiet](const Profile& profile) -> std::optional<CaptureMode> {
        choosing.chosen = chooseLaunch(profile, choosing.choice);
        if (!*choosing.chosen) return {};
        const ChosenLaunch& chosen = **choosing.chosen;
        if (!quiet) printNote("one more run, to keep " + launchWords(profile, chosen));
        return CaptureMode{.signature = chosen.signature,
                           .ordinal = chosen.ordinal,
                           .limitBytes = choosing.limitBytes,
                           .folder = choosing.folder};
    };
    return r;
}

/// Why no launch was kept.
Error whyNot(const Recording& recording, const Choosing& choosing, const std::string& program) {
    const auto& issues = recording.profile.issues;
    if (recording.programExit != 0)
        return {.code = ErrorCode::Unavailable,
                .what = fmt::format("the program ended with {}", recording.programExit),
                .where = program,
                .advice = "only a program that runs to its end can be extracted from"};
    if (choosing.chosen && !*choosing.chosen) return choosing.chosen->error();
    // What the library says of the launch itself comes first.
    for (const char* code : {"capture-refused", "interrupted", "timeout"})
        if (const auto issue = std::ranges::find(issues, code, &Issue::code); issue != issues.end())
            return {.code = ErrorCode::Unavailable,
                    .what = issue->message,
                    .where = "extract",
                    .advice = issue->advice};
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error)
            return {.code = ErrorCode::Unavailable, .what = issue.message, .advice = issue.advice};
    if (recording.profile.processes.empty())
        return {
            .code = ErrorCode::NoInput, .what = "the program did not use CUDA", .where = program};
    return {.code = ErrorCode::Unavailable,
            .what = "the launch did not come again when the program ran once more",
            .where = "extract",
            .advice =
                "\"--launch first\" needs the least; a program that behaves differently in "
                "each run cannot be extracted from"};
}

/// report.md: what limits the kernel. Without paths, arguments and names of people and machines.
Result<std::string> reportOf(const Profile& profile, std::uint32_t launch) {
    const auto redaction = chooseRedaction("private");
    if (!redaction) return redaction.error();
    const Analysis analysis =
        analyze(std::make_shared<const Profile>(redact(profile, **redaction)));
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
        if (std::ranges::binary_search(analysis.kernels[k].group.launches, launch))
            return renderKernelHints(analysis, k, {.ask = false}) +
                   "\n**Ask:** make one change in a copy of `kernel.cu`, and run `./check COPY.cu` "
                   "(TASK.md).\n";
    return std::string("There is no report: the kernel was not measured.\n");
}

/// Replays the original, as a user would. Returns the exit code.
int replay(const fs::path& folder, bool quiet) {
    const auto said = captureChild({fs::absolute(folder / "check").string()}, false);
    if (!said) {
        printError("the folder is written, but its original was not replayed as in the program: " +
                   said.error().message());
        return kExitPartial;
    }
    if (!quiet)
        for (std::size_t at = 0; at < said->size();) {
            const std::size_t end = std::min(said->find('\n', at), said->size());
            printNote(std::string_view(*said).substr(at, end - at));
            at = end + 1;
        }
    return 0;
}

Result<int> extract(const ExtractArguments& o, const std::vector<std::string>& program) {
    if (program.empty())
        return usageError("no program to extract from", "extract",
                          "example: roofscope extract --kernel gemm --out gemm/ ./app");
    const auto choice = LaunchChoice::parse(o.launch);
    if (!choice) return choice.error();
    std::string_view limitText = o.limit;
    if (limitText.ends_with('B')) limitText.remove_suffix(1);
    const auto limit = parseBytes(limitText);
    if (!limit)
        return usageError("must be a number of bytes", "--limit " + o.limit, "example: 4GiB");
    if (auto ok = checkFolderIsFree(o.out); !ok) return ok.error();
    const Interruptions interruptions;
    const ScratchFolder captures(o.out);
    if (!captures.path()) return captures.path().error();
    Choosing choosing{
        .choice = *choice, .limitBytes = *limit, .folder = captures.path()->string(), .chosen = {}};
    const auto recording = record(recordOptions(o, program, choosing));
    if (!recording) return recording.error();
    const auto capture = findCapture(*captures.path());
    if (!capture || !choosing.chosen || !*choosing.chosen)
        return whyNot(*recording, choosing, program.front());
    const Profile& profile = recording->profile;
    const Launch& launch = profile.launches[(*choosing.chosen)->launch];
    auto report = reportOf(profile, (*choosing.chosen)->launch);
    if (!report) return report.error();
    const auto written = writeLaunchFolder({.capture = *capture,
                                            .name = profile.kernels[launch.kernel].name,
                                            .programTime = launch.duration,
                                            .report = *std::move(report)},
                                           o.out);
    if (!written) return written.error();
    if (!o.quiet) {
        for (const std::string& note : written->notes) printNote(note);
        printNote(fmt::format(
            "{} of memory, {} in {}; it holds the program's data and perhaps a vendor's code",
            formatNumber(static_cast<double>(written->memory.memoryBytes), Unit::Bytes),
            formatNumber(static_cast<double>(written->memory.storedBytes), Unit::Bytes), o.out));
    }
    return o.noCheck ? 0 : replay(o.out, o.quiet);
}

}  // namespace

void addExtractCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<ExtractArguments>();
    CLI::App* command = app.add_subcommand(
        "extract", "Make a folder of one launch that replays it and judges edits of its kernel");
    command
        ->add_option("--kernel,-k", options->kernel,
                     "The kernel: a regular expression on its full or base name (\"gemm\" of "
                     "\"ns::gemm<4>(int*)\")")
        ->required()
        ->type_name("REGEX");
    command
        ->add_option("--launch", options->launch,
                     "Which of its launches: first, median (default) or slowest by time, or N, "
                     "the N-th from 1")
        ->type_name("WHICH");
    command
        ->add_option("--nvtx", options->ranges,
                     "Only launches inside an NVTX range that matches this glob (repeatable)")
        ->type_name("GLOB");
    command
        ->add_option("--out,-o", options->out, "The folder to make; it must not exist, or be empty")
        ->required()
        ->check(fileName())
        ->type_name("FOLDER");
    command
        ->add_option("--limit", options->limit,
                     "The most memory that the launch may reach (default: 4GiB)")
        ->type_name("BYTES");
    command
        ->add_option("--timeout", options->timeout,
                     "End each run of the program after this many seconds")
        ->check(positiveNumber());
    command->add_flag("--no-check", options->noCheck, "Do not replay the original afterwards");
    command->add_flag("--quiet,-q", options->quiet, "No progress and no summary on stderr");
    command->footer(kFooter);
    endsWithProgram(*command);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            return extract(*options, *program);
        };
    });
}

}  // namespace roofscope::cli
