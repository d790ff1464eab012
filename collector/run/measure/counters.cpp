// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <map>
#include <set>

#include "collector/rank/rank.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/join/join_runs.h"
#include "collector/run/measure/count_then_time.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"
#include "profile/chips/chip.h"
#include "profile/model/counting_cost.h"
#include "profile/names/instrumented.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

/// Passes of the default counters.
constexpr std::size_t kUsualPasses = 2;
/// The groups that follow-up questions ask for most often, and about how many passes they add.
constexpr std::array kOftenAsked{"stalls", "pipes"};
constexpr std::size_t kMorePasses = 9;
/// Seconds to switch to other counters for a launch and back for the next one.
constexpr double kChangeOfGroups = 0.05;
/// The issue of a program that cannot be counted by kernel replay.
constexpr const char* kReplayCrashed = "replay-crashed";
/// Saving memory for counted launches may take this share of a run's time.
constexpr double kCostlySaving = 0.5;

/// The runs with counters of one recording.
class CounterRuns {
public:
    CounterRuns(ProgramRuns& runner, RunConfiguration configuration, const RecordOptions& options,
                Profile& base, const OneRun& program, const std::vector<std::uint32_t>* only)
        : m_runner(runner),
          m_configuration(std::move(configuration)),
          m_mode(std::get<CountersMode>(m_configuration.mode)),
          m_options(options),
          m_base(base),
          m_program(program),
          m_only(only) {
        m_mode.perKernel = options.perKernel;
        m_mode.countOneIfCostly = options.countOneIfCostly;
        m_mode.onlyPicks = only != nullptr;
        if (options.perKernel > 0) m_mode.picks = picks(false);
        if (options.countOneIfCostly && savingTime() > program.time * kCostlySaving)
            m_mode.picks = picks(true);
    }

    /// The result of recordCounters().
    Result<std::optional<SerialTimes>> collect() {
        if (auto ok = count(); !ok) return ok.error();
        return std::move(m_others);
    }

private:
    /// The launches to count. `onePerShape`: fewer of kernels with many shapes.
    [[nodiscard]] std::map<std::uint64_t, std::vector<std::uint32_t>> picks(
        bool onePerShape) const {
        return representativeLaunches(
            m_base, m_options.perKernel, m_only ? *m_only : std::vector<std::uint32_t>(),
            m_options.perSmallKernel, keptUncounted(), onePerShape, m_options.countOneIfCostly);
    }
    /// How long kernel replay would spend on saving memory for these launches.
    [[nodiscard]] Seconds savingTime() const {
        std::size_t counted = 0;
        for (const auto& [signature, ordinals] : m_mode.picks) counted += ordinals.size();
        return savingPerLaunch(m_program.memory, kUsualPasses) * static_cast<double>(counted);
    }
    /// Kernels of which one launch stays uncounted so that it can be timed. None if the user asked
    /// for a number of launches.
    [[nodiscard]] std::set<std::uint64_t> keptUncounted() const {
        std::set<std::uint64_t> kernels;
        if (m_mode.timeOthers && m_options.countOneIfCostly)
            for (const auto& [signature, share] : m_program.timedTooLong) kernels.insert(signature);
        return kernels;
    }

    Result<void> count() {
        plan();
        bool kernelReplay = true;
        if (mayGrowMemory()) {
            m_mode.growMemory = true;
            if (auto ok = kernel(); !ok) return ok;
            m_mode.growMemory = false;
            if (m_runner.over() || refused() || !misses()) return done();
        }
        if (m_strategy.onePass) {
            if (auto complete = runPerGroup(m_mode); !complete) return complete.error();
            kernelReplay = false;
        } else if (m_strategy.replay == CountersMode::Replay::Application) {
            CountersMode mode = m_mode;
            mode.replay = CountersMode::Replay::Application;
            mode.perKernel = 0;
            auto complete = runPerGroup(std::move(mode));
            if (!complete) return complete.error();
            kernelReplay = !*complete && !savingCostsTooMuch();
        } else if (m_strategy.replay == CountersMode::Replay::Multiplex && !m_runner.over()) {
            if (auto ok = multiplex(); !ok) return ok;
            kernelReplay = false;
        }
        if (kernelReplay && !m_runner.over() && !refused()) {
            if (m_configuration.flushCaches)
                reportFlushingNeedsSingleRuns();
            else if (auto ok = kernel(); !ok)
                return ok;
        }
        return done();
    }

