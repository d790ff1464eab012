// SPDX-License-Identifier: Apache-2.0
#include "collector/run/recording/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collector/configuration/as_duration.h"
#include "collector/rank/rank.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/join/join_runs.h"
#include "collector/run/join/serial_times.h"
#include "collector/run/measure/answer_question.h"
#include "collector/run/measure/count_then_time.h"
#include "collector/run/measure/counters.h"
#include "collector/run/measure/over_time.h"
#include "collector/run/measure/program_runs.h"
#include "collector/run/measure/ranges.h"
#include "collector/run/measure/sources.h"
#include "collector/run/options/record_options.h"
#include "collector/run/processes/interruptions.h"
#include "collector/run/recording/outcome.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"
#include "collector/run/tools/gpu_watch.h"
#include "collector/run/tools/inject_library.h"
#include "collector/run/tools/native_lines.h"
#include "collector/run/tools/stored_ceilings.h"
#include "profile/model/counting_cost.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// The options that select launches, as text for the profile.
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

/// One recording: all runs of a program and the resulting profile.
class Record {
public:
    Record(const RecordOptions& options, const fs::path& library)
        : m_options(options), m_runner(options, library) {
        m_configuration = {.selection = options.selection, .flushCaches = flush()};
        m_runner.endAt(end());
    }

    /// Does all runs. An error means that the program could not be started.
    Result<void> run() {
        if (auto ok = time(); !ok) return ok;
        if (mayEndEarly()) m_configuration.endsWith = m_runner.first().status.code;
        if (auto ok = count(); !ok) return ok;
        if (m_timesOthers)
            if (auto ok = timeSerially(); !ok) return ok;
        if (auto ok = ranges(); !ok) return ok;
        if (auto ok = sources(); !ok) return ok;
        if (auto ok = overTime(); !ok) return ok;
        if (m_runner.outOfTime() && !hasIssue(m_base, "time-limit"))
            m_base.issues.push_back(outOfTimeIssue());
        attachCeilings(m_base);
        declareBytes(m_base, m_options.declaredBytes);
        describeCapture();
        followUp();
        return keep();
    }

    /// The result, after run().
    Recording finish();

private:
    [[nodiscard]] bool flush() const { return m_options.cacheControl == CacheControl::Flush; }
    void say(const std::string& text) const {
        if (m_options.progress) m_options.progress(text);
    }
    /// Whether later runs may end when they have measured everything that they are for. That
    /// requires a program of one process that ended by itself in the first run.
    [[nodiscard]] bool mayEndEarly() const {
        return !m_options.wholeRuns && !m_options.callOnce && m_runner.runs() > 0 &&
               !m_runner.over() && m_base.processes.size() == 1 && !isOneOfRanks();
    }
    /// The configuration of a run in this mode.
    [[nodiscard]] RunConfiguration configured(RunConfiguration::Mode mode) const {
        RunConfiguration configuration = m_configuration;
        configuration.mode = std::move(mode);
        return configuration;
    }
    [[nodiscard]] TimingMode timing() const {
        return {.timeline = m_options.timeline,
                .cpuSamples = m_options.cpuSamples,
                .callSites = m_options.callSites && m_options.onlyOnce,
                .ranges = m_options.ranges};
    }
    [[nodiscard]] CountersMode counters() const {
        return {.groups = m_options.groups,
                .counters = m_options.counters,
                .callSites = m_options.callSites};
    }
    Result<void> time();
    /// Makes a run that first counts and then times. Returns the run if it
    /// can serve as a timing run.
    Result<std::optional<ProgramRuns::Run>> countThenTime();
    Result<void> timeSerially();
    Result<void> count();
    Result<void> countWhatIsMissing();
    /// After a run that counted first: the launches of important kernels that have no counters.
    [[nodiscard]] std::vector<std::uint32_t> missing() const {
        return timedOnly(m_base, !m_options.selection.kernel.empty());
    }
    Result<void> ranges();
    Result<void> sources();
    Result<void> overTime();
    void followUp();
    /// About how long another run takes, without setting up counters.
    [[nodiscard]] Seconds furtherRun() const {
        constexpr Seconds kUntilMeasured{0.5};  // the first launches of a signature are measured
        const auto shortest = m_runner.shortestLater();
        const auto& run = m_base.processes.front().run;
        if (!shortest) return m_program.time;
        Seconds time = std::max(Seconds{}, *shortest - Seconds{kSetUpOfRun});
        if (m_configuration.endsWith && !m_runner.keptFromEnding() && run && run->firstLaunch) {
            const auto sinceStart = [&](Seconds at) {
                return at - Seconds{static_cast<double>(run->time.start) * 1e-9};
            };
            const Seconds first{static_cast<double>(*run->firstLaunch) * 1e-9};
            const Seconds last = lastSignatureBegins(m_base).value_or(first);
            time = std::min(time, sinceStart(first) + kUntilMeasured);
            // Whichever launches a question is about, one that begins late may be among them. After
            // counting, only later launches of a signature have a start: then it tells nothing.
            if (!run->countedUntil && last > first)
                time = std::max(time, sinceStart(last) + kUntilMeasured);
        }
        return std::min(m_program.time, time);
    }
    Result<void> keep();
    bool ask(const Question& question);
    /// The time at which `--time-limit` is reached.
    [[nodiscard]] std::optional<ProgramRuns::Clock::time_point> end() const {
        if (!m_options.timeLimitSeconds) return std::nullopt;
        return m_begun + asDuration(*m_options.timeLimitSeconds);
    }
    [[nodiscard]] Seconds elapsed() const {
        return {std::chrono::duration<double>(ProgramRuns::Clock::now() - m_begun).count()};
    }
    void describeCapture();
    /// Whether one more run of the program would end before the time limit. If not, reports that
    /// `what` is left out: a run that is cut off would be wasted time.
    [[nodiscard]] bool fits(const char* what) {
        const auto until = end();
        if (!until || ProgramRuns::Clock::now() + asDuration(m_program.time.value) <= *until)
            return true;
        const std::string left = fmt::format("left out for lack of time: {}", what);
        say(left);
        m_base.issues.push_back({.severity = Severity::Info,
                                 .source = "record",
                                 .code = "run-left-out",
                                 .message = left,
                                 .advice = "give a longer --time-limit"});
        return false;
    }

