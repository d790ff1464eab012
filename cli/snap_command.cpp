// SPDX-License-Identifier: Apache-2.0
// `roofscope snap PID`: records some steps of an armed process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "analyzer/program/account/step_times.h"
#include "cli/arm_folder_option.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/output_template.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/arm/snap_process.h"
#include "collector/run/processes/interruptions.h"
#include "profile/errors/usage_error.h"
#include "profile/names/launchers.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"
#include "reports/report.h"

namespace roofscope::cli {
namespace {

struct SnapArguments {
    std::string folder, out, timeline = "full", cpuSamples = "on", callSites = "on",
                             mostBytes = "1GiB";
    std::int64_t pid = 0;
    std::uint32_t steps = 0;
    double seconds = 0, limit = 60, around = 1;
    bool quiet = false;
};

constexpr const char* kSnapFooter =
    "A step is what the program repeats, as in a recording: an NVTX range, or a period of its\n"
    "launches. The program goes on meanwhile, slower by what tracing costs, and is as before\n"
    "afterwards (nearly, if it uses CUDA graphs). Counters are not read. Ctrl-C ends a snap\n"
    "early and keeps what there is.\n\n"
    "Examples:\n"
    "  roofscope ps                                which processes are armed?\n"
    "  roofscope snap 4242 --steps 50              writes serve.roofscope.json\n"
    "  roofscope snap 4242 --seconds 5 --out busy.roofscope.json\n"
    "  roofscope report serve.roofscope.json\n"
    "Arming, containers, and what a snap costs: docs/arm.md";

constexpr double kDefaultSeconds = 5;
constexpr std::size_t kMostSnapIssueText = 1000;

/// Finds steps by the same search as a report.
std::optional<StepsSeen> stepsIn(const Profile& profile) {
    const auto found = program::stepsFound(profile);
    if (!found) return std::nullopt;
    return StepsSeen{.count = found->count, .each = found->each};
}

void declareSnap(CLI::App& command, SnapArguments& o) {
    command.add_option("pid", o.pid, "Process id, as \"roofscope ps\" lists it")
        ->required()
        ->check(wholeNumber(1, std::numeric_limits<std::int32_t>::max()));
    command.add_option("--steps", o.steps, "Record so many steps")
        ->check(wholeNumber(1, 1'000'000));
    command.add_option("--seconds", o.seconds, "Record for so long (default: 5, without --steps)")
        ->check(positiveNumber());
    command
        .add_option("--out,-o", o.out,
                    "Profile to write (default: PROGRAM.roofscope.json, as with record)")
        ->check(fileName());
    command
        .add_option("--limit", o.limit,
                    "With --steps: end after so many seconds, whatever was found (default: 60)")
        ->check(positiveNumber());
    command
        .add_option("--around", o.around,
                    "For so many seconds before and after, launches are only counted, for the "
                    "step's time without tracing (default: 1; give more if steps are longer)")
        ->check(CLI::Range(0.0, arm::kMostAround));
    command.add_option("--most-bytes", o.mostBytes,
                       "End early when measurements take so much space (default: 1GiB)");
    command.add_option("--timeline", o.timeline, "As of record: full (default), gpu, off")
        ->check(CLI::IsMember({"full", "gpu", "off"}));
    command.add_option("--cpu-samples", o.cpuSamples, "As of record: on (default), off")
        ->check(CLI::IsMember({"on", "off"}));
    command
        .add_option("--call-sites", o.callSites,
                    "on (default): then record for up to a second from which lines the program "
                    "launches; off: do not")
        ->check(CLI::IsMember({"on", "off"}));
    addArmFolderOption(command, o.folder);
    command.add_flag("--quiet,-q", o.quiet, "No progress and no summary on stderr");
    command.footer(kSnapFooter);
}

Result<SnapOptions> snapOptions(const SnapArguments& o) {
    if (o.steps > 0 && o.seconds > 0)
        return usageError("cannot be combined with --seconds", "--steps",
                          "--limit is the longest that steps are waited for");
    SnapOptions options{.seconds = o.steps > 0     ? o.limit
                                   : o.seconds > 0 ? o.seconds
                                                   : kDefaultSeconds,
                        .around = o.around,
                        .timeline = o.timeline == "full"  ? TimelineDetail::Full
                                    : o.timeline == "gpu" ? TimelineDetail::Gpu
                                                          : TimelineDetail::Off,
                        .cpuSamples = o.cpuSamples == "on",
                        .callSites = o.callSites == "on",
                        .stepsIn = stepsIn};
    if (o.steps > 0) options.steps = o.steps;
    if (options.seconds > arm::kMostSeconds)
        return usageError(fmt::format("must be {} at most", arm::kMostSeconds),
                          o.steps > 0 ? "--limit" : "--seconds", "");
    const auto most = parseBytes(o.mostBytes);
    if (!most || *most > arm::kMostBytes)
        return usageError("must be a number of bytes, 16GiB at most", "--most-bytes " + o.mostBytes,
                          "example: 1GiB");
    options.mostBytes = *most;
    if (!o.quiet) options.progress = [](const std::string& text) { printNote(text); };
    return options;
}

Result<int> snap(const SnapArguments& o) {
    const auto options = snapOptions(o);
    if (!options) return options.error();
    const auto process = armedProcess(o.pid, o.folder);
    if (!process) return process.error();
    const auto command = process->state ? process->state->command : std::vector<std::string>{};
    const auto out = chooseProfileOutput(o.out, nameOfCommand(command));
    if (!out) return out.error();
    if (auto ok = checkWritable(out->path); !ok) return ok.error();
    const Interruptions interruptions;
    auto recording = snapProcess(*process, *options);
    if (!recording) return recording.error();
    const Profile& profile = recording->profile;
    for (const Issue& issue : profile.issues)
        if (issue.severity != Severity::Info)
            printNote(cleanText(issue.message, kMostSnapIssueText));
    if (profile.processes.empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what = "nothing was recorded",
                     .where = fmt::format("process {}", o.pid)};
    const auto written = writeProfileTo(profile, *out);
    if (!written) return written.error();
    if (!o.quiet)
        printNote(fmt::format(
            "{} of {} recorded: {}", countText(profile.launches.size(), "launch", "launches"),
            countText(profile.kernels.size(), "kernel", "kernels"), written->string()));
    return recordExitCode(*recording);
}

}  // namespace

void addSnapCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<SnapArguments>();
    CLI::App* command = app.add_subcommand("snap", "Record some steps of an armed process");
    declareSnap(*command, *options);
    command->callback([=, &run] { run = [=] { return snap(*options); }; });
}

}  // namespace roofscope::cli