    /// Describes in the profile how counters were read.
    Result<void> done() {
        const bool fewEach = m_strategy.onePass || m_base.capture.strategy == "kernel";
        if (fewEach && m_options.perKernel > 0) m_base.capture.perKernel = m_options.perKernel;
        if (m_base.counters.names().empty() && timed()) {
            m_base.capture.strategy = "timing";
            m_base.capture.perKernel.reset();
        }
        return {};
    }

    /// Whether there was a timing run. Without one the profile starts empty.
    [[nodiscard]] bool timed() const { return m_base.capture.timingRuns > 0; }
    /// Whether kernel replay would have to save so much for each launch that other ways come first.
    [[nodiscard]] bool savingCostsTooMuch() const {
        return roofscope::savingCostsTooMuch(m_facts.memory, m_facts.passes);
    }
    /// Whether it may help to let XLA allocate memory on demand. XLA reserves three quarters of the
    /// GPU's memory, however much the program needs, and a replay would save all of it.
    [[nodiscard]] bool mayGrowMemory() const {
        const auto ofXla = [](const std::string& range) {
            return range.find("XlaModule:#") != range.npos;
        };
        return savingCostsTooMuch() && m_facts.memory.bytesSavedInHost() > 0 &&
               m_options.replay == ReplayChoice::Auto && !m_facts.waitsForPeers &&
               m_base.capture.strategy != "application" &&  // not tried in vain before
               !m_facts.oneOfRanks && !m_options.callOnce && !ProgramRuns::choosesMemory() &&
               std::ranges::any_of(m_base.ranges, ofXla);
    }
    /// Whether launches that matter still lack counters after the runs so far.
    [[nodiscard]] bool misses() const {
        if (m_counted.empty()) return true;
        if (!m_only) return !timedOnly(m_base).empty();
        return std::ranges::any_of(*m_only, [&](std::uint32_t row) {
            return !m_counted.contains(launchSignature(m_base, m_base.launches[row]));
        });
    }
    /// Whether counters may not be read here at all, so that another run would not help.
    [[nodiscard]] bool refused() const { return hasIssue(m_base, "counters-not-permitted"); }
    void say(const std::string& text) const {
        if (m_options.progress) m_options.progress(text);
    }
    void addInfo(const char* code, std::string message, std::string advice) {
        m_base.issues.push_back({.severity = Severity::Info,
                                 .source = "record",
                                 .code = code,
                                 .message = std::move(message),
                                 .advice = std::move(advice)});
    }

