// SPDX-License-Identifier: Apache-2.0
#include "collector/run/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "collector/run/child_process.h"
#include "collector/run/clock_log.h"
#include "collector/run/interruptions.h"
#include "collector/run/join_parts.h"
#include "collector/run/join_runs.h"
#include "collector/run/record_ranges.h"
#include "collector/run/spool_reader.h"
#include "collector/run/stall_samples.h"
#include "collector/run/stored_ceilings.h"
#include "profile/chip.h"
#include "profile/name_pattern.h"
#if ROOFSCOPE_HAVE_COLLECTOR
#include "collector/plan/pass_groups.h"
#endif

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// A private folder that is removed with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "roofscope-XXXXXX").string();
        if (!error && mkdtemp(pattern.data())) m_path = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!m_path.empty()) fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

/// A misspelt group would show only in the program's process, after hours perhaps.
Result<void> checkGroups(const std::vector<std::string>& groups) {
    std::set<std::string> known;
    for (const auto& chip : knownChips())
        if (const auto table = chipTable(chip))
            for (const auto& [name, group] : table->groups) known.insert(name);
    std::string list;
    for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
    if (groups.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "no counter group is asked for",
                     .where = "--groups",
                     .advice = "known: " + list};
    for (const auto& group : groups)
        if (!known.contains(group))
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no counter group \"" + group + "\"",
                         .where = "--groups",
                         .advice = "known: " + list};
    return {};
}

/// Found out here, and not by the program after its start-up.
Result<void> checkPattern(const std::string& option, const std::string& pattern) {
    const auto compiled = NamePattern::compile(pattern);
    if (compiled) return {};
    Error error = compiled.error();
    error.where = option + " " + pattern;
    error.advice = "example: " + option + " 'gemm|softmax'";
    return error;
}

bool lostSomething(const Profile& profile) {
    return std::any_of(profile.issues.begin(), profile.issues.end(),
                       [](const Issue& issue) { return issue.severity != Severity::Info; });
}

bool measuredSomething(const Profile& profile) {
    for (const Launch& launch : profile.launches)
        if (launch.duration) return true;
    for (const auto& name : profile.counters.names())
        for (const double v : profile.counters.column(name))
            if (v == v) return true;
    return false;
}

/// The options that chose launches, for the profile.
std::vector<std::string> words(const Selection& s) {
    std::vector<std::string> list;
    if (!s.kernel.empty()) list.push_back("--kernel " + s.kernel);
    for (const auto& range : s.ranges) list.push_back("--nvtx " + range);
    for (const auto device : s.devices) list.push_back(fmt::format("--device {}", device));
    if (s.skip > 0) list.push_back(fmt::format("--launch-skip {}", s.skip));
    if (s.count) list.push_back(fmt::format("--launch-count {}", *s.count));
    if (!s.fromStart) list.emplace_back("--profile-from-start off");
    return list;
}

/// Our stdin for a program that runs several times: a file is read from where it stands each time,
/// a terminal is shared, and anything else (a pipe) can be read only once.
class Input {
public:
    Input() : m_start(lseek(STDIN_FILENO, 0, SEEK_CUR)), m_terminal(isatty(STDIN_FILENO) != 0) {}
    [[nodiscard]] bool usedUp() const { return m_start < 0 && !m_terminal && m_runs > 0; }
    void nextRun() {
        if (m_start >= 0 && m_runs > 0) lseek(STDIN_FILENO, m_start, SEEK_SET);
        ++m_runs;
    }

private:
    off_t m_start;
    bool m_terminal;
    int m_runs = 0;
};

/// The last lines of a file, for a person to read.
std::string tail(const fs::path& file) {
    constexpr std::size_t kBytes = 2000;
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream) return {};
    const auto size = static_cast<std::size_t>(stream.tellg());
    stream.seekg(static_cast<std::streamoff>(size > kBytes ? size - kBytes : 0));
    return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr const char* kInterrupted = "the recording was interrupted";
constexpr const char* kKept = "what was measured until then is in this profile";

/// Runs the program again and again, each time with its own orders.
class Runner {
public:
    Runner(const RecordOptions& options, fs::path library)
        : m_options(options), m_library(std::move(library)) {}

