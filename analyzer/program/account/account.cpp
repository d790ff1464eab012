// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/account.h"

#include <algorithm>
#include <utility>

#include "analyzer/program/account/gpu_work.h"
#include "analyzer/program/account/host_work.h"
#include "analyzer/program/account/idle_causes.h"
#include "analyzer/program/account/idle_times.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/account/time_by_class.h"
#include "analyzer/program/account/tracing_time.h"

namespace roofscope::program {
namespace {

/// The run of the process, if the window is that of the whole run and began with counting.
const ProcessRun* runThatCountedFirst(const AccountInput& in) {
    if (in.window.window.kind != WindowKind::Run || in.lane.processes.size() != 1) return nullptr;
    const auto& run = in.profile.processes[in.lane.processes.front()].run;
    const bool within = run && run->countedUntil && !in.lane.activities.empty() &&
                        in.lane.activities.front().time.start >= *run->countedUntil;
    return within ? &*run : nullptr;
}

/// Cuts gaps into what can be explained by calls and what cannot, and has the former explained.
class GapExplainer {
public:
    /// `causes`: null if the causes of idle time are not known.
    GapExplainer(const AccountInput& input, IdleTimes& idle, IdleCauses* causes)
        : m_in(input),
          m_idle(idle),
          m_causes(causes),
          m_counted(runThatCountedFirst(input)),
          m_known(m_counted ? knownFrom(*m_counted, input.lane) : std::nullopt) {}

    void explain(TimeSpan gap) {
        if (m_known && gap.start < *m_known) {
            const Nanoseconds end = std::min(gap.end, *m_known);
            explainUnrecorded({gap.start, end});
            gap.start = end;
        }
        const auto& untimed = m_in.lane.untimed;
        for (auto work = std::ranges::upper_bound(untimed, gap.start, {}, &TimeSpan::end);
             work != untimed.end() && work->start < gap.end; ++work) {
            explainTimed({gap.start, std::max(gap.start, work->start)});
            m_idle.spendUntimed({std::max(gap.start, work->start), std::min(gap.end, work->end)});
            gap.start = std::min(gap.end, work->end);
        }
        explainTimed(gap);
    }

private:
    /// Explains the beginning of a window that began with counting. It stands for the time from the
    /// start of the process to its first launch (windowOfRun): until CUDA was initialised only the
    /// CPU worked.
    void explainUnrecorded(const TimeSpan& gap) {
        const TimeSpan before{m_counted->time.start,
                              std::max(m_counted->time.start, m_counted->setup.start)};
        const Nanoseconds hosts = gap.start + std::min(before.length(), gap.length());
        m_idle.spendUnrecorded({gap.start, hosts}, before);
        m_idle.spend(TimeClass::IdleUnknown, {hosts, gap.end});
    }

    void explainTimed(const TimeSpan& part) {
        if (part.length() <= 0) return;
        if (m_causes) return m_causes->explain(part);
        m_idle.spend(TimeClass::IdleUnknown, part);
    }

    const AccountInput& m_in;
    IdleTimes& m_idle;
    IdleCauses* m_causes;
    const ProcessRun* m_counted;
    std::optional<Nanoseconds> m_known;
};

/// How long the thread that issues most work is outside of the calls that `which` accepts, in
/// nanoseconds over all occurrences. There is at least one thread.
template <class Which>
Nanoseconds cpuOutside(const AccountInput& in, Which which) {
    const ThreadActivity& main = busiestOf(in.threads);
    Nanoseconds all = 0, inCalls = 0;
    auto stretch = main.stretches.begin();
    for (const TimeSpan& span : in.window.spans) {
        all += span.length();
        while (stretch != main.stretches.end() && stretch->time.end <= span.start) ++stretch;
        for (auto s = stretch; s != main.stretches.end() && s->time.start < span.end; ++s)
            if (which(s->call))
                inCalls += std::min(s->time.end, span.end) - std::max(s->time.start, span.start);
    }
    return all - inCalls;
}

}  // namespace

bool launchesFromKernels(const Profile& profile) {
    return std::ranges::find(profile.issues, "kernels-launch-kernels", &Issue::code) !=
           profile.issues.end();
}

void moveUnknown(Account& account) {
    for (const TimeClass cls : kTimeClasses) {
        if (account.knows(cls)) continue;
        account.time[TimeClass::IdleUnknown] += std::exchange(account.time[cls], Seconds{});
    }
    if (account.copiesKnown) return;
    account.copies.clear();
    account.toGpu.clear();
    account.hiddenCopies = {};
}

Account accountOf(const AccountInput& input, TracingTime& tracing) {
    const TimelineParts& recorded = input.lane.recorded;
    Account account;
    account.copiesKnown = recorded.copies && input.launchesComplete;
    account.causesKnown = account.copiesKnown && recorded.launches && recorded.waits;
    account.allocationsKnown = recorded.allocations;
    account.loadsKnown = recorded.loads;
    // Even if another tool's trace has code loading, it lacks CUDA's set-up.
    account.callsMayLoad = !recorded.loads || input.profile.capture.origin == "imported";
    const bool callsKnown = account.causesKnown && !input.threads.empty();

    TimeByClass times(input.window.spans, input.stretches);
    GpuWork gpu = gpuWorkOf(input, account.copiesKnown, times);

    const IssuingCalls issuing = account.causesKnown
                                     ? IssuingCalls(input.profile, input.lane, input.threads)
                                     : IssuingCalls();
    IdleTimes idle(input, times);
    HostWorkSums host(input);
    TracingShares traced(input);
    IdleCauses causes(input, issuing, account.callsMayLoad,
                      {.idle = idle, .copies = gpu.copies, .host = host, .tracing = traced});
    GapExplainer explainer(input, idle, callsKnown ? &causes : nullptr);
    for (const TimeSpan& gap : gpu.gaps) explainer.explain(gap);

    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(input.window.spans.size(), 1));
    const auto perWindow = [&](double ns) { return Seconds{ns / 1e9 / occurrences}; };
    tracing = traced.decide(times);
    tracing.subtracted = tracing.subtracted / occurrences;
    for (const TimeClass cls : kTimeClasses)
        account.time[cls] = perWindow(static_cast<double>(times[cls]) - traced[cls]);
    account.hiddenCopies = perWindow(static_cast<double>(gpu.hiddenCopies));
    account.hiddenCommunication = perWindow(static_cast<double>(gpu.hiddenCommunication));
    idle.setIn(account, occurrences);
    host.setIn(account, occurrences);
    moveUnknown(account);
    times.sortStretches(account);
    account.copies = gpu.copies.perWindow(occurrences);
    if (account.copiesKnown) account.toGpu = copiesToGpu(input, issuing, occurrences);
    if (!callsKnown) return account;
    const Timeline& timeline = input.profile.timeline;
    const Nanoseconds own = cpuOutside(input, [](std::uint32_t) { return true; });
    account.cpuOutsideCalls = perWindow(static_cast<double>(own));
    const Nanoseconds busy =
        cpuOutside(input, [&](std::uint32_t call) { return waited(timeline, call); });
    account.cpuBusy = Seconds{
        std::max(0.0, perWindow(static_cast<double>(busy)).value - tracing.subtracted.value)};
    return account;
}

}  // namespace roofscope::program