    void plan() {
        if (!timed() || m_base.devices.empty()) return;
        // There is nothing to choose or warn about, and splitting counters into passes takes time.
        if (m_options.replay == ReplayChoice::Kernel &&
            !roofscope::savingCostsTooMuch(m_program.memory))
            return;
        auto made = planRecord(m_options, m_base.devices.front().chip);
        if (!made) {
            m_whyNoPlan = made.error().message();
            if (m_options.replay != ReplayChoice::Auto &&
                m_options.replay != ReplayChoice::Kernel && !m_configuration.flushCaches)
                addInfo("replay-unavailable", "kernel replay was used instead: " + m_whyNoPlan, "");
            return;
        }
        m_groups = std::move(made->runs);
        m_severalPasses = std::move(made->severalPasses);
        std::size_t counted = m_base.launches.size();
        if (m_options.perKernel > 0) {
            counted = 0;
            for (const auto& [signature, ordinals] : m_mode.picks) counted += ordinals.size();
        }
        const bool kernelExcluded =
            m_configuration.flushCaches && m_options.replay != ReplayChoice::Multiplex;
        m_facts = {.programTime = m_program.time,
                   .launches = m_base.launches.size(),
                   .counted = counted,
                   .passes = made->kernelPasses,
                   .runs = m_groups.size(),
                   .someNeedSeveralPasses = !m_severalPasses.empty(),
                   .graphs = hasGraphs(m_base),
                   .waitsForPeers = hasPeerKernels(m_base),
                   .oneOfRanks = isOneOfRanks(),
                   .memory = m_program.memory};
        m_strategy =
            chooseStrategy(m_facts, kernelExcluded ? ReplayChoice::Application : m_options.replay);
        if (m_strategy.onePass && m_configuration.flushCaches) {
            m_strategy.onePass = false;  // CUPTI's replay leaves no moment to flush them
            m_strategy.reason = m_facts.graphs ? "there are CUDA graphs"
                                : m_facts.waitsForPeers
                                    ? "there are kernels that wait for other processes"
                                    : "this is one of several ranks";
        }
        if (hasIssue(m_base, kReplayCrashed)) {
            m_strategy.replay = CountersMode::Replay::Kernel;
            m_strategy.onePass = true;
        }
        if (m_only && !m_configuration.flushCaches &&
            m_strategy.replay == CountersMode::Replay::Application) {
            // Application replay would read all launches. One pass per run reads only the launches
            // in question, and does not replay launches either.
            m_strategy.replay = CountersMode::Replay::Kernel;
            m_strategy.onePass =
                m_options.replay == ReplayChoice::Application || savingCostsTooMuch();
        }
        const bool oneEach =
            m_strategy.onePass || m_strategy.replay != CountersMode::Replay::Kernel;
        for (const std::string& counter : m_severalPasses)
            if (oneEach)
                addInfo(
                    "counter-unavailable",
                    fmt::format("{} is not collected: it needs several passes per launch", counter),
                    "record it with --replay kernel");
    }

    Result<JoinReport> join(CountersMode mode) {
        mode.callSites = mode.callSites && m_base.callSites.empty();
        const bool all = mode.perKernel == 0 || mode.replay != CountersMode::Replay::Kernel;
        if (all || m_others) mode.timeOthers = false;
        m_configuration.mode = mode;
        auto run = m_runner.run(m_configuration);
        if (!run) return run.error();
        if (crashedInReplay(mode, run->end.status)) {
            m_crashed = std::move(*run);
            return JoinReport{};
        }
        // The program may fail without the memory that XLA reserves; that would be our fault.
        if (mode.growMemory && hasIssue(run->profile, "runs-differ")) return JoinReport{};
        // Without the memory that XLA reserves, the program may run at a different pace.
        if (mode.growMemory)
            for (Process& process : run->profile.processes) process.pace.reset();
        if (mode.timeOthers) {
            m_others = serialTimesOf(run->profile);
            for (Launch& launch : run->profile.launches)
                launch.duration.reset(), launch.start.reset();
        }
        const std::vector<bool> counted = measuredAt(run->profile, run->profile.counters.names());
        for (std::size_t row = 0; row < counted.size(); ++row)
            if (counted[row])
                m_counted.insert(launchSignature(run->profile, run->profile.launches[row]));
        auto report = joinCounters(m_base, run->profile, m_program.positions, run->positions,
                                   m_only ? UnmatchedLaunches::LeaveOut : UnmatchedLaunches::Add);
        report.withoutPartner -= std::min(report.withoutPartner, m_program.leftOut);
        return report;
    }