    const RecordOptions& m_options;
    ProgramRuns m_runner;
    RunConfiguration m_configuration;  ///< what all runs have in common
    Profile m_base;
    OneRun m_program;
    CountedFirstBy m_countedFirst;  ///< not empty if the first run counted and then timed
    SerialTimes m_serial;           ///< durations one by one, from a run that also counted
    /// The run with counters also times launches that it does not count, so
    /// that no further run has to.
    bool m_timesOthers = false;
    /// When timing started, in the time of ProgramRuns::Clock; absent: from the beginning.
    std::optional<Seconds> m_timedSince;
    /// A run that should have counted and timed, but did not time enough.
    std::optional<ProgramRuns::Run> m_onlyCounted;
    bool m_nothingLaunched = false;  ///< the program launched nothing, so it is not run again
    bool m_asking = false;           ///< follow-up questions have begun
    const std::chrono::system_clock::time_point m_started = std::chrono::system_clock::now();
    const ProgramRuns::Clock::time_point m_begun = ProgramRuns::Clock::now();
};

/// Makes the runs without counters, for durations, gaps and the timeline.
Result<void> Record::time() {
    const unsigned asked = timingRunsOf(m_options);
    std::vector<Profile> timings;
    std::vector<LaunchPositions> positions;
    std::optional<GpuWatch> watch;
    if (asked > 0) watch.emplace(m_options.nvml);
    const auto add = [&](ProgramRuns::Run run) {
        m_program.time =
            std::max(Seconds{}, Seconds{run.end.seconds} - timeOfCounting(run.countedFirst));
        timings.push_back(std::move(run.profile));
        positions.push_back(std::move(run.positions));
    };
    if (mayCountThenTime(m_options)) {
        auto both = countThenTime();
        if (!both) return both.error();
        if (*both)
            add(std::move(**both));
        else
            m_timedSince =
                Seconds{std::chrono::duration<double>(ProgramRuns::Clock::now().time_since_epoch())
                            .count()};
    }
    while (timings.size() < asked && !m_runner.over()) {
        if (asked > 1) say(fmt::format("timing run {} of {}", timings.size() + 1, asked));
        auto run = m_runner.run(configured(timing()));
        if (!run) return run.error();
        add(std::move(*run));
        if (timings.back().launches.empty()) break;
    }
    const auto runs = static_cast<std::uint32_t>(timings.size());
    m_base = joinTimings(std::move(timings), positions);
    if (!positions.empty()) m_program.positions = std::move(positions.front());
    m_base.capture.timingRuns = m_base.launches.empty() ? 0 : runs;
    m_nothingLaunched = runs > 0 && m_base.launches.empty();
    m_program.timedTooLong = timedTooLong(m_base);
    m_timesOthers = !flush() && !m_options.timingOnly && !m_onlyCounted &&
                    m_options.perKernel > 0 && !hasGraphs(m_base) && !isOneOfRanks() &&
                    !m_program.timedTooLong.empty() &&
                    (m_countedFirst.empty() || !missing().empty());
    if (!m_timesOthers)
        if (auto ok = timeSerially(); !ok) return ok;
    m_base.capture.strategy = "timing";
    if (watch) {
        watch->stop(m_base.devices, m_timedSince);
        for (const Device& device : m_base.devices)
            if (const auto held = watch->held(device.uuid);
                held && savingPerLaunch(*held, 2) > savingPerLaunch(m_program.memory, 2))
                m_program.memory = *held;
    }
    for (const Process& process : m_base.processes)
        m_program.memory.pinnedBytes =
            std::max(m_program.memory.pinnedBytes, process.pinnedBytes.value_or(0));
    m_program.memory.allocations = mostAllocations(m_base.timeline);
    // The gaps between launches contain our own cache flushes.
    if (flush()) {
        for (Launch& launch : m_base.launches) launch.start.reset();
        m_base.timeline = {};
        for (Process& process : m_base.processes) process.timeline.reset();
    }
    return {};
}

