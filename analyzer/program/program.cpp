// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/program.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analyzer/language/sentence.h"
#include "analyzer/program/account/account.h"
#include "analyzer/program/account/added_by_tracing.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/account/lines.h"
#include "analyzer/program/account/unseen.h"
#include "analyzer/program/account/whole_run.h"
#include "analyzer/program/actions/actions.h"
#include "analyzer/program/actions/floor.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/phases.h"
#include "analyzer/program/window/same_windows.h"
#include "analyzer/program/window/window.h"

namespace roofscope {

namespace {

/// Whether the options that chose launches chose whole stretches of time, so that all launches of
/// the window are there.
bool chosenByTime(const std::vector<std::string>& filters) {
    return std::ranges::all_of(filters, [](const std::string& filter) {
        return filter.starts_with("--nvtx ") || filter.starts_with("--profile-from-start") ||
               filter.starts_with("--device ");
    });
}

/// Which launches have a value of any counter.
std::vector<bool> countedRows(const Profile& profile) {
    std::vector<bool> counted(profile.launches.size(), false);
    std::size_t left = counted.size();
    for (const std::string& name : profile.counters.names()) {
        if (left == 0) break;  // as a rule the first counter has them all
        profile.counters.column(name).forEach([&](std::size_t row, double) {
            if (row >= counted.size() || counted[row]) return;
            counted[row] = true;
            --left;
        });
    }
    return counted;
}

void countLaunches(const Analysis& analysis, Program& program) {
    const Profile& profile = *analysis.profile;
    const std::vector<bool> counted = countedRows(profile);
    program.kernels.resize(analysis.kernels.size());
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
        for (const std::uint32_t row : analysis.kernels[k].group.launches) {
            program.kernels[k].timed += profile.launches[row].duration.has_value();
            program.kernels[k].counted += counted[row];
        }
    for (const auto& kernel : program.kernels) {
        program.launchesTimed += kernel.timed;
        program.launchesCounted += kernel.counted;
    }
}

/// Launches of each group that begin within the window; mean over lanes and occurrences.
void countPerWindow(const Analysis& analysis, const program::LaneActivity& lane,
                    const program::FoundWindow& window, std::size_t lanes, Program& program) {
    if (window.spans.empty()) return;
    std::vector<bool> inside(analysis.profile->launches.size(), false);
    program::forEachLaunch(lane, window, [&](const program::Activity& activity, std::size_t) {
        inside[activity.row] = true;
    });
    const double each = 1.0 / static_cast<double>(window.spans.size() * lanes);
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k) {
        Program::KernelCounts& counts = program.kernels[k];
        std::size_t launches = 0, timed = 0;
        Seconds time;
        for (const std::uint32_t row : analysis.kernels[k].group.launches) {
            if (!inside[row]) continue;
            const Launch& launch = analysis.profile->launches[row];
            ++launches;
            if (launch.fromGraph) counts.fromGraphs += each;
            if (!launch.duration) continue;
            ++timed;
            time += *launch.duration;
        }
        counts.perWindow += static_cast<double>(launches) * each;
        // Those that were not timed take as long as the others.
        if (timed > 0)
            counts.time +=
                time * (each * static_cast<double>(launches) / static_cast<double>(timed));
    }
}

void add(const SampleTally& more, SampleTally& all) {
    for (const auto& [stack, samples] : more) all[stack] += samples;
}

/// The mean of the lanes' accounts; CPU times are those of the first lane.
Account meanOf(const std::vector<Lane>& lanes) {
    Account mean = lanes.front().account;
    const auto each = static_cast<double>(lanes.size());
    for (std::size_t i = 1; i < lanes.size(); ++i) {
        const Account& other = lanes[i].account;
        for (const TimeClass cls : kTimeClasses) {
            mean.time[cls] += other.time[cls];
            mean.oneCall[cls] += other.oneCall[cls];
            add(other.samples[cls], mean.samples[cls]);
        }
        add(other.samplesBefore, mean.samplesBefore);
        add(other.samplesAfter, mean.samplesAfter);
        mean.hiddenCopies += other.hiddenCopies;
        mean.hiddenCommunication += other.hiddenCommunication;
        mean.untimed += other.untimed;
        mean.hostAfterSync += other.hostAfterSync;
        mean.hostAfterCopy += other.hostAfterCopy;
        mean.copiedForHost += other.copiedForHost;
        mean.copiesKnown = mean.copiesKnown && other.copiesKnown;
        mean.causesKnown = mean.causesKnown && other.causesKnown;
        mean.allocationsKnown = mean.allocationsKnown && other.allocationsKnown;
        mean.loadsKnown = mean.loadsKnown && other.loadsKnown;
        mean.callsMayLoad = mean.callsMayLoad || other.callsMayLoad;
        for (const CopyTime& copy : other.copies) {
            const auto same = std::ranges::find_if(mean.copies, [&](const CopyTime& c) {
                return c.kind == copy.kind && c.pageable == copy.pageable;
            });
            if (same == mean.copies.end()) {
                mean.copies.push_back(copy);
                continue;
            }
            same->count += copy.count;
            same->bytes += copy.bytes;
            same->time += copy.time;
            same->exposed += copy.exposed;
        }
        for (const SizedCopies& copies : other.toGpu) {
            const auto same = std::ranges::find(mean.toGpu, copies.bytes, &SizedCopies::bytes);
            if (same == mean.toGpu.end()) {
                mean.toGpu.push_back(copies);
                continue;
            }
            same->all += copies.all;
            same->time += copies.time;
        }
    }
    if (lanes.size() == 1) return mean;
    for (const TimeClass cls : kTimeClasses) {
        mean.time[cls] = mean.time[cls] / each;
        mean.oneCall[cls] = mean.oneCall[cls] / each;
    }
    mean.hiddenCopies = mean.hiddenCopies / each;
    mean.hiddenCommunication = mean.hiddenCommunication / each;
    mean.untimed = mean.untimed / each;
    mean.hostAfterSync = mean.hostAfterSync / each;
    mean.hostAfterCopy = mean.hostAfterCopy / each;
    mean.copiedForHost = mean.copiedForHost / each;
    for (CopyTime& copy : mean.copies) {
        copy.bytes = copy.bytes / each;
        copy.time = copy.time / each;
        copy.exposed = copy.exposed / each;
    }
    for (SizedCopies& copies : mean.toGpu) {
        copies.all = copies.all / each;
        copies.time = copies.time / each;
    }
    program::moveUnknown(mean);  // a class that not all lanes recorded has no mean
    return mean;
}

/// Computes Program::undecided, from the launches in one occurrence of the window.
std::optional<Ratio> undecidedShare(const Analysis& analysis, const Program& program) {
    Seconds known, undecided;
    for (const KernelFunction& function : program.functions) {
        Seconds open;
        std::size_t decided = 0;
        for (const std::uint32_t k : function.kernels)
            if (program::isUndecided(analysis.kernels[k]))
                open += program.kernels[k].time;
            else
                ++decided;
        decided += function.elsewhere.size();
        known += function.time;
        if (decided < program::kShapesForAll) undecided += open;
    }
    // Kernels may run side by side: their times may be more than the window.
    const Seconds all = std::max(program.window.seconds, known);
    if (!(known.value > 0)) return std::nullopt;
    return Ratio{undecided / all};
}

/// Whether all launches are there, but some without their times.
bool lostTimes(const Profile& profile) {
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    const auto untimed = std::ranges::count_if(
        profile.launches, [](const Launch& launch) { return !launch.start || !launch.duration; });
    return untimed > 0 && seen <= profile.launches.size();
}

void sayWhatIsUnknown(const Analysis& analysis, bool complete, Program& program) {
    if (program::launchesFromKernels(*analysis.profile))
        program.unknown.push_back(program::kernelsOfKernelsWords());
    if (!complete && lostTimes(*analysis.profile))
        program.unknown.push_back(
            Words("Some launches have no time, so a gap without a kernel may have had one."));
    else if (!complete)
        program.unknown.push_back(
            Words("Launches were left out of this recording, so a gap without a kernel may have "
                  "had one. Record all launches to know."));
    else if (!program.account.copiesKnown)
        program.unknown.emplace_back(
            analysis.profile->capture.origin == "imported"
                ? Words("The imported profile has no copies, waits or CPU calls.")
                : Words("This recording has no copies, waits or CPU calls, so what the GPU did "
                        "apart from kernels is not known. Record again with this version."));
    else if (!program.account.causesKnown)
        program.unknown.emplace_back(
            analysis.profile->timeline.calls.empty()
                ? Words("This recording has no CPU calls, so it is not known why the GPU was idle.")
                : Words("The CPU calls of this recording are incomplete or their times are wrong, "
                        "so it is not known why the GPU was idle."));
    // A profile without any counters says so elsewhere.
    constexpr double kMuch = 0.25;
    if (!program.actions.empty() && program.undecided && program.undecided->value >= kMuch &&
        program.undecided->value > program.actions.front().share.value &&
        !analysis.profile->counters.names().empty())
        program.unknown.push_back(wordsOf(
            "What limits kernels that take {:.0f} % of the time was not measured: there may "
            "be a larger fault in them than those below. `roofscope record --effort deep` "
            "without a time limit may show it.",
            100 * program.undecided->value));
}

/// For recordings without a timing run: start times are unknown, so shares are of the kernels'
/// time.
void judgeKernelsOnly(const Analysis& analysis, Program& program) {
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k) {
        const KernelAnalysis& kernel = analysis.kernels[k];
        if (kernel.quantities.duration.count == 0) continue;
        program.kernels[k].perWindow = static_cast<double>(kernel.group.launches.size());
        program.kernels[k].time = kernel.quantities.duration.total;
        program.window.seconds += kernel.quantities.duration.total;
    }
    program::setFunctions(analysis, program);
    program.actions = program::findActions(analysis, program);
    program.undecided = undecidedShare(analysis, program);
    program.unknown.push_back(
        Words("Start times of kernels are not known (no timing run), so shares are of the kernels' "
              "time."));
}

