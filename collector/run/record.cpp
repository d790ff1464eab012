// SPDX-License-Identifier: Apache-2.0
#include "collector/run/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "collector/rank/rank.h"
#include "collector/run/gpu_watch.h"
#include "collector/run/interruptions.h"
#include "collector/run/join_parts.h"
#include "collector/run/join_runs.h"
#include "collector/run/native_lines.h"
#include "collector/run/program_runs.h"
#include "collector/run/record_counters.h"
#include "collector/run/record_question.h"
#include "collector/run/record_ranges.h"
#include "collector/run/record_sources.h"
#include "collector/run/stored_ceilings.h"
#include "profile/chip.h"
#include "profile/launchers.h"
#include "profile/name_pattern.h"
#if ROOFSCOPE_HAVE_COLLECTOR
#include "collector/cupti/driver_api.h"
#include "collector/plan/pass_groups.h"
#endif

namespace roofscope {
namespace {

namespace fs = std::filesystem;

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
    return std::ranges::any_of(profile.counters.names(), [&](const std::string& name) {
        bool measured = false;
        profile.counters.column(name).forEach([&](std::size_t, double) { measured = true; });
        return measured;
    });
}

/// Says with a run that was ended early that the profile holds what came before, where it does.
/// True when there was such a run.
bool sayWhatIsKept(Profile& profile) {
    bool cutOff = false;
    for (Issue& issue : profile.issues) {
        const bool ended =
            issue.code == "timeout" || issue.code == "interrupted" || issue.code == "time-limit";
        if (!ended || issue.severity == Severity::Info) continue;  // in a further run
        cutOff = true;
        if (!profile.launches.empty())
            issue.advice = "what was measured until then is in this profile";
    }
    return cutOff;
}

/// What no program can do without; empty when it is here.
std::string missingDriver() {
    std::string why;
#if ROOFSCOPE_HAVE_COLLECTOR
    DriverApi::load(&why);
#endif
    return why;
}

Issue noCudaIssue(bool cutOff) {
    Issue issue{.severity = Severity::Error,
                .source = "record",
                .code = "no-cuda",
                .message = cutOff ? "the program had not initialised CUDA when it was ended: "
                                    "nothing was measured"
                                  : "the program did not initialise CUDA: nothing was measured",
                .advice =
                    "check that it runs on the GPU, and that it is not statically "
                    "restricted from loading CUDA_INJECTION64_PATH"};
    if (const std::string why = missingDriver(); !why.empty()) {
        issue.message += "; " + why;
        issue.advice = "run \"roofscope doctor\"";
    } else if (cutOff) {
        issue.advice = "give it more time";
    }
    return issue;
}

/// The options that chose launches, for the profile.
std::vector<std::string> words(const LaunchSelection& s) {
    std::vector<std::string> list;
    if (!s.kernel.empty()) list.push_back("--kernel " + s.kernel);
    for (const auto& range : s.ranges) list.push_back("--nvtx " + range);
    for (const auto& range : s.notRanges) list.push_back("--nvtx-exclude " + range);
    for (const auto device : s.devices) list.push_back(fmt::format("--device {}", device));
    if (s.skip > 0) list.push_back(fmt::format("--launch-skip {}", s.skip));
    if (s.count) list.push_back(fmt::format("--launch-count {}", *s.count));
    if (!s.fromStart) list.emplace_back("--profile-from-start off");
    return list;
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
        return Error{
            .code = ErrorCode::Unavailable, .what = why, .advice = "run \"roofscope doctor\""};
    const PlanRequest request{.chip = chip, .groups = options.groups, .counters = options.counters};
    const auto whole = planCounters(*cupti, request);
    if (!whole) return whole.error();
    auto split = splitIntoPasses(*cupti, request);
    if (!split) return split.error();
    RecordPlan plan{.chip = chip,
                    .counters = whole->counters,
                    .kernelPasses = whole->passes,
                    .runs = std::move(split->groups),
                    .severalPasses = std::move(split->severalPasses)};
    for (const auto& d : whole->dropped) plan.dropped.emplace_back(d.counter, d.reason);
    return plan;
#else
    return Error{.code = ErrorCode::Unavailable,
                 .what = "this roofscope was built without the collector",
                 .where = chip,
                 .advice = "build it with a CUDA toolkit 12.8 or later"};
#endif
}

namespace {

/// Whether the program cannot be started again where we are.
bool runsOnce(const RecordOptions& options) {
    return startsOnce() && (options.command.empty() || !isLauncher(options.command.front()));
}

}  // namespace

unsigned timingRunsOf(const RecordOptions& options) {
    const bool severalAnyway =
        options.timingOnly || !options.ranges.empty() || options.source.any() ||
        options.cacheControl == CacheControl::Flush ||
        (options.replay != ReplayChoice::Auto && options.replay != ReplayChoice::Kernel);
    return options.timingRuns.value_or(runsOnce(options) && !severalAnyway ? 0 : 1);
}

Result<void> checkRecordOptions(const RecordOptions& options) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
    if (auto ok = checkPattern("--kernel", options.selection.kernel); !ok) return ok.error();
    if (auto ok = checkPattern("--source", options.source.pattern); !ok) return ok.error();
    const unsigned timingRunsAsked = timingRunsOf(options);
    if (timingRunsAsked == 0 && (options.replay == ReplayChoice::Application ||
                                 options.replay == ReplayChoice::Multiplex || options.timingOnly))
        return Error{.code = ErrorCode::Usage,
                     .what = "this needs a timing run",
                     .where = "--timing-repeats",
                     .advice = "leave it out, or give 1 or more"};
    const bool flush = options.cacheControl == CacheControl::Flush;
    if (flush &&
        (timingRunsAsked == 0 || (options.replay == ReplayChoice::Kernel && !options.timingOnly)))
        return Error{.code = ErrorCode::Usage,
                     .what =
                         "caches cannot be flushed under kernel replay: CUPTI repeats the "
                         "launch by itself",
                     .where = "--cache-control flush",
                     .advice = "use --replay application or multiplex, and a timing run"};
    if (timingRunsAsked == 0 && !options.ranges.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "ranges are measured in further runs, after a timing run",
                     .where = "--range",
                     .advice = "leave --timing-repeats 0 out"};
    return {};
}

