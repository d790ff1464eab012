// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/whole_run.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/program/account/account.h"

namespace roofscope::program {
namespace {

/// Starting a process, loading its libraries and ending it take up to this long in all.
constexpr Seconds kProcessItself{0.2};
/// Creating a context takes up to this long. In longer times the program may have done something
/// else as well.
constexpr Seconds kContext{0.5};
/// What the CPU does is named where it takes this share of the run.
constexpr double kWorthNaming = 0.1;
/// If the loop is more than this share of what was recorded, the rest gets no account.
constexpr double kNearlyAll = 0.9;

Seconds secondsOf(Nanoseconds ns) { return {static_cast<double>(ns) / 1e9}; }

Nanoseconds lengthOf(const std::vector<TimeSpan>& spans) {
    Nanoseconds sum = 0;
    for (const TimeSpan& span : spans) sum += span.length();
    return sum;
}

/// From the first to the last work on the GPU.
TimeSpan workOf(const LaneActivity& lane) {
    TimeSpan work = lane.activities.front().time;
    for (const Activity& a : lane.activities) work.end = std::max(work.end, a.time.end);
    return work;
}

/// The run of the lane's process. Null if it is not known, or is impossible because GPU work lies
/// outside of it.
const ProcessRun* runOf(const Profile& profile, const LaneActivity& lane) {
    if (lane.processes.size() != 1) return nullptr;
    const auto& run = profile.processes[lane.processes.front()].run;
    if (!run) return nullptr;
    const TimeSpan work = workOf(lane);
    const bool within =
        work.start >= run->countedUntil.value_or(run->setup.end) && work.end <= run->time.end;
    return within ? &*run : nullptr;
}

/// Everything that was recorded of the lane: work on the GPU, and calls.
TimeSpan recordedOf(const Profile& profile, const LaneActivity& lane) {
    TimeSpan all = workOf(lane);
    for (const Call& call : profile.timeline.calls) {
        const std::uint32_t process = profile.timeline.threads[call.thread].process;
        if (!std::ranges::binary_search(lane.processes, process)) continue;
        all = {std::min(all.start, call.time.start), std::max(all.end, call.time.end)};
    }
    return all;
}

/// What lies in `all` outside of `spans`, which are ascending and disjoint.
std::vector<TimeSpan> outsideOf(const std::vector<TimeSpan>& spans, const TimeSpan& all) {
    std::vector<TimeSpan> outside;
    Nanoseconds at = all.start;
    for (const TimeSpan& span : spans) {
        if (span.start > at) outside.push_back({at, std::min(span.start, all.end)});
        at = std::max(at, span.end);
    }
    if (at < all.end) outside.push_back({at, all.end});
    return outside;
}

/// The time of calls in `span`, of the thread that first gives the GPU work.
Nanoseconds callsIn(const Profile& profile, const std::vector<ThreadActivity>& threads,
                    const TimeSpan& span) {
    const auto firstOf = [&](const ThreadActivity& thread) {
        return thread.issues.empty() ? std::numeric_limits<Nanoseconds>::max()
                                     : profile.timeline.calls[thread.issues.front()].time.start;
    };
    const auto thread = std::ranges::min_element(threads, {}, firstOf);
    if (thread == threads.end()) return 0;
    Nanoseconds sum = 0;
    for (const CpuStretch& stretch : thread->stretches) {
        if (stretch.time.start >= span.end) break;
        sum += std::max<Nanoseconds>(
            0, std::min(stretch.time.end, span.end) - std::max(stretch.time.start, span.start));
    }
    return sum;
}

/// When the GPU first had work from the process. While counters are read the GPU's times are
/// unknown, so the time of the first launch is used instead.
Nanoseconds firstWork(const ProcessRun& run, const TimeSpan& work) {
    return run.countedUntil ? std::min(run.firstLaunch.value_or(run.setup.end), *run.countedUntil)
                            : std::min(work.start, run.time.end);
}

/// From the start of the process until `first`, without the recorder's set-up.
Nanoseconds timeBefore(const ProcessRun& run, Nanoseconds first) {
    const Nanoseconds setup = first >= run.setup.end ? run.setup.length() : 0;
    return std::max<Nanoseconds>(0, first - run.time.start - setup);
}

/// Adds what came before timing began.
void estimateLeftOut(const Process& process, const TimeSpan& work, WholeRun& whole) {
    if (!process.pace || process.pace->traced.empty()) return;
    const std::vector<PaceMark>& traced = process.pace->traced;
    if (traced.back().calls <= traced.front().calls) return;
    const auto timed = static_cast<double>(traced.back().calls - traced.front().calls);
    whole.launchesLeftOut = traced.front().calls;
    whole.launches = traced.back().calls;
    whole.leftOut = secondsOf(work.length()) * (static_cast<double>(whole.launchesLeftOut) / timed);
}

}  // namespace

std::optional<WholeRun> wholeRunOf(const Profile& profile, const LaneActivity& lane,
                                   const std::vector<ThreadActivity>& threads,
                                   const FoundWindow& loop, bool launchesComplete) {
    // Unless all launches are known, it is not known when the GPU worked.
    if (lane.activities.empty() || lane.processes.size() != 1 || !lane.timed || !lane.all ||
        !profile.capture.filters.empty())
        return std::nullopt;
    const TimeSpan work = workOf(lane);
    WholeRun whole;
    whole.seconds = secondsOf(recordedOf(profile, lane).length());
    whole.aroundGpu = whole.seconds - secondsOf(work.length());
    if (const ProcessRun* run = runOf(profile, lane)) {
        const Nanoseconds first = firstWork(*run, work);
        const Nanoseconds before = timeBefore(*run, first);
        whole.countedFirst = run->countedUntil.has_value();
        whole.seconds = secondsOf(before + run->time.end - knownFrom(*run, lane).value_or(first));
        whole.beforeGpu = secondsOf(before);
        const Nanoseconds context = std::clamp<Nanoseconds>(
            run->firstContext.value_or(run->setup.end) - run->setup.end, 0, before);
        whole.context = std::min(secondsOf(context), kContext);
        const Nanoseconds calls =
            whole.countedFirst ? 0 : callsIn(profile, threads, {run->time.start, first});
        whole.hostBefore =
            Seconds{std::max(0.0, (secondsOf(before - calls) - whole.context).value)};
        const TimeSpan after{work.end, run->time.end};
        whole.afterGpu = secondsOf(after.length());
        whole.hostAfter = secondsOf(after.length() - callsIn(profile, threads, after));
    }
    if (whole.countedFirst) estimateLeftOut(profile.processes[lane.processes.front()], work, whole);
    whole.loop = secondsOf(std::min(lengthOf(loop.spans), work.length()));
    FoundWindow rest{.spans = outsideOf(loop.spans, work)};
    if (rest.spans.empty() || whole.loop >= secondsOf(work.length()) * kNearlyAll) return whole;
    const HostSamples samples(profile);
    TracingTime traced;
    const Account account = accountOf({.profile = profile,
                                       .lane = lane,
                                       .threads = threads,
                                       .window = rest,
                                       .launchesComplete = launchesComplete,
                                       .samples = samples.any() ? &samples : nullptr},
                                      traced);
    whole.outside.emplace();
    for (const TimeClass cls : kTimeClasses)
        (*whole.outside)[cls] = account.time[cls] * static_cast<double>(rest.spans.size());
    const Seconds host = (*whole.outside)[TimeClass::IdleHost];
    if (host >= whole.seconds * kWorthNaming && host >= kProcessItself)
        whole.functionsOutside = hostFunctions(profile, account.samples[TimeClass::IdleHost], host);
    return whole;
}

void nameEnds(const Profile& profile, const LaneActivity& lane,
              const std::vector<ThreadActivity>& threads, WholeRun& whole) {
    const ProcessRun* run = runOf(profile, lane);
    const auto worthNaming = [&](Seconds host) {
        return host >= whole.seconds * kWorthNaming && host >= kProcessItself;
    };
    if (!run || threads.empty() || runsPython(profile) ||
        (!worthNaming(whole.hostBefore) && !worthNaming(whole.hostAfter)))
        return;
    const HostSamples samples(profile);
    const TimeSpan work = workOf(lane);
    // Shares of all of the time before or after the work on the GPU.
    const auto functions = [&](const TimeSpan& time, Seconds host, Seconds all) {
        if (!samples.any() || !worthNaming(host)) return std::vector<HostFunction>();
        SampleTally tally;
        samples.addTo(tally, busiestOf(threads).thread, time);
        auto found =
            hostFunctions(profile, withoutModule(profile, std::move(tally), "libcuda.so"), host);
        for (HostFunction& function : found)
            function.share.value *= std::min(1.0, host / std::max(all, host));
        return found;
    };
    const Nanoseconds first = firstWork(*run, work);
    // While counters are read, the CPU only waits for them: leave this time out.
    const Nanoseconds until = run->countedUntil ? std::min(first, run->setup.start) : first;
    whole.functionsBefore = functions({run->time.start, until}, whole.hostBefore,
                                      whole.beforeGpu.value_or(whole.hostBefore));
    whole.functionsAfter = functions({work.end, run->time.end}, whole.hostAfter,
                                     whole.afterGpu.value_or(whole.hostAfter));
}

bool isImportedRun(const Profile& profile) {
    if (profile.capture.origin != "imported") return false;
    const Frameworks frameworks = frameworksOf(profile);
    return !frameworks.python && !frameworks.torch && !frameworks.xla && !frameworks.cupy;
}

namespace {

/// The time of calls that load code before the work on the GPU begins.
Seconds loadingBefore(const Profile& profile, const FoundWindow& work) {
    Nanoseconds loading = 0;
    for (const Call& call : profile.timeline.calls)
        if (profile.timeline.callNames[call.name].kind == CallKind::Load && !work.spans.empty() &&
            call.time.end <= work.spans.front().start)
            loading += call.time.length();
    return {static_cast<double>(loading) / 1e9};
}

}  // namespace

bool isMostlyOutside(const Profile& profile, const WholeRun& run, const FoundWindow& loop) {
    // The user's own choice stays, and a framework's start is no part of what it is used for.
    const bool imported = profile.capture.origin == "imported";
    if (loop.window.kind == WindowKind::Chosen || runsPython(profile) ||
        (imported && !isImportedRun(profile)))
        return false;
    const Seconds loading = run.outside ? (*run.outside)[TimeClass::IdleLoad] : Seconds{};
    const Seconds startUp = run.context + loading;
    // Repeats that were left out belong to the loop.
    const auto counted = static_cast<double>(std::max<std::size_t>(1, loop.window.counted));
    const Seconds timed = run.loop * std::max(1.0, double(loop.window.occurrences) / counted) +
                          loop.window.others.total;
    // When a process of another tool's recording began is not known, and its calls before the first
    // work take longer for being recorded. So only the time of the GPU's work counts.
    if (imported) {
        const Seconds work = run.seconds - run.aroundGpu - loading;
        return timed < work * 0.5;
    }
    const Seconds rest = run.seconds - timed - startUp;
    // A program without a loop: what comes before and after its GPU work is no less of it.
    constexpr double kMuch = 0.25;
    if (loop.window.kind == WindowKind::Whole)
        return rest - loadingBefore(profile, loop) > (run.seconds + run.leftOut) * kMuch &&
               rest > kProcessItself;
    // The part of the run that was left out counts as more of the loop.
    const Seconds all = timed + run.leftOut;
    return all < (run.seconds + run.leftOut) * 0.5 && rest > all && rest > kProcessItself;
}

FoundWindow windowOfWork(const LaneActivity& lane) {
    FoundWindow found{.spans = {workOf(lane)}};
    found.window.kind = WindowKind::Whole;
    found.window.occurrences = found.window.counted = 1;
    return found;
}

FoundWindow windowOfRun(const Profile& profile, const LaneActivity& lane) {
    TimeSpan all = recordedOf(profile, lane);
    if (const ProcessRun* run = runOf(profile, lane)) {
        const Nanoseconds first = firstWork(*run, workOf(lane));
        all = {knownFrom(*run, lane).value_or(first) - timeBefore(*run, first), run->time.end};
    }
    FoundWindow found{.spans = {all}};
    found.window.kind = WindowKind::Run;
    found.window.occurrences = found.window.counted = 1;
    return found;
}

}  // namespace roofscope::program