Result<std::optional<ProgramRuns::Run>> Record::countThenTime() {
    CountFirstMode mode{.counting = counters(), .timing = timing()};
    // Iterations are found in the sequence of all launches, so a selection would hide them.
    mode.rests = m_options.selection.all();
    mode.counting.perKernel = m_options.perKernel;
    mode.counting.countOneIfCostly = m_options.countOneIfCostly;
    auto run = m_runner.run(configured(std::move(mode)));
    if (!run) return run.error();
    // The run took times only (the program did not start slowly), or there was nothing to measure.
    if (run->countedFirst.empty() || run->profile.launches.empty())
        return std::optional(std::move(*run));
    const ExitStatus& status = run->end.status;
    if ((status.signal || status.code != 0) && !m_runner.over()) {
        // The counters may have caused the failure.
        say("the program failed in a run with counters; running it again without");
        m_runner.forgetFirst();
        return std::optional<ProgramRuns::Run>();
    }
    m_serial = serialTimes(run->profile, run->countedFirst);
    m_program.time =
        std::max(Seconds{}, Seconds{run->end.seconds} - timeOfCounting(run->countedFirst));
    // Where a timing run would be cut off, this run keeps the times that it has.
    if (!m_runner.over() && !timedEnough(run->profile, run->countedFirst) &&
        fits("a timing run, though few launches were timed after counting")) {
        say("counters were read in the first run; a timing run follows");
        // The timing run that follows has its own durations.
        for (Launch& launch : run->profile.launches) launch.duration.reset(), launch.start.reset();
        joinGroups(run->profile);
        m_onlyCounted = std::move(*run);
        return std::optional<ProgramRuns::Run>();
    }
    const bool left = !m_base.issues.empty();  // the timing run was left out
    addIssues(run->profile, std::exchange(m_base.issues, {}));
    if (!left) say("counted and timed in one run: the program starts slowly");
    m_countedFirst = run->countedFirst;
    m_timedSince = endOfCounting(m_countedFirst);
    m_program.leftOut = launchesAlone(run->profile, m_countedFirst);
    m_program.leftOut += moveCountersToTimed(run->profile, m_countedFirst, m_serial);
    return std::optional(std::move(*run));
}

/// If CUPTI's instrumentation made kernels longer, takes their times without it: from a run with
/// counters, or from a second timing run.
Result<void> Record::timeSerially() {
    if (runsOnce(m_options) || m_program.timedTooLong.empty()) return {};
    if (!m_serial.empty()) joinSerialTimes(m_base, m_serial);
    if (!needsSerialRun(m_program.timedTooLong, m_serial) || m_runner.over() || isOneOfRanks())
        return {};
    // Do not run a program again for a few milliseconds of its kernels if it mostly works on the
    // CPU.
    constexpr double kLeastOfRun = 0.002;
    if (mostInstrumentation(m_base, m_program.timedTooLong) < m_program.time * kLeastOfRun)
        return {};
    constexpr const char* kSerial = "timing run without instrumentation";
    if (!fits(kSerial)) return {};
    say(kSerial);
    TimingMode serial = timing();
    serial.serial = true;
    auto run = m_runner.run(configured(std::move(serial)));
    if (!run) return run.error();
    if (joinSerialTimes(m_base, run->profile, m_program.positions, run->positions) > 0)
        ++m_base.capture.timingRuns;
    return {};
}