Result<void> checkQuestions(const RecordOptions& options) {
    const auto no = [](ErrorCode code, const char* what, const char* where) {
        return Error{.code = code, .what = what, .where = where, .advice = {}};
    };
    if (options.timingOnly)
        return no(ErrorCode::Usage, "no counters are to be read", "--timing-only");
    if (options.replay == ReplayChoice::Multiplex)
        return no(ErrorCode::Usage, "the program is to run once with counters, and not again",
                  "--replay multiplex");
    if (timingRunsOf(options) == 0 && options.timingRuns)
        return no(ErrorCode::Usage, "the program is to run once", "--timing-repeats 0");
    if (timingRunsOf(options) == 0)
        return no(ErrorCode::Unavailable, "under an MPI launcher a program may start only once",
                  "record");
    if (isOneOfRanks())
        return no(ErrorCode::Unavailable, "all ranks must run the program equally often", "record");
    return {};
}

namespace {

/// What is known before the program runs.
std::vector<Issue> issuesBefore(const RecordOptions& options) {
    std::vector<Issue> issues;
    if (const char* other = std::getenv("CUDA_INJECTION64_PATH"); other && *other)
        issues.push_back({.severity = Severity::Info,
                          .source = "record",
                          .code = "injection-replaced",
                          .message = fmt::format("CUDA_INJECTION64_PATH was set to {}; it was "
                                                 "replaced for this run",
                                                 other)});
    if (timingRunsOf(options) == 0 && !options.timingRuns)
        issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "one-run-under-mpi",
             .message =
                 "under an MPI launcher a program may start only once: counters were read in "
                 "that run, and times are those of the launches that were measured",
             .advice =
                 "on one machine record the launcher, \"roofscope record -- mpirun …\"; without "
                 "MPI ask for several runs, --timing-repeats 1; --timing-only times all "
                 "launches of one run"});
    return issues;
}

/// One recording: the runs of a program, one kind after the other, and what comes of them.
class Record {
public:
    Record(const RecordOptions& options, const fs::path& library)
        : m_options(options), m_runner(options, library) {
        m_configuration = {.timeline = options.timeline,
                           .callSites = options.callSites,
                           .groups = options.groups,
                           .counters = options.counters,
                           .selection = options.selection,
                           .flushCaches = flush()};
        m_configuration.measuredRanges = options.ranges;
        m_runner.endAt(end());
    }

    /// All runs. An error: the program could not be started.
    Result<void> run() {
        if (auto ok = time(); !ok) return ok;
        if (auto ok = count(); !ok) return ok;
        if (auto ok = ranges(); !ok) return ok;
        if (auto ok = sources(); !ok) return ok;
        if (m_runner.outOfTime() && !hasIssue(m_base, "time-limit"))
            m_base.issues.push_back(outOfTimeIssue());
        attachCeilings(m_base);
        declareBytes(m_base, m_options.declaredBytes);
        describeCapture();
        followUp();
        return {};
    }