/// What is known about a lane before a window is chosen.
struct LaneToJudge {
    program::LaneActivity activity;
    std::vector<program::ThreadActivity> threads;
    bool launchesComplete = false;
};

/// Judges the lanes by these windows, one for each. `tracedLaunches`: AccountInput::tracedLaunches.
Program judge(const Analysis& analysis, std::span<const LaneToJudge> lanes,
              std::span<const program::FoundWindow> windows, const std::optional<WholeRun>& run,
              Stretches stretches, std::optional<double> tracedLaunches = {}) {
    Program program;
    program.run = run;
    countLaunches(analysis, program);
    const program::HostSamples samples(*analysis.profile);
    bool complete = true;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const auto& [activity, threads, all] = lanes[i];
        complete = complete && all;
        Lane lane{.device = activity.device, .processes = activity.processes};
        if (activity.processes.size() == 1)
            lane.rank = analysis.profile->processes[activity.processes[0]].rank;
        lane.window = windows[i].window;
        const bool kept = stretches == Stretches::Kept;
        lane.occurrences = windows[i].spans;
        program::TracingTime tracing;
        lane.account = program::accountOf(
            {.profile = *analysis.profile,
             .lane = activity,
             .threads = threads,
             .window = windows[i],
             .launchesComplete = all,
             .samples = samples.any() ? &samples : nullptr,
             .tracing = tracedLaunches
                            ? std::nullopt
                            : program::addedByTracing(*analysis.profile, activity, windows[i]),
             .tracedLaunches = tracedLaunches,
             .stretches = kept ? &lane.stretches : nullptr},
            tracing);
        lane.window.traced = tracing.subtracted;
        lane.window.measuredAlone = tracing.measured;
        lane.window.tracedShareOfLaunches = tracing.ofLaunchCalls;
        lane.window.seconds = lane.account.total();
        countPerWindow(analysis, activity, windows[i], lanes.size(), program);
        program.lanes.push_back(std::move(lane));
    }
    program.window = program.lanes.front().window;
    program.account = meanOf(program.lanes);
    program.window.seconds = program.account.total();
    program.busy = {program.account.share(TimeClass::Kernels).value +
                    program.account.share(TimeClass::Communication).value};
    program::setFunctions(analysis, program);
    program.floor = program::floorOf(analysis, program);
    program.fusedFloor = program::fusedFloorOf(analysis, program);
    std::vector<program::JudgedLane> judged;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        judged.push_back({program.lanes[i], lanes[i].activity, windows[i]});
    // Rounds of launches matter only if the GPU waits for launches.
    const bool waitsForLaunches =
        program.account.share(TimeClass::IdleLaunch).value >= program::kWorthDoing;
    program.actions = program::findActions(
        analysis, program,
        {.runs = program::elementwiseRuns(analysis, lanes.front().activity, windows.front()),
         .attention = program::unfusedAttention(analysis, lanes.front().activity, windows.front()),
         .uneven = program::unevenRanks(analysis, judged),
         .rounds = waitsForLaunches
                       ? program::launchRounds(analysis, lanes.front().activity, windows.front())
                       : std::nullopt,
         .innerRounds = waitsForLaunches
                            ? program::innerRounds(lanes.front().activity, windows.front())
                            : std::nullopt,
         .sameMatrix =
             program::sameMatrixProducts(analysis, lanes.front().activity, windows.front())});
    // A floor holds for all edits: where one may save more, it does not hold.
    if (program.floor && !program.actions.empty()) {
        constexpr double kRounding = 1e-6;
        Seconds most;
        for (const Action& action : program.actions) most = std::max(most, action.bound);
        if (*program.floor > program.window.seconds - most + program.window.seconds * kRounding) {
            program.floor.reset();
            program.fusedFloor.reset();
        }
    }
    program.lines = program::linesOf(analysis, program);
    program.unanswered = program::unansweredOf(analysis, program);
    if (program.actions.empty() && program.floor && program.floor->value > 0) {
        const double above = program.window.seconds / *program.floor - 1;
        if (above <= program::kNearFloor) program.stop = Ratio{std::max(0.0, above)};
    }
    program.undecided = undecidedShare(analysis, program);
    sayWhatIsUnknown(analysis, complete, program);
    return program;
}