    struct Run {
        Profile profile;
        ChildEnd end;
    };

    Result<Run> run(const RunOrders& orders) {
        const TemporaryFolder spool;
        if (spool.path().empty())
            return Error{
                .code = ErrorCode::CannotCreate,
                .what = fmt::format("no temporary folder could be made: {}", std::strerror(errno)),
                .where = {},
                .advice = "set TMPDIR to a folder that can be written"};
        if (auto ok = writeOrders(orders, spool.path()); !ok) return ok.error();
        ChildOptions child{.environment = {{"CUDA_INJECTION64_PATH", m_library.string()},
                                           {"NVTX_INJECTION64_PATH", m_library.string()},
                                           {"ROOFSCOPE_SPOOL_DIR", spool.path().string()},
                                           {"ROOFSCOPE_PROFILING", "1"}},
                           .timeoutSeconds = m_options.timeoutSeconds};
        if (m_first) {
            child.output = spool.path() / "output";
            child.noInput = m_input.usedUp();
        }
        m_input.nextRun();
        auto end = runChild(m_options.command, child);
        if (!end) return end.error();
        auto profile = readSpools(spool.path());
        if (!profile) return profile.error();
        Run result{.profile = std::move(*profile), .end = *end};
        judge(result, child.output.value_or(fs::path()));
        return result;
    }

    /// Nobody wants a further run: the program was interrupted, or took too long.
    [[nodiscard]] bool over() const { return m_over || Interruptions::seen(); }
    /// How the first run ended.
    [[nodiscard]] const ChildEnd& first() const { return *m_first; }

private:
    void judge(Run& run, const fs::path& output) {
        if (run.end.timedOut)
            run.profile.issues.push_back(
                {.severity = Severity::DataLoss,
                 .source = "record",
                 .code = "timeout",
                 .message = fmt::format("the program was ended after {} s (--timeout)",
                                        *m_options.timeoutSeconds),
                 .advice = "what was measured until then is in this profile"});
        if (run.end.interrupted)
            run.profile.issues.push_back({.severity = Severity::DataLoss,
                                          .source = "record",
                                          .code = "interrupted",
                                          .message = kInterrupted,
                                          .advice = kKept});
        m_over = run.end.timedOut || run.end.interrupted;
        if (!m_first) {
            m_first = run.end;
            return;
        }
        const auto words = [](const ExitStatus& s) {
            return s.signal ? fmt::format("ended by signal {}", *s.signal)
                            : fmt::format("exited with code {}", s.code.value_or(0));
        };
        const ExitStatus &a = m_first->status, &b = run.end.status;
        if (m_over || (a.code == b.code && a.signal == b.signal)) return;
        run.profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "runs-differ",
             .message = fmt::format("the program {} in its first run and {} in a later one",
                                    words(a), words(b)),
             .advice = "a program that cannot run twice is recorded with --timing-repeats 0"});
        if (m_options.progress)
            m_options.progress("output of the run that failed:\n" + tail(output));
    }

    const RecordOptions& m_options;
    fs::path m_library;
    Input m_input;
    std::optional<ChildEnd> m_first;
    bool m_over = false;
};

/// Runs the program once more for samples of what warps wait for, and adds them to the passes of
/// the kernels that were measured per instruction.
Result<void> recordStalls(Runner& runner, RunOrders orders, const RecordOptions& options,
                          const std::vector<SourceTarget>& targets, Profile& base) {
    if (options.progress)
        options.progress(fmt::format("stall samples of {} kernel{}", targets.size(),
                                     targets.size() == 1 ? "" : "s"));
    orders.mode = RunOrders::Mode::Stalls;
    orders.samplingPeriod = samplingPeriod(base, targets);
    orders.picks.clear();
    for (const SourceTarget& target : targets)
        orders.picks[target.signature].push_back(target.ordinal);
    auto run = runner.run(orders);
    if (!run) return run.error();
    const Profile& sampled = run->profile;
    for (const Issue& issue : sampled.issues) base.issues.push_back(issue);
    const auto tell = [&](const SourceTarget& target, std::string_view why) {
        base.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "stall-samples-unavailable",
             .message = fmt::format("what warps of {} wait for is not known: {}",
                                    base.kernels[base.launches[target.launch].kernel].name, why),
             .advice = {}});
    };
    for (const SourceTarget& target : targets) {
        const auto pass = std::ranges::find(base.sources, target.launch, &SourcePass::launch);
        if (pass == base.sources.end()) continue;  // an issue says why
        const auto samples = std::ranges::find_if(sampled.sources, [&](const SourcePass& s) {
            return s.launch &&
                   launchSignature(sampled, sampled.launches[*s.launch]) == target.signature;
        });
        if (samples == sampled.sources.end()) {
            const bool told = std::ranges::any_of(sampled.issues, [](const Issue& issue) {
                return issue.code == "stall-samples-unavailable";
            });
            if (!told) tell(target, "no launch of it was sampled");
        } else if (auto ok = mergeSamples(*pass, *samples); !ok) {
            tell(target, ok.error().what);
        }
    }
    return {};
}

