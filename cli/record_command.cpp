// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/kernel_origin.h"
#include "cli/commands.h"
#include "cli/follow_ups.h"
#include "cli/help_format.h"
#include "cli/number_check.h"
#include "cli/output_template.h"
#include "cli/program_words.h"
#include "cli/record_output.h"
#include "cli/record_plan.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "cli/window_option.h"
#include "profile/files/output_conflict.h"
#include "profile/names/launchers.h"

namespace roofscope::cli {
namespace {

struct RecordArguments {
    std::string out, chip, replay = "auto", fromStart = "on", perKernel, source, overTime;
    std::string cacheControl = "none", autotuning = "skip", timeline = "full", callSites = "on",
                cpuSamples = "on";
    std::string effort = "auto", window = "auto";
    std::vector<std::string> bytes;
    bool quiet = false, verbose = false, dryRun = false, json = false, noStallSamples = false,
         endAll = false, tryEdits = false;
    std::uint64_t launchCount = 0;
    double timeout = 0, timeLimit = 0;
    RecordOptions record;
};

constexpr const char* kFooter =
    "The program runs without counters first, for times and the list of launches, then with them.\n"
    "Its output and its exit code are those of the first run; 90 means that part of the "
    "measurement\n"
    "was lost, 91 that no launch was measured (docs/exit-codes.md).\n\n"
    "Examples:\n"
    "  roofscope record ./app --size 4096\n"
    "  roofscope record --out step.roofscope.json.gz python3 train.py\n"
    "  roofscope record --kernel 'gemm|softmax' --nvtx decode python3 serve.py\n"
    "  roofscope record mpirun -n 4 ./app\n"
    "  roofscope record --source top:3 ./app              lines of the three longest kernels\n"
    "  roofscope record --time-limit 300 python3 train.py\n"
    "How it measures, and what it costs: docs/collecting.md";

/// Options about measurements with counters.
void declareCounters(CLI::App& command, RecordArguments& o) {
    RecordOptions& r = o.record;
    addListOption(command, "--groups", r.groups,
                  "Counter groups, comma separated (default: default; more groups cost passes)");
    addListOption(command, "--metrics", r.counters,
                  "Further counters by CUPTI name with roll-up, comma separated");
    command
        .add_option("--replay", o.replay,
                    "kernel: each launch is replayed once per pass; application: the program runs "
                    "once per group of counters; multiplex: one run, in which the groups take "
                    "turns on the launches of each kernel (for loops: training, serving); auto "
                    "(default): kernel or application, whichever is faster")
        ->check(CLI::IsMember({"auto", "kernel", "application", "multiplex"}));
    command.add_option(
        "--range", r.ranges,
        "Measure whole NVTX ranges whose name matches this glob, with their kernels as concurrent "
        "as they are (repeatable). Takes one more run per group of counters and nesting depth");
    command.add_option("--source", o.source,
                       "Counters per instruction and source line: top:K for the K kernels that "
                       "take the most time (at most 16), or a regular expression on kernel names, "
                       "as with --kernel. "
                       "Takes one more run per kernel, and one that samples stall reasons");
    command.add_flag("--no-stall-samples", o.noStallSamples,
                     "With --source: skip the run that samples stall reasons");
    command.add_option(
        "--over-time", o.overTime,
        "Activity of DRAM, L2, SMs and tensor cores over the time of a kernel: top:K "
        "or a regular expression, as with --source. Takes one more run for all; "
        "GA10x or later");
}

/// Options about measurements without counters, and about conditions.
void declareRuns(CLI::App& command, RecordArguments& o) {
    RecordOptions& r = o.record;
    command
        .add_option("--timing-repeats", r.timingRuns,
                    "Runs without counters, for durations. 0: the program runs only once, with "
                    "counters. Default: 1. But a program that starts slowly is counted and then "
                    "timed in one run; and a rank started by an MPI launcher gets 0, unless "
                    "another option needs several runs")
        ->check(wholeNumber(0, 1000));
    command.add_flag("--timing-only", r.timingOnly, "No counters: durations and launch shapes");
    command
        .add_option("--cache-control", o.cacheControl,
                    "none (default): caches stay as the program leaves them; flush: empty the L2 "
                    "before each launch (not with kernel replay)")
        ->check(CLI::IsMember({"none", "flush"}));
    command
        .add_option("--timeline", o.timeline,
                    "What the timing run records besides kernels: full (default): copies, waits, "
                    "CUDA calls and NVTX ranges; gpu: copies and waits; off: nothing")
        ->check(CLI::IsMember({"full", "gpu", "off"}));
    command
        .add_option("--cpu-samples", o.cpuSamples,
                    "on (default): in the timing run, sample what the threads that give the GPU "
                    "work do on the CPU, for the functions that it waits for; off: do not")
        ->check(CLI::IsMember({"on", "off"}));
    command
        .add_option(
            "--call-sites", o.callSites,
            "on (default): record which lines of the program launch kernels, copy and wait "
            "(Python 3.12 or later; compiled code needs -g) and PyTorch's operators; off: do not")
        ->check(CLI::IsMember({"on", "off"}));
    command
        .add_option(
            "--bytes", o.bytes,
            "KERNEL=N: each launch of a matching kernel must move N bytes (512M, 1.5Gi). Without "
            "DRAM counters the report gives the bandwidth of these declared bytes. Repeatable")
        ->allow_extra_args(false);
}

/// Options about how long a recording may take.
void declareEffort(CLI::App& command, RecordArguments& o) {
    command
        .add_option(
            "--effort", o.effort,
            "Follow-up questions: further runs that read only the counters that could "
            "still change the verdict or the first action, for kernels with 3 % of the "
            "time or more. quick: none; auto (default): until the recording has taken "
            "2.1 times the program's time, and for at least 6 s; deep: until nothing is open. With "
            "--groups or --metrics there are none unless this option is given")
        ->check(CLI::IsMember({"quick", "auto", "deep"}));
    addWindowOption(command, o.window);
    command
        .add_option(
            "--time-limit", o.timeLimit,
            "End the whole recording, follow-up questions included, after this many seconds")
        ->check(positiveNumber());
    command
        .add_option("--timeout", o.timeout, "End each run of the program after this many seconds")
        ->check(positiveNumber());
    command.add_flag(
        "--whole-runs", o.record.wholeRuns,
        "Let every run go on until the program ends. Otherwise runs after the first "
        "end as soon as they have measured what they are for, if the program is one "
        "process that roofscope itself started, which holds no file open for writing, has "
        "written none, and has no connection and no child process");
    command.add_flag("--end-all", o.endAll,
                     "When a run of the program ends, also end processes it left running (servers, "
                     "daemons). After a time limit, Ctrl-C or a signal this is always done");
}

/// Options that choose the launches to record.
void declareChoice(CLI::App& command, RecordArguments& o) {
    RecordOptions& r = o.record;
    command.add_option("--kernel", r.selection.kernel,
                       "Only kernels whose full or base name (\"gemm\" of \"ns::gemm<4>(int*)\") "
                       "matches this regular expression");
    command.add_option("--nvtx", r.selection.ranges,
                       "Only launches inside an NVTX range that matches this glob (repeatable)");
    command.add_option("--nvtx-exclude", r.selection.notRanges,
                       "No launches inside an NVTX range that matches this glob (repeatable)");
    command
        .add_option(
            "--autotuning", o.autotuning,
            "skip (default): leave out what Triton's and torch.compile's autotuners launch to "
            "choose a configuration; keep: record it, in the range roofscope:autotuning")
        ->check(CLI::IsMember({"skip", "keep"}));
    constexpr std::uint64_t kMostDevices = 1024, kMostLaunches = 1'000'000'000'000;
    command
        .add_option("--device", r.selection.devices,
                    "Only launches on this GPU (CUDA ordinal; repeatable)")
        ->check(wholeNumber(0, kMostDevices - 1));
    command
        .add_option("--launch-skip", r.selection.skip, "Skip the first N of the chosen launches")
        ->check(wholeNumber(0, kMostLaunches));
    command.add_option("--launch-count", o.launchCount, "Then record only N launches")
        ->check(wholeNumber(1, kMostLaunches));
    command
        .add_option("--profile-from-start", o.fromStart,
                    "off: only between cudaProfilerStart and cudaProfilerStop")
        ->check(CLI::IsMember({"on", "off"}));
    command.add_option(
        "--per-kernel", o.perKernel,
        "Read counters of at most N launches per kernel, shape and NVTX range: those closest to "
        "the median time. \"all\": of every launch. Default: 3; 2 if it takes less than 1 % of the "
        "GPU time; 1 if counting is slow. All launches are timed in any case");
}

void declare(CLI::App& command, RecordArguments& o) {
    command
        .add_option(
            "--out,-o", o.out,
            "Profile to write (default: PROGRAM.roofscope.json; for Python the name of the script "
            "or module; \".gz\" compresses; %r is the rank, %h the host, %p the process id)")
        ->check(fileName());
    command.add_flag("--try", o.tryEdits,
                     "Then try the edits that the report's actions suggest and that need no change "
                     "of a file (see \"roofscope try --help\")");
    declareCounters(command, o);
    declareRuns(command, o);
    declareEffort(command, o);
    declareChoice(command, o);

    command.add_flag("--dry-run", o.dryRun,
                     "Show which counters would be read, and in how many runs");
    command.add_option("--chip", o.chip,
                       "With --dry-run: for this chip (GH100) instead of the GPU here");
    command.add_flag("--json", o.json, "With --dry-run: as JSON");
    command.add_flag("--quiet,-q", o.quiet, "No progress and no summary on stderr");
    command.add_flag("--verbose,-v", o.verbose, "How long each run of the program took")
        ->excludes("--quiet");
    addHelpAll(command);
    showLater(
        command, "Counters",
        {"--groups", "--metrics", "--replay", "--range", "--no-stall-samples", "--over-time"});
    showLater(command, "Runs",
              {"--timing-repeats", "--cache-control", "--timeline", "--cpu-samples", "--call-sites",
               "--window", "--bytes", "--timeout", "--whole-runs", "--end-all"});
    showLater(command, "Which launches",
              {"--nvtx-exclude", "--autotuning", "--device", "--launch-skip", "--launch-count",
               "--profile-from-start", "--per-kernel"});
    showLater(command, "Plan without a run", {"--dry-run", "--chip", "--json"});
    command.footer(kFooter);
}

/// Parses "top:K", or a regular expression on names.
Result<SourceRequest> kernelsOf(const std::string& text, const char* option) {
    if (!text.starts_with("top:")) return SourceRequest{.pattern = text};
    const std::string number = text.substr(4);
    if (number.empty() || number.size() > 2 ||
        number.find_first_not_of("0123456789") != std::string::npos || std::stoul(number) == 0 ||
        std::stoul(number) > kMostSources)
        return Error{
            .code = ErrorCode::Usage,
            .what = fmt::format("must be top:1 to top:{}, or a regular expression", kMostSources),
            .where = fmt::format("{} {}", option, text)};
    return SourceRequest{.top = static_cast<std::uint32_t>(std::stoul(number))};
}

Result<RecordOptions> request(const RecordArguments& o, const std::vector<std::string>& program) {
    RecordOptions r = o.record;
    r.command = program;
    r.replay = o.replay == "kernel"        ? ReplayChoice::Kernel
               : o.replay == "application" ? ReplayChoice::Application
               : o.replay == "multiplex"   ? ReplayChoice::Multiplex
                                           : ReplayChoice::Auto;
    if (o.cacheControl == "flush") r.cacheControl = CacheControl::Flush;
    r.timeline = o.timeline == "full"  ? TimelineDetail::Full
                 : o.timeline == "gpu" ? TimelineDetail::Gpu
                                       : TimelineDetail::Off;
    r.callSites = o.callSites == "on";
    r.cpuSamples = o.cpuSamples == "on";
    for (const std::string& text : o.bytes) {
        auto declared = parseDeclaredBytes(text);
        if (!declared) return declared.error();
        r.declaredBytes.push_back(std::move(*declared));
    }
    r.stallSamples = !o.noStallSamples;
    if (o.launchCount > 0) r.selection.count = o.launchCount;
    r.selection.fromStart = o.fromStart != "off";
    r.selection.autotuning = o.autotuning == "keep";
    if (o.timeout > 0) r.timeoutSeconds = o.timeout;
    if (o.endAll) r.leftovers = Leftovers::End;
    if (o.timeLimit > 0) r.timeLimitSeconds = o.timeLimit;
    if (o.perKernel == "all") {
        r.perKernel = 0;
    } else if (!o.perKernel.empty()) {
        const bool number = o.perKernel.find_first_not_of("0123456789") == std::string::npos;
        if (!number || o.perKernel.size() > 6 || o.perKernel == "0")
            return Error{.code = ErrorCode::Usage,
                         .what = "must be a number from 1, or \"all\"",
                         .where = "--per-kernel"};
        r.perKernel = static_cast<std::uint32_t>(std::stoul(o.perKernel));
        r.perSmallKernel = r.perKernel;
        r.countOneIfCostly = false;
    }
    auto source = kernelsOf(o.source, "--source");
    if (!source) return source.error();
    r.source = *std::move(source);
    auto overTime = kernelsOf(o.overTime, "--over-time");
    if (!overTime) return overTime.error();
    r.overTime = *std::move(overTime);
    if (!o.quiet) r.progress = [](const std::string& text) { printNote(text); };
    r.tellTimes = o.verbose;
    return r;
}

/// The effort for follow-up questions: none if the user chose the counters, or if the program must
/// not run again.
Result<Effort> effortOf(const CLI::App& command, const RecordArguments& o,
                        const RecordOptions& wanted) {
    const Effort effort = parseEffort(o.effort).value_or(Effort::Auto);
    const bool asked = command.count("--effort") > 0;
    const bool chosen = command.count("--groups") + command.count("--metrics") > 0;
    if (effort == Effort::Quick || (chosen && !asked)) return Effort::Quick;
    const auto ok = checkQuestions(wanted);
    if (ok) return effort;
    if (asked && ok.error().code == ErrorCode::Usage) {
        Error error = ok.error();
        error.what =
            "follow-up questions need further runs, but with " + error.where + " " + error.what;
        error.where = "--effort " + o.effort;
        error.advice = "leave one of the two out";
        return error;
    }
    if (asked && wanted.progress) wanted.progress("no follow-up questions: " + ok.error().what);
    return Effort::Quick;
}

/// Records, then replaces this process by `roofscope try`. Returns if the recording fails or its
/// exit code is not 0.
Result<int> recordAndTry(const RecordOptions& options, const ProfileOutput& output, bool quiet) {
    std::filesystem::path written;
    const Result<int> code = recordTo(options, output, quiet, &written);
    if (!code || *code != 0) {
        if (code) printNote(fmt::format("nothing was tried: the recording ended with {}", *code));
        return code;
    }
    // Absolute, because a relative path may look like an option or like the name of a trial.
    std::vector<std::string> words{std::filesystem::absolute(written).string(), "--"};
    words.insert(words.end(), options.command.begin(), options.command.end());
    return execPythonPackage("try", words);
}

void followUp(RecordOptions& options, Effort effort, bool required, WindowChoice window) {
    options.judgedLoop = [window](const Profile& profile) { return judgedLoopOf(profile, window); };
    if (effort == Effort::Quick) return;
    const FollowUpSettings settings{
        .effort = effort,
        .required = required,
        .window = window,
        .launchesPerKernel = options.perKernel > 0 ? options.perKernel : kDefaultPerKernel,
        .say = options.progress};
    options.asksAhead = [](const Profile& profile, const Kernel& kernel) {
        return !isForeign(originOf(frameworksOf(profile), kernel));
    };
    options.followUp = [settings](const RecordingInProgress& recording) {
        askFollowUps(recording, settings);
    };
}

}  // namespace

void addRecordCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<RecordArguments>();
    CLI::App* command = app.add_subcommand("record", "Profile a CUDA program");
    declare(*command, *options);
    endsWithProgram(*command);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            auto wanted = request(*options, *program);
            if (!wanted) return wanted.error();
            const auto effort = effortOf(*command, *options, *wanted);
            if (!effort) return effort.error();
            wanted->sparesLongKernels = *effort != Effort::Deep;
            const auto window = chooseWindow(options->window);
            if (!window) return window.error();
            followUp(*wanted, *effort, command->count("--effort") > 0, *window);
            if (options->dryRun) {
                // Report the same errors as a recording would.
                if (!options->out.empty())
                    if (const auto out = chooseProfileOutput(options->out, {}); !out)
                        return out.error();
                return showPlan(*wanted, *effort, options->chip, options->json);
            }
            if (program->empty())
                return Error{.code = ErrorCode::Usage,
                             .what = "no program to profile",
                             .where = "record",
                             .advice = "example: roofscope record ./app"};
            const auto out = chooseProfileOutput(options->out, nameOfCommand(*program));
            if (!out) return out.error();
            // A name without a "/" is looked up in PATH, not here.
            if (program->front().find('/') != std::string::npos)
                if (auto ok = checkOutputIsNoInput("--out", out->path, {program->front()}); !ok)
                    return ok.error();
            return options->tryEdits ? recordAndTry(*wanted, *out, options->quiet)
                                     : recordTo(*wanted, *out, options->quiet);
        };
    });
}

}  // namespace roofscope::cli