/// Whether the phases have different answers: without names, parts that are alike are no phases but
/// the layers of one step.
bool answersDiffer(const std::vector<WindowPhase>& phases) {
    constexpr double kDiffers = 0.25;  // of a phase's time
    for (const TimeClass cls : kTimeClasses) {
        const auto [least, most] = std::ranges::minmax(phases, {}, [&](const WindowPhase& phase) {
            return phase.program->account.share(cls).value;
        });
        if (most.program->account.share(cls).value - least.program->account.share(cls).value >=
            kDiffers)
            return true;
    }
    return false;
}

std::vector<WindowPhase> phasesOf(const Analysis& analysis, const LaneToJudge& lane,
                                  const program::FoundWindow& window, const Window& judged) {
    // A phase has a pace of its own, so only the window's share of tracing in launch calls can be
    // used.
    const auto traced =
        judged.measuredAlone ? std::optional(judged.tracedShareOfLaunches) : std::nullopt;
    std::vector<WindowPhase> phases;
    for (program::FoundPhase& found :
         program::findPhases(*analysis.profile, lane.activity, window)) {
        WindowPhase phase{.name = found.window.window.name,
                          .repeats = found.repeats,
                          .launches = found.launches,
                          .perWindow = found.perWindow};
        phase.program = std::make_shared<const Program>(
            judge(analysis, {&lane, 1}, {&found.window, 1}, {}, Stretches::LeftOut, traced));
        phase.share = {phase.program->window.seconds * phase.perWindow / judged.seconds};
        phases.push_back(std::move(phase));
    }
    const bool named = std::ranges::none_of(phases, &std::string::empty, &WindowPhase::name);
    if (!named && !answersDiffer(phases)) phases.clear();
    return phases;
}