Result<void> Record::count() {
    if (m_options.timingOnly || m_nothingLaunched) return {};
    if (m_onlyCounted)
        joinCounters(m_base, m_onlyCounted->profile, m_program.positions, m_onlyCounted->positions);
    if (m_onlyCounted || !m_countedFirst.empty()) {
        m_base.capture.strategy = m_base.counters.names().empty() ? "timing" : "kernel";
        if (!m_base.counters.names().empty()) m_base.capture.perKernel = m_options.perKernel;
        return countWhatIsMissing();
    }
    if (m_runner.over()) return {};
    CountersMode mode = counters();
    mode.timeOthers = m_timesOthers;
    auto others =
        recordCounters(m_runner, configured(std::move(mode)), m_options, m_program, m_base);
    if (!others) return others.error();
    if (*others) m_serial = std::move(**others);
    return {};
}

/// After a run that counted first: counts the important kernels that it did not count.
Result<void> Record::countWhatIsMissing() {
    if (m_runner.over() || hasIssue(m_base, "counters-not-permitted")) return {};
    const std::vector<std::uint32_t> rows = missing();
    if (rows.empty()) return {};
    constexpr const char* kMore = "one more run, for kernels that were not counted yet";
    if (!fits(kMore)) return {};
    say(kMore);
    CountersMode mode = counters();
    mode.timeOthers = m_timesOthers;
    auto others =
        recordCounters(m_runner, configured(std::move(mode)), m_options, m_program, m_base, &rows);
    if (!others) return others.error();
    if (*others) m_serial.merge(**others);
    return {};
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
                         .groups = plan->runs,
                         .ranges = m_options.ranges};
    return recordRanges(runs, m_configuration, m_base);
}

Result<void> Record::sources() {
    if (!m_options.source.any() || m_base.launches.empty() || m_runner.over()) return {};
    return recordSources(m_runner, m_configuration, m_options, m_base);
}

Result<void> Record::overTime() {
    if (!m_options.overTime.any() || m_base.launches.empty() || m_runner.over()) return {};
    return recordOverTime(m_runner, m_configuration, m_options, m_base);
}

/// Asks no follow-up questions if the program failed or behaves differently each time.
void Record::followUp() {
    const ExitStatus& first = m_runner.first().status;
    if (!m_options.followUp || !checkQuestions(m_options) || m_runner.over() || first.code != 0 ||
        m_base.counters.names().empty() || hasIssue(m_base, "runs-differ") ||
        hasIssue(m_base, "counters-not-permitted"))
        return;
    m_asking = true;
    m_options.followUp({.plainRun = m_program.time,
                        .startsSlowly = !m_countedFirst.empty() || m_onlyCounted,
                        .furtherRun = [this] { return furtherRun(); },
                        .profile = [this]() -> const Profile& { return m_base; },
                        .elapsed = [this] { return elapsed(); },
                        .remaining = [this]() -> std::optional<Seconds> {
                            if (!m_options.timeLimitSeconds) return std::nullopt;
                            return Seconds{*m_options.timeLimitSeconds} - elapsed();
                        },
                        .over = [this] { return m_runner.over(); },
                        .ask = [this](const Question& question) { return ask(question); }});
}

/// Runs the program once more for each launch that is to be kept.
Result<void> Record::keep() {
    if (!m_options.keep || m_runner.over() || m_runner.first().status.code != 0) return {};
    while (const auto mode = m_options.keep(m_base)) {
        if (m_runner.over()) break;
        auto run = m_runner.run(configured(*mode));
        if (!run) return run.error();
        addIssues(m_base, run->profile.issues);
    }
    return {};
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

Recording Record::finish() {
    addNativeLines(m_base.callSites, m_base.kernels);
    for (Process& process : m_base.processes)
        if (process.cpuSamples) addNativeLines(*process.cpuSamples, m_base.kernels);
    auto before = issuesBefore(m_options);
    m_base.issues.insert(m_base.issues.begin(), before.begin(), before.end());
    if (Interruptions::seen() && !hasIssue(m_base, "interrupted") && !m_asking)
        m_base.issues.push_back(interruptedIssue());
    sayWhatIsMissing(m_base, m_options);
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

}  // namespace roofscope