    /// Whether CUPTI's kernel replay may have made the program crash, which is known to happen (a
    /// plan of cuFFT for a length with large prime factors), so that reading one pass per run may
    /// help.
    [[nodiscard]] bool crashedInReplay(const CountersMode& mode, const ExitStatus& status) const {
        constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE};
        return mode.replay == CountersMode::Replay::Kernel && !mode.growMemory &&
               mode.hardwareOnly.empty() &&  // their times stand in the profile already
               !m_strategy.onePass && !m_groups.empty() && !m_configuration.flushCaches &&
               m_options.replay == ReplayChoice::Auto && !m_facts.oneOfRanks && !m_runner.over() &&
               !m_runner.first().status.signal && status.signal &&
               std::ranges::find(kCrashes, *status.signal) != kCrashes.end();
    }

    /// Reads the counters of a program that crashed during kernel replay.
    Result<void> withoutReplay() {
        m_strategy.onePass = true;
        m_strategy.reason = "the program crashed while its launches were repeated";
        auto complete = runPerGroup(m_mode);
        if (!complete) return complete.error();
        if (hasIssue(m_base, "runs-differ")) {
            // It crashes without replay as well; what the first such run counted is kept.
            joinCounters(m_base, m_crashed->profile, m_program.positions, m_crashed->positions,
                         m_only ? UnmatchedLaunches::LeaveOut : UnmatchedLaunches::Add);
        } else if (!hasIssue(m_base, kReplayCrashed)) {
            addInfo(kReplayCrashed,
                    "counters were read in several runs, one pass in each: CUPTI's kernel replay "
                    "made the program crash",
                    "");
        }
        return {};
    }

    /// Runs the program once per group of counters. Returns whether every launch has all the
    /// counters that can be read.
    Result<bool> runPerGroup(CountersMode mode) {
        m_base.capture.strategy = "application";
        bool repeats = true;
        mode.groups.clear();
        mode.countOneIfCostly = false;  // all runs have to count the same launches
        for (std::size_t i = 0; i < m_groups.size() && !m_runner.over() && !refused(); ++i) {
            say(fmt::format("application replay, run {} of {} ({})", i + 1, m_groups.size(),
                            m_strategy.reason));
            mode.counters = m_groups[i];
            const auto report = join(mode);
            if (!report) return report.error();
            if (report->withoutPartner == 0 && report->matched == m_base.launches.size()) continue;
            addInfo("launch-sequence-differs",
                    fmt::format("the program launches differently in each run: {}",
                                report->firstDifference),
                    m_configuration.flushCaches || m_strategy.onePass || savingCostsTooMuch()
                        ? ""
                        : "launches that could not be matched were counted by kernel replay");
            repeats = false;
        }
        return repeats && std::ranges::all_of(m_groups, [&](const auto& group) {
                   return std::ranges::all_of(measuredAt(m_base, group), std::identity());
               });
    }

    /// Runs the program once; the groups of counters take turns.
    Result<void> multiplex() {
        say(fmt::format("one run, {} groups of counters in turn ({})", m_groups.size(),
                        m_strategy.reason));
        CountersMode mode = m_mode;
        mode.replay = CountersMode::Replay::Multiplex;
        mode.passGroups = m_groups;
        mode.picks.clear();
        const auto report = join(std::move(mode));
        if (!report) return report.error();
        m_base.capture.strategy = "multiplex";
        sayThatLaunchesDiffer(*report);
        if (refused() || m_base.counters.names().empty()) return {};

        std::vector<std::uint64_t> signatures;
        for (const Launch& launch : m_base.launches)
            signatures.push_back(launchSignature(m_base, launch));
        std::map<std::uint64_t, std::vector<bool>> met;
        for (std::size_t g = 0; g < m_groups.size(); ++g) {
            const std::vector<bool> rows = measuredAt(m_base, m_groups[g]);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                auto& groups = met[signatures[row]];
                groups.resize(m_groups.size());
                if (rows[row]) groups[g] = true;
            }
        }
        const auto partial = std::ranges::count_if(met, [](const auto& entry) {
            return std::ranges::find(entry.second, false) != entry.second.end();
        });
        if (partial > 0)
            addInfo(
                "multiplex-incomplete",
                fmt::format("{} of {} kernels and shapes were measured with only some of the {} "
                            "groups of counters",
                            partial, met.size(), m_groups.size()),
                "let the program run longer, choose fewer groups, or use --replay kernel for "
                "kernels with few launches");
        return {};
    }

    /// Whether the program may run unmeasured after its launches are counted. That needs a single
    /// process whose launches are joined one by one with those of the timing run.
    [[nodiscard]] bool mayRest() const { return timed() && m_base.processes.size() == 1; }

    /// Sets CountersMode::enoughSeconds and paceKnown.
    void endWhenEnough(CountersMode& mode) const {
        constexpr double kLeast = 0.5, kRepeats = 8, kMost = 2, kLeastOfLongRepeats = 2;
        if (!m_configuration.endsWith) return;
        if (m_only) return void(mode.enoughSeconds = 0);
        const auto loop = m_options.judgedLoop ? m_options.judgedLoop(m_base) : std::nullopt;
        if (!loop) return;
        const double repeat = loop->repeat.value;
        mode.enoughSeconds =
            std::clamp(kRepeats * repeat, kLeast, std::max(kMost, kLeastOfLongRepeats * repeat));
        mode.paceKnown = loop->idle < kHardlyIdle && !mode.timeOthers;
        if (!loop->onePiece) return;
        // Of a program that is judged as one piece, the lines of copies at its end matter, too.
        mode.untilLaunches = m_base.processes.front().launchesSeen;
        if (mode.callSites && m_base.callSites.empty())
            mode.untilTransfers = callsOf(m_base.timeline, CallKind::Transfer);
    }

    Result<void> kernel() {
        if (m_mode.growMemory)
            say("kernel replay (XLA allocates memory on demand)");
        else if (timed())
            say(m_strategy.reason.empty() ? "kernel replay"
                                          : fmt::format("kernel replay ({})", m_strategy.reason));
        if (!m_mode.growMemory) sayThatSavingTakesLong();
        CountersMode mode = m_mode;
        spareLongKernels(mode);
        if (mode.hardwareOnly.empty()) askAhead(mode);
        mode.rests = mayRest();
        // The second half shows the program's own pace.
        if (mode.rests) mode.restAfter = m_base.processes.front().launchesSeen / 2;
        if (mode.rests) endWhenEnough(mode);
        const std::vector<std::string> more = mode.moreGroups;
        const std::set<std::uint64_t> of(mode.moreOf.begin(), mode.moreOf.end());
        const auto report = join(std::move(mode));
        if (!report) return report.error();
        if (m_crashed) return withoutReplay();
        noteMore(more, of);
        if (m_base.capture.strategy != "application") m_base.capture.strategy = "kernel";
        sayThatLaunchesDiffer(*report);
        return {};
    }

    /// Instrumented counters make a launch take hundreds of times as long. If a kernel would then
    /// take longer than half of the program, and longer than 2 s, only its hardware counters are
    /// read. Only launches that are going to be counted matter; others may be longer.
    void spareLongKernels(CountersMode& mode) {
        constexpr double kLeast = 2, kShareOfProgram = 0.5, kPassesOfAccesses = 5;
        if (!timed() || !m_options.sparesLongKernels || !m_options.countOneIfCostly) return;
        const double most = std::max(kLeast, kShareOfProgram * m_program.time.value);
        const auto secondsOf = [](const Launch& l) { return l.duration.value_or(Seconds{}).value; };
        const auto isLong = [&](const Launch& launch) {
            return secondsOf(launch) * kInstrumentedSlowdown > most;
        };
        if (std::ranges::none_of(m_base.launches, isLong)) return;  // the usual case
        std::map<std::uint64_t, std::pair<std::uint32_t, std::vector<double>>> seconds;
        std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> next;  // ordinal
        for (const Launch& launch : m_base.launches) {
            const std::uint64_t signature = launchSignature(m_base, launch);
            const std::uint32_t ordinal = next[{launch.process, signature}]++;
            const auto picked = mode.picks.find(signature);
            if (!mode.picks.empty() &&
                (picked == mode.picks.end() ||
                 std::ranges::find(picked->second, ordinal) == picked->second.end()))
                continue;
            if (!isLong(launch)) continue;
            auto& [kernel, times] = seconds[signature];
            kernel = launch.kernel;
            times.push_back(secondsOf(launch));
        }
        std::set<std::uint32_t> kernels;
        double longest = 0;
        for (auto& [signature, of] : seconds) {
            longest = std::max(longest, median(std::move(of.second)));
            kernels.insert(of.first);
            mode.hardwareOnly.push_back(signature);
        }
        if (kernels.empty()) return;
        mode.groupByGroup = true;
        const double onePass = longest * static_cast<double>(seconds.size());
        mode.accessesOfLong = kPassesOfAccesses * onePass <= kLeast;
        if (hasIssue(m_base, "instrumented-left-out")) return;
        addInfo(
            "instrumented-left-out",
            fmt::format("{} only the counters of the hardware: CUPTI's instrumentation would "
                        "make a launch of {:.2g} s take about {:.2g} s. Instructions by kind and "
                        "the bytes that accesses ask for are missing",
                        countText(kernels.size(), "long kernel has", "long kernels have"), longest,
                        longest * kInstrumentedSlowdown),
            "to read them all the same: --effort deep");
    }

    /// Reads more groups of the kernels that take much of the time, if that costs less than half of
    /// the further run in which a follow-up question would read them.
    void askAhead(CountersMode& mode) const {
        constexpr double kMuch = 0.1, kLeastOfRun = 0.05, kOfFurtherRun = 0.5;
        if (m_only || !m_options.asksAhead || !timed() || mode.growMemory || mode.picks.empty() ||
            m_configuration.flushCaches || hasGraphs(m_base))
            return;
        std::map<std::uint32_t, double> seconds;  // by kernel
        double all = 0;
        for (const Launch& launch : m_base.launches)
            if (launch.duration) {
                seconds[launch.kernel] += launch.duration->value;
                all += launch.duration->value;
            }
        if (all < kLeastOfRun * m_program.time.value) return;
        std::erase_if(seconds, [&](const auto& entry) {
            return entry.second < kMuch * all ||
                   !m_options.asksAhead(m_base, m_base.kernels[entry.first]);
        });
        if (seconds.empty()) return;
        const Seconds saving = savingPerLaunch(m_program.memory, kUsualPasses + kMorePasses) -
                               savingPerLaunch(m_program.memory, kUsualPasses);
        std::map<std::uint64_t, double> longest;  // by signature
        for (const Launch& launch : m_base.launches) {
            if (!seconds.contains(launch.kernel)) continue;
            double& most = longest[launchSignature(m_base, launch)];
            most = std::max(most, launch.duration.value_or(Seconds{}).value);
        }
        double cost = 0;
        for (const auto& [signature, most] : longest) {
            const auto picked = mode.picks.find(signature);
            if (picked == mode.picks.end()) continue;
            cost += static_cast<double>(picked->second.size()) *
                    (kMorePasses * (kSecondsPerPass + most) + saving.value + kChangeOfGroups);
            mode.moreOf.push_back(signature);
        }
        if (mode.moreOf.empty() || cost > kOfFurtherRun * (m_program.time.value + kSetUpOfRun)) {
            mode.moreOf.clear();
            return;
        }
        for (const char* group : kOftenAsked)
            if (std::ranges::find(mode.groups, group) == mode.groups.end())
                mode.moreGroups.emplace_back(group);
        if (mode.moreGroups.empty()) mode.moreOf.clear();
        mode.groupByGroup = !mode.moreOf.empty();
    }

    /// Notes in the profile for which launches among those of `signatures` these groups were read.
    void noteMore(const std::vector<std::string>& groups,
                  const std::set<std::uint64_t>& signatures) {
        if (groups.empty() || m_base.devices.empty()) return;
        const auto chip = chipTable(m_base.devices.front());
        if (!chip) return;
        FurtherReading reading{.groups = groups};
        std::vector<bool> read(m_base.launches.size());
        for (const std::string& group : groups) {
            const auto found = chip->groups.find(group);
            if (found == chip->groups.end()) continue;
            for (const std::string& counter : found->second.counters) {
                const std::vector<bool> rows = measuredAt(m_base, {counter});
                for (std::size_t row = 0; row < rows.size(); ++row)
                    if (rows[row]) read[row] = true;
            }
        }
        for (std::uint32_t row = 0; row < read.size(); ++row)
            if (read[row] && signatures.contains(launchSignature(m_base, m_base.launches[row])))
                reading.launches.push_back(row);
        if (!reading.launches.empty()) m_base.capture.further.push_back(std::move(reading));
    }

    void sayThatSavingTakesLong() const {
        if (!savingCostsTooMuch()) return;
        const HeldMemory& memory = m_facts.memory;
        const auto gigabytes = [](std::uint64_t bytes) {
            return static_cast<double>(bytes) * 1e-9;
        };
        say(fmt::format(
            "each launch saves and restores {}: about {:.0f} s in all; --replay application avoids "
            "this",
            memory.bytesSavedInHost() > 0
                ? fmt::format("the {:.0f} GB that the program holds, {:.0f} GB of it in the host's "
                              "memory",
                              gigabytes(memory.bytes), gigabytes(memory.bytesSavedInHost()))
                : slowToCopy(memory),
            m_strategy.kernelCost.value));
    }

    void sayThatLaunchesDiffer(const JoinReport& report) {
        if (report.withoutPartner == 0) return;
        addInfo("launch-sequence-differs",
                fmt::format("the program launches differently in each run: {}; without counterpart "
                            "in the timing run: {} of the counter run",
                            report.firstDifference,
                            countText(report.withoutPartner, "launch", "launches")),
                "durations are those of the timing run");
    }

    void reportFlushingNeedsSingleRuns() {
        m_base.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "flush-needs-application-replay",
             .message = fmt::format("launches have no counters: with flushed caches, counters can "
                                    "be read only if each launch runs once{}{}{}",
                                    m_strategy.reason.empty() && m_whyNoPlan.empty() ? "" : "; ",
                                    m_strategy.reason, m_whyNoPlan),
             .advice = "record without --cache-control flush"});
    }

    ProgramRuns& m_runner;
    RunConfiguration m_configuration;
    CountersMode m_mode;  ///< for the next run, which may use a changed copy
    const RecordOptions& m_options;
    Profile& m_base;
    const OneRun& m_program;
    const std::vector<std::uint32_t>* m_only;        ///< rows whose counters are read; null: all
    std::vector<std::vector<std::string>> m_groups;  ///< counters that fit one pass each
    /// Counters that need several passes, so they are in no group.
    std::vector<std::string> m_severalPasses;
    StrategyFacts m_facts;
    Strategy m_strategy;
    std::string m_whyNoPlan;
    std::optional<ProgramRuns::Run> m_crashed;  ///< in kernel replay
    std::optional<SerialTimes> m_others;        ///< times of launches that were not counted
    std::set<std::uint64_t> m_counted;          ///< signatures that were counted
};

}  // namespace

Result<std::optional<SerialTimes>> recordCounters(ProgramRuns& runner,
                                                  RunConfiguration configuration,
                                                  const RecordOptions& options,
                                                  const OneRun& program, Profile& base,
                                                  const std::vector<std::uint32_t>* only) {
    return CounterRuns(runner, std::move(configuration), options, base, program, only).collect();
}

}  // namespace roofscope