/// Runs the program once more for each kernel that is measured per instruction.
Result<void> recordSources(Runner& runner, RunOrders orders, const RecordOptions& options,
                           Profile& base) {
    const auto targets = sourceTargets(base, options.source);
    if (targets.empty())
        base.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "source-unavailable",
             .message = "no kernel was measured per instruction: none that matches was launched "
                        "outside of CUDA graphs",
             .advice = "check --source"});
    for (std::size_t i = 0; i < targets.size() && !runner.over(); ++i) {
        const SourceTarget& target = targets[i];
        const Launch& launch = base.launches[target.launch];
        if (options.progress)
            options.progress(fmt::format("source pass {} of {}: {}", i + 1, targets.size(),
                                         base.kernels[launch.kernel].name));
        orders.mode = RunOrders::Mode::Source;
        orders.sourceSignature = target.signature;
        orders.sourceOrdinal = target.ordinal;
        auto run = runner.run(orders);
        if (!run) return run.error();
        for (const Issue& issue : run->profile.issues) base.issues.push_back(issue);
        if (run->profile.sources.empty()) {
            if (run->profile.issues.empty())
                base.issues.push_back({.severity = Severity::DataLoss,
                                       .source = "record",
                                       .code = "source-unavailable",
                                       .message = "a kernel that was to be measured per "
                                                  "instruction was not launched again",
                                       .advice = {}});
            continue;
        }
        SourcePass& source = run->profile.sources.front();
        source.kernel = launch.kernel;
        source.launch = target.launch;
        base.sources.push_back(std::move(source));
    }
    if (options.stallSamples && !base.sources.empty() && !runner.over())
        return recordStalls(runner, std::move(orders), options, targets, base);
    return {};
}

bool hasGraphs(const Profile& profile) {
    return std::any_of(profile.launches.begin(), profile.launches.end(),
                       [](const Launch& l) { return l.fromGraph; });
}

/// Launches that lack a counter which others have.
bool incomplete(const Profile& profile, const std::vector<std::vector<std::string>>& runs) {
    for (const auto& names : runs)
        for (const auto& name : names) {
            const auto column = profile.counters.column(name);
            for (const double v : column)
                if (v != v) return true;
            if (column.size() < profile.launches.size()) return true;
            break;  // one of a run stands for all of it
        }
    return false;
}

}  // namespace

fs::path executableFolder() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path(".") : self.parent_path();
}

Result<fs::path> findInjectLibrary() {
    constexpr const char* kName = "libroofscope_inject.so";
    std::vector<fs::path> places;
    if (const char* chosen = std::getenv("ROOFSCOPE_INJECT"); chosen && *chosen) {
        places.emplace_back(chosen);
    } else {
        const fs::path here = executableFolder();
        places = {here / "../lib" / kName, here / "../lib64" / kName, here / kName};
#ifdef ROOFSCOPE_INSTALL_LIBDIR
        places.insert(places.begin() + 1, here / ".." / ROOFSCOPE_INSTALL_LIBDIR / kName);
#endif
    }
    std::string tried;
    for (const auto& place : places) {
        std::error_code error;
        if (fs::is_regular_file(place, error)) return fs::canonical(place, error);
        tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
    }
    return Error{.code = ErrorCode::Unavailable,
                 .what = fmt::format("{} was not found (looked at {})", kName, tried),
                 .where = {},
                 .advice = ROOFSCOPE_HAVE_COLLECTOR
                               ? "reinstall roofscope, or set ROOFSCOPE_INJECT to the file"
                               : "this roofscope was built without the collector: build it with a "
                                 "CUDA toolkit 12.8 or later"};
}