    /// What is left when they are over.
    Recording finish();

private:
    [[nodiscard]] bool flush() const { return m_options.cacheControl == CacheControl::Flush; }
    void say(const std::string& text) const {
        if (m_options.progress) m_options.progress(text);
    }
    Result<void> time();
    Result<void> timeSerially();
    Result<void> count();
    Result<void> ranges();
    Result<void> sources();
    void followUp();
    bool ask(const Question& question);
    /// When `--time-limit` is spent.
    [[nodiscard]] std::optional<ProgramRuns::Clock::time_point> end() const {
        if (!m_options.timeLimitSeconds) return std::nullopt;
        return m_begun + asDuration(*m_options.timeLimitSeconds);
    }
    static ProgramRuns::Clock::duration asDuration(double seconds) {
        constexpr double kLongest = 1e9;  // 30 years; the clock ends some day
        return std::chrono::duration_cast<ProgramRuns::Clock::duration>(
            std::chrono::duration<double>(std::min(seconds, kLongest)));
    }
    [[nodiscard]] Seconds elapsed() const {
        return {std::chrono::duration<double>(ProgramRuns::Clock::now() - m_begun).count()};
    }
    void describeCapture();
    void sayWhatIsMissing();

    const RecordOptions& m_options;
    ProgramRuns m_runner;
    RunConfiguration m_configuration;
    Profile m_base;
    OneRun m_program;
    bool m_pointless = false;  ///< the program launched nothing: it would not the next time
    bool m_asking = false;     ///< what the options say is complete
    const std::chrono::system_clock::time_point m_started = std::chrono::system_clock::now();
    const ProgramRuns::Clock::time_point m_begun = ProgramRuns::Clock::now();
};

/// Runs without counters: durations, gaps, and what the program does beside kernels.
Result<void> Record::time() {
    const unsigned asked = timingRunsOf(m_options);
    std::vector<Profile> timings;
    std::vector<LaunchPositions> positions;
    std::optional<GpuWatch> watch;
    if (asked > 0) watch.emplace(m_options.nvml);
    m_configuration.mode = RunConfiguration::Mode::Timing;
    while (timings.size() < asked && !m_runner.over()) {
        if (asked > 1) say(fmt::format("timing run {} of {}", timings.size() + 1, asked));
        auto run = m_runner.run(m_configuration);
        if (!run) return run.error();
        m_program.time = Seconds{run->end.seconds};
        timings.push_back(std::move(run->profile));
        positions.push_back(std::move(run->positions));
        if (timings.back().launches.empty()) break;
    }
    const auto runs = static_cast<std::uint32_t>(timings.size());
    m_base = joinTimings(std::move(timings), positions);
    if (!positions.empty()) m_program.positions = std::move(positions.front());
    m_base.capture.timingRuns = m_base.launches.empty() ? 0 : runs;
    m_pointless = runs > 0 && m_base.launches.empty();
    if (auto ok = timeSerially(); !ok) return ok;
    m_base.capture.strategy = "timing";
    if (watch) {
        watch->stop(m_base.devices);
        for (const Device& device : m_base.devices)
            if (const auto held = watch->held(device.uuid);
                held && savingPerPass(*held) > savingPerPass(m_program.memory))
                m_program.memory = *held;
    }
    // The gaps between launches hold our writes, too.
    if (flush()) {
        for (Launch& launch : m_base.launches) launch.start.reset();
        m_base.timeline = {};
        for (Process& process : m_base.processes) process.timeline.reset();
    }
    return {};
}

/// One more such run, where what CUPTI adds to kernels has lengthened some of them.
Result<void> Record::timeSerially() {
    if (m_runner.over() || isOneOfRanks() || runsOnce(m_options) || !needsSerialTimes(m_base))
        return {};
    say("timing run without instrumentation");
    m_configuration.serial = true;
    auto run = m_runner.run(m_configuration);
    m_configuration.serial = false;
    if (!run) return run.error();
    if (joinSerialTimes(m_base, run->profile, m_program.positions, run->positions) > 0)
        ++m_base.capture.timingRuns;
    return {};
}

Result<void> Record::count() {
    if (m_options.timingOnly || m_pointless || m_runner.over()) return {};
    return recordCounters(m_runner, m_configuration, m_options, m_program, m_base);
}

Result<void> Record::ranges() {
    if (m_options.ranges.empty() || m_options.timingOnly || m_base.devices.empty() ||
        m_runner.over())
        return {};
    const auto plan = planRecord(m_options, m_base.devices.front().chip);
    if (!plan) {
        m_base.issues.push_back({.severity = Severity::Error,
                                 .source = "record",
                                 .code = "ranges-unavailable",
                                 .message = "no range was measured: " + plan.error().what,
                                 .advice = plan.error().advice});
        return {};
    }
    const RangeRuns runs{.run = [&](const RunConfiguration& c) -> Result<Profile> {
                             auto run = m_runner.run(c);
                             if (!run) return run.error();
                             return std::move(run->profile);
                         },
                         .over = [&] { return m_runner.over(); },
                         .say = [&](const std::string& text) { say(text); },
                         .groups = plan->runs};
    return recordRanges(runs, m_configuration, m_base);
}