/// The lanes with kernels; they come first among all.
std::vector<LaneToJudge> lanesOf(const Profile& profile) {
    std::vector<LaneToJudge> lanes;
    for (program::LaneActivity& activity : program::laneActivities(profile)) {
        if (std::ranges::all_of(activity.activities, [](const program::Activity& a) {
                return a.kind == program::Activity::Kind::Transfer;
            }))
            continue;
        auto threads = program::threadActivities(profile, activity.processes);
        lanes.push_back({.activity = std::move(activity), .threads = std::move(threads)});
    }
    return lanes;
}

}  // namespace

Program analyzeProgram(const Analysis& analysis, std::optional<WindowChoice> window,
                       Stretches stretches) {
    Program program;
    if (!analysis.profile) return program;
    const Profile& profile = *analysis.profile;
    std::vector<LaneToJudge> lanes = lanesOf(profile);
    if (lanes.empty()) {
        countLaunches(analysis, program);
        judgeKernelsOnly(analysis, program);
        return program;
    }
    std::vector<program::FoundWindow> loops;
    const std::vector<Nanoseconds> compiled = program::compiledUntilTheEnd(profile);
    for (LaneToJudge& lane : lanes) {
        const auto& loop =
            loops.emplace_back(program::findWindow(profile, lane.activity, compiled));
        lane.launchesComplete =
            lane.activity.timed && (loop.window.kind == WindowKind::Chosen
                                        ? chosenByTime(profile.capture.filters)
                                        : profile.capture.filters.empty() && lane.activity.all);
    }
    std::vector<const program::LaneActivity*> all;
    for (const LaneToJudge& lane : lanes) all.push_back(&lane.activity);
    const std::size_t together = program::makeWindowsAlike(profile, all, loops);
    const bool leftOut = together < lanes.size();
    lanes.resize(together);
    loops.resize(together);
    std::optional<WholeRun> run;
    if (lanes.size() == 1 && !leftOut) {
        const auto& [activity, threads, complete] = lanes.front();
        run = program::wholeRunOf(profile, activity, threads, loops.front(), complete);
        if (run) program::nameEnds(profile, activity, threads, *run);
    }
    const WindowChoice choice = window.value_or(analysis.window);
    const bool byRun =
        choice == WindowChoice::Run || (choice == WindowChoice::Auto && run &&
                                        program::isMostlyOutside(profile, *run, loops.front()));
    if (byRun) {
        std::vector<program::FoundWindow> runs;
        for (LaneToJudge& lane : lanes) {
            lane.launchesComplete =
                lane.activity.timed && lane.activity.all && profile.capture.filters.empty();
            runs.push_back(choice == WindowChoice::Auto && program::isImportedRun(profile)
                               ? program::windowOfWork(lane.activity)
                               : program::windowOfRun(profile, lane.activity));
        }
        program = judge(analysis, lanes, runs, run, stretches);
        if (run) program.window.unrecorded = run->leftOut;
        if (loops.front().window.kind != WindowKind::Whole) {
            Program loop = judge(analysis, lanes, loops, run, Stretches::LeftOut);
            // Even an action that saves all of such a short loop is not worth doing.
            if (run && run->loop < run->seconds * program::kWorthDoing) loop.actions.clear();
            program.loop = std::make_shared<const Program>(std::move(loop));
        }
    } else {
        program = judge(analysis, lanes, loops, run, stretches);
        if (lanes.size() == 1)
            program.phases = phasesOf(analysis, lanes.front(), loops.front(), program.window);
    }
    if (leftOut)
        program.unknown.push_back(
            Words("The GPUs repeat different things, or their clocks differ. Only the busiest "
                  "one is judged, and ranks are not compared."));
    return program;
}

}  // namespace roofscope