Result<RecordPlan> planRecord(const RecordOptions& options, const std::string& chip) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
#if ROOFSCOPE_HAVE_COLLECTOR
    std::string why;
    const CuptiApi* cupti = CuptiApi::load(&why);
    if (!cupti)
        return Error{.code = ErrorCode::Unavailable,
                     .what = why,
                     .where = {},
                     .advice = "run \"roofscope doctor\""};
    const PlanRequest request{.chip = chip, .groups = options.groups, .counters = options.counters};
    const auto whole = planCounters(*cupti, request);
    if (!whole) return whole.error();
    auto split = splitIntoPasses(*cupti, request);
    if (!split) return split.error();
    RecordPlan plan{.chip = chip,
                    .counters = whole->counters,
                    .dropped = {},
                    .kernelPasses = whole->passes,
                    .runs = std::move(split->groups)};
    for (const auto& d : split->dropped) plan.dropped.emplace_back(d.counter, d.reason);
    return plan;
#else
    return Error{.code = ErrorCode::Unavailable,
                 .what = "this roofscope was built without the collector",
                 .where = chip,
                 .advice = "build it with a CUDA toolkit 12.8 or later"};
#endif
}

Result<Recording> record(const RecordOptions& options) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
    if (auto ok = checkPattern("--kernel", options.selection.kernel); !ok) return ok.error();
    if (auto ok = checkPattern("--source", options.source.pattern); !ok) return ok.error();
    if (options.timingRuns == 0 &&
        (options.replay == ReplayChoice::Application || options.timingOnly))
        return Error{.code = ErrorCode::Usage,
                     .what = "this needs a timing run",
                     .where = "--timing-repeats",
                     .advice = "leave it out, or give 1 or more"};
    const bool flush = options.cacheControl == CacheControl::Flush;
    if (flush && (options.timingRuns == 0 ||
                  (options.replay == ReplayChoice::Kernel && !options.timingOnly)))
        return Error{.code = ErrorCode::Usage,
                     .what =
                         "caches cannot be flushed under kernel replay: CUPTI repeats the "
                         "launch by itself",
                     .where = "--cache-control flush",
                     .advice = "use --replay application, and a timing run"};
    if (options.timingRuns == 0 && !options.ranges.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "ranges are measured in further runs, after a timing run",
                     .where = "--range",
                     .advice = "leave --timing-repeats 0 out"};
    auto library = options.library ? Result<fs::path>(*options.library) : findInjectLibrary();
    if (!library) return library.error();
    const auto say = [&](const std::string& text) {
        if (options.progress) options.progress(text);
    };
    std::vector<Issue> issues;
    if (const char* other = std::getenv("CUDA_INJECTION64_PATH"); other && *other)
        issues.push_back({.severity = Severity::Info,
                          .source = "record",
                          .code = "injection-replaced",
                          .message = fmt::format("CUDA_INJECTION64_PATH was set to {}; it was "
                                                 "replaced for this run",
                                                 other)});
    const auto started = std::chrono::system_clock::now();
    Runner runner(options, *library);
    RunOrders orders{.groups = options.groups,
                     .counters = options.counters,
                     .selection = options.selection,
                     .flushCaches = flush};
    orders.measuredRanges = options.ranges;

    std::vector<Profile> timings;
    Seconds programTime;
    std::optional<ClockLog> clocks;
    if (options.timingRuns > 0) clocks.emplace(options.nvml);
    while (timings.size() < options.timingRuns && !runner.over()) {
        orders.mode = RunOrders::Mode::Timing;
        if (options.timingRuns > 1)
            say(fmt::format("timing run {} of {}", timings.size() + 1, options.timingRuns));
        auto run = runner.run(orders);
        if (!run) return run.error();
        programTime = Seconds{run->end.seconds};
        timings.push_back(std::move(run->profile));
        if (timings.back().launches.empty()) break;
    }
    const auto timingRuns = static_cast<std::uint32_t>(timings.size());
    Profile base = joinTimings(std::move(timings));
    base.capture.timingRuns = base.launches.empty() ? 0 : timingRuns;
    if (!runner.over() && needsSerialTimes(base)) {
        say("timing run without instrumentation");
        orders.serial = true;
        auto run = runner.run(orders);
        if (!run) return run.error();
        orders.serial = false;
        if (joinSerialTimes(base, run->profile) > 0) ++base.capture.timingRuns;
    }
    base.capture.strategy = "timing";
    if (clocks) clocks->stop(base.devices);
    // The gaps between launches hold our writes, too.
    if (flush)
        for (Launch& launch : base.launches) launch.start.reset();

    // A program without CUDA or without launches would not have any the next time.
    const bool pointless = timingRuns > 0 && base.launches.empty();
    if (!options.timingOnly && !pointless && !runner.over()) {
        orders.mode = RunOrders::Mode::Counters;
        orders.perKernel = options.perKernel;
        orders.picks = options.perKernel > 0 ? representativeLaunches(base, options.perKernel)
                                             : decltype(orders.picks){};
        std::optional<RecordPlan> plan;
        Strategy strategy;
        std::string whyNoPlan;
        if (timingRuns > 0 && !base.devices.empty() && options.replay != ReplayChoice::Kernel) {
            if (auto made = planRecord(options, base.devices.front().chip))
                plan = std::move(*made);
            else
                whyNoPlan = made.error().message();
        }
        if (plan) {
            std::size_t counted = base.launches.size();
            if (options.perKernel > 0) {
                counted = 0;
                for (const auto& [signature, ordinals] : orders.picks) counted += ordinals.size();
            }
            strategy = chooseStrategy({.programTime = programTime,
                                       .launches = base.launches.size(),
                                       .counted = counted,
                                       .passes = plan->kernelPasses,
                                       .runs = plan->runs.size(),
                                       .graphs = hasGraphs(base),
                                       .waitsForPeers = hasPeerKernels(base)},
                                      flush ? ReplayChoice::Application : options.replay);
        }
        // A run's counters join those that are there.
        const auto collect = [&](const RunOrders& o) -> Result<JoinReport> {
            auto run = runner.run(o);
            if (!run) return run.error();
            return joinCounters(base, run->profile);
        };
        // Without the right to read counters a further run would not get any either.
        const auto refused = [&] { return hasIssue(base, "counters-not-permitted"); };
        bool kernelReplay = true;
        if (plan && strategy.replay == RunOrders::Replay::Application) {
            base.capture.strategy = "application";
            kernelReplay = false;
            orders.replay = RunOrders::Replay::Application;
            for (std::size_t i = 0; i < plan->runs.size() && !runner.over() && !refused(); ++i) {
                say(fmt::format("application replay, run {} of {} ({})", i + 1, plan->runs.size(),
                                strategy.reason));
                RunOrders one = orders;
                one.groups.clear();
                one.counters = plan->runs[i];
                one.perKernel = 0;
                const auto report = collect(one);
                if (!report) return report.error();
                if (report->withoutPartner == 0 && report->matched == base.launches.size())
                    continue;
                base.issues.push_back(
                    {.severity = Severity::Info,
                     .source = "record",
                     .code = "launch-sequence-differs",
                     .message = fmt::format("the program does not repeat its launches: {}",
                                            report->firstDifference),
                     .advice = flush ? ""
                                     : "counters of launches without a partner were read by kernel "
                                       "replay"});
                kernelReplay = true;
            }
            if (!kernelReplay && !runner.over()) kernelReplay = incomplete(base, plan->runs);
            if (refused()) kernelReplay = false;
            orders.replay = RunOrders::Replay::Kernel;
        }
        if (kernelReplay && flush && !runner.over()) {
            base.issues.push_back(
                {.severity = Severity::DataLoss,
                 .source = "record",
                 .code = "flush-needs-application-replay",
                 .message = fmt::format("launches without counters: with flushed caches they are "
                                        "read by application replay only{}{}{}",
                                        strategy.reason.empty() && whyNoPlan.empty() ? "" : "; ",
                                        strategy.reason, whyNoPlan),
                 .advice = "record without --cache-control flush"});
        } else if (kernelReplay && !runner.over()) {
            if (timingRuns > 0)
                say(strategy.reason.empty() ? "kernel replay"
                                            : fmt::format("kernel replay ({})", strategy.reason));
            const auto report = collect(orders);
            if (!report) return report.error();
            if (base.capture.strategy != "application") base.capture.strategy = "kernel";
            if (report->withoutPartner > 0)
                base.issues.push_back(
                    {.severity = Severity::Info,
                     .source = "record",
                     .code = "launch-sequence-differs",
                     .message = fmt::format("the program does not repeat its launches: {}; {} "
                                            "launches of the counter run have no partner",
                                            report->firstDifference, report->withoutPartner),
                     .advice = "durations are those of the timing run"});
        }
        if (base.counters.names().empty() && timingRuns > 0) base.capture.strategy = "timing";
    }

    if (!options.ranges.empty() && !options.timingOnly && !base.devices.empty() && !runner.over()) {
        const auto plan = planRecord(options, base.devices.front().chip);
        if (!plan) {
            base.issues.push_back({.severity = Severity::Error,
                                   .source = "record",
                                   .code = "ranges-unavailable",
                                   .message = "no range was measured: " + plan.error().what,
                                   .advice = plan.error().advice});
        } else {
            const RangeRuns runs{.run = [&](const RunOrders& o) -> Result<Profile> {
                                     auto run = runner.run(o);
                                     if (!run) return run.error();
                                     return std::move(run->profile);
                                 },
                                 .over = [&] { return runner.over(); },
                                 .say = say,
                                 .groups = plan->runs};
            if (auto ok = recordRanges(runs, orders, base); !ok) return ok.error();
        }
    }
    if (options.source.any() && !base.launches.empty() && !runner.over())
        if (auto ok = recordSources(runner, orders, options, base); !ok) return ok.error();

    Recording recording{.profile = std::move(base)};
    Profile& p = recording.profile;
    const ExitStatus& status = runner.first().status;
    attachCeilings(p);
    stateBytes(p, options.statedBytes);
    if (flush) p.capture.cacheControl = hasIssue(p, "caches-not-flushed") ? "mixed" : "flush";
    p.capture.toolVersion = ROOFSCOPE_VERSION;
    p.capture.createdUtc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(started)));
    p.capture.groups = options.groups;
    p.capture.counters = options.counters;
    p.capture.filters = words(options.selection);
    p.capture.command = options.shownCommand.empty() ? options.command : options.shownCommand;
    p.capture.exitCode = status.code;
    p.capture.termSignal = status.signal;
    p.issues.insert(p.issues.begin(), issues.begin(), issues.end());
    if (Interruptions::seen() && !hasIssue(p, "interrupted"))
        p.issues.push_back({.severity = Severity::DataLoss,
                            .source = "record",
                            .code = "interrupted",
                            .message = kInterrupted,
                            .advice = kKept});
    recording.programExit = status.signal ? 128 + *status.signal : status.code.value_or(0);
    if (p.processes.empty())
        p.issues.push_back({.severity = Severity::Error,
                            .source = "record",
                            .code = "no-cuda",
                            .message = "the program did not initialise CUDA: nothing was measured",
                            .advice =
                                "check that it runs on the GPU, and that it is not statically "
                                "restricted from loading CUDA_INJECTION64_PATH"});
    else if (p.launches.empty() && !hasIssue(p, "spool-damaged"))
        p.issues.push_back(
            {.severity = Severity::Error,
             .source = "record",
             .code = "no-launch",
             .message = options.selection.all()
                            ? "the program initialised CUDA but launched no kernel"
                            : "no launch of the program is among those that were chosen",
             .advice = options.selection.all() ? "" : "check --kernel, --nvtx and the like"});
    return recording;
}

int recordExitCode(const Recording& recording) {
    if (recording.programExit != 0) return recording.programExit;
    if (!measuredSomething(recording.profile)) return kExitNothing;
    return lostSomething(recording.profile) ? kExitPartial : 0;
}

}  // namespace roofscope