Result<void> Record::sources() {
    if (!m_options.source.any() || m_base.launches.empty() || m_runner.over()) return {};
    return recordSources(m_runner, m_configuration, m_options, m_base);
}

/// A program that fails, or ends otherwise each time, gives no answer worth its time.
void Record::followUp() {
    const ExitStatus& first = m_runner.first().status;
    if (!m_options.followUp || !checkQuestions(m_options) || m_runner.over() || first.code != 0 ||
        m_base.counters.names().empty() || hasIssue(m_base, "runs-differ") ||
        hasIssue(m_base, "counters-not-permitted"))
        return;
    m_asking = true;
    m_options.followUp({.plainRun = m_program.time,
                        .profile = [this]() -> const Profile& { return m_base; },
                        .elapsed = [this] { return elapsed(); },
                        .remaining = [this]() -> std::optional<Seconds> {
                            if (!m_options.timeLimitSeconds) return std::nullopt;
                            return Seconds{*m_options.timeLimitSeconds} - elapsed();
                        },
                        .over = [this] { return m_runner.over(); },
                        .ask = [this](const Question& question) { return ask(question); }});
}

bool Record::ask(const Question& question) {
    if (question.groups.empty() || question.launches.empty() || m_runner.over()) return false;
    auto last = end();
    if (question.limit) {
        const auto own = ProgramRuns::Clock::now() + asDuration(question.limit->value);
        last = last ? std::min(*last, own) : own;
    }
    m_runner.endAt(last);
    const bool answered =
        recordQuestion(m_runner, m_configuration, m_options, m_program, question, m_base);
    m_runner.endAt(end());
    return answered;
}

void Record::describeCapture() {
    Capture& capture = m_base.capture;
    if (flush()) capture.cacheControl = hasIssue(m_base, "caches-not-flushed") ? "mixed" : "flush";
    capture.toolVersion = ROOFSCOPE_VERSION;
    capture.createdUtc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                     fmt::gmtime(std::chrono::system_clock::to_time_t(m_started)));
    capture.groups = m_options.groups;
    capture.counters = m_options.counters;
    capture.filters = words(m_options.selection);
    capture.command = m_options.shownCommand.empty() ? m_options.command : m_options.shownCommand;
    capture.exitCode = m_runner.first().status.code;
    capture.termSignal = m_runner.first().status.signal;
}

void Record::sayWhatIsMissing() {
    Profile& p = m_base;
    if (Interruptions::seen() && !hasIssue(p, "interrupted") && !m_asking)
        p.issues.push_back(interruptedIssue());
    const bool cutOff = sayWhatIsKept(p);
    if (p.processes.empty()) return p.issues.push_back(noCudaIssue(cutOff));
    if (!p.launches.empty()) return;
    const auto noLaunch = [&](std::string message, std::string advice) {
        p.issues.push_back({.severity = Severity::Error,
                            .source = "record",
                            .code = "no-launch",
                            .message = std::move(message),
                            .advice = std::move(advice)});
    };
    if (hasIssue(p, "autotuning-left-out"))
        return noLaunch("all launches that were chosen are autotuning, which is left out",
                        "record them with --autotuning keep");
    if (hasIssue(p, "spool-damaged")) return;
    if (!m_options.selection.all())
        return noLaunch("no launch of the program is among those that were chosen",
                        "check --kernel, --nvtx and the like");
    noLaunch(cutOff ? "the program had launched no kernel when it was ended"
                    : "the program initialised CUDA but launched no kernel",
             "");
}

Recording Record::finish() {
    addNativeLines(m_base.callSites);
    auto before = issuesBefore(m_options);
    m_base.issues.insert(m_base.issues.begin(), before.begin(), before.end());
    sayWhatIsMissing();
    const ExitStatus& status = m_runner.first().status;
    return {.profile = std::move(m_base),
            .programExit = status.signal ? 128 + *status.signal : status.code.value_or(0)};
}

}  // namespace

Result<Recording> record(const RecordOptions& options) {
    if (auto ok = checkRecordOptions(options); !ok) return ok.error();
    auto library = options.library ? Result<fs::path>(*options.library) : findInjectLibrary();
    if (!library) return library.error();
    if (timingRunsOf(options) == 0 && !options.timingRuns && options.progress)
        options.progress(
            "one run, with counters: under an MPI launcher a program may start only "
            "once");
    Record recording(options, *library);
    if (auto ok = recording.run(); !ok) return ok.error();
    return recording.finish();
}

int recordExitCode(const Recording& recording) {
    if (recording.programExit != 0) return recording.programExit;
    if (!measuredSomething(recording.profile)) return kExitNothing;
    return lostSomething(recording.profile) ? kExitPartial : 0;
}

}  // namespace roofscope
