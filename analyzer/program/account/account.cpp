// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/account.h"
#include "analyzer/program/account/allocation_lock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "analyzer/launches/launch_gaps.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/account/unseen_kernels.h"

namespace roofscope::program {
namespace {

/// Work that the CPU has issued begins soon on an idle GPU: in 33 of 34 recordings of programs,
/// what lies beyond 50 µs is at most 0.01 % of the time. Work that begins later waits for something
/// that no call shows: another program on the GPU, a callback on the host, an event of another GPU,
/// pages of managed memory (585 µs in the 34th).
constexpr Nanoseconds kBeginsWithin = 50'000;
/// A launch, or a call that allocates or frees, takes longer only where it loads code or sets up
/// CUDA.
constexpr Nanoseconds kLongestCall = 1'000'000;
constexpr auto kLongBreak = static_cast<Nanoseconds>(kLongestGap.value * 1e9);

/// What can be open on a GPU at a time: each TransferKind (Other is the last), pageable or not,
/// then kernels, communication, and the window itself.
constexpr std::size_t kCopySlots = 2 * (static_cast<std::size_t>(TransferKind::Other) + 1);
constexpr std::size_t kKernel = kCopySlots, kCommunication = kCopySlots + 1,
                      kWindow = kCopySlots + 2;
using OpenSlots = std::array<std::size_t, kCopySlots + 3>;
std::size_t slotOf(const Transfer& t) {
    return static_cast<std::size_t>(t.kind) * 2 + (isPageable(t) ? 1 : 0);
}

/// Rounding leaves less than this share of a tracing time over.
constexpr double kLeastLeft = 1e-3;

class Accountant {
public:
    explicit Accountant(const AccountInput& input)
        : m_in(input), m_timeline(input.profile.timeline), m_ranges(input.profile) {
        m_copiesKnown = input.lane.recorded.copies && input.launchesComplete;
        m_causesKnown = m_copiesKnown && input.lane.recorded.launches && input.lane.recorded.waits;
        if (launchesFromKernels(input.profile))
            m_unseenKernels.emplace(input.profile, input.lane, input.threads);
        // Even if another tool's trace has code loading, it lacks CUDA's set-up.
        m_callsMayLoad = !input.lane.recorded.loads || input.profile.capture.origin == "imported";
    }

    Account run(TracingTime& tracing) {
        sweep();
        for (const Activity& a : m_in.lane.activities)
            m_lastWork = std::max(m_lastWork, a.time.end);
        if (m_causesKnown) m_issuing = IssuingCalls(m_in.profile, m_in.lane, m_in.threads);
        m_allocations = AllocationLock(m_in.threads);
        for (std::size_t i = 0; i < m_in.threads.size(); ++i)
            m_byThread[m_in.threads[i].thread] = i;
        const ProcessRun* const counted = runThatCountedFirst();
        const auto known = counted ? knownFrom(*counted, m_in.lane) : std::nullopt;
        for (TimeSpan gap : m_gaps) {
            if (known && gap.start < *known) {
                const Nanoseconds end = std::min(gap.end, *known);
                explainUnrecorded(*counted, {gap.start, end});
                gap.start = end;
            }
            explainTimed(gap);
        }
        const auto occurrences =
            static_cast<double>(std::max<std::size_t>(m_in.window.spans.size(), 1));
        const auto perWindow = [&](double ns) { return Seconds{ns / 1e9 / occurrences}; };
        Account account;
        tracing = takeTracingOff();
        tracing.subtracted = tracing.subtracted / occurrences;
        for (const TimeClass cls : kTimeClasses) {
            account.time[cls] = perWindow(static_cast<double>(m_time[cls]) - (m_traced[cls]));
            account.oneCall[cls] = perWindow(double(m_oneCall[cls].most));
        }
        account.hiddenCopies = perWindow(double(m_hiddenCopies));
        account.hiddenCommunication = perWindow(double(m_hiddenCommunication));
        account.untimed = perWindow(double(m_untimed));
        account.hostAfterSync = perWindow(double(m_hostAfterSync));
        account.hostAfterCopy = perWindow(double(m_hostAfterCopy));
        account.copiedForHost = {m_copiedForHost / occurrences};
        account.copiesKnown = m_copiesKnown;
        account.causesKnown = m_causesKnown;
        account.allocationsKnown = m_in.lane.recorded.allocations;
        account.loadsKnown = m_in.lane.recorded.loads;
        account.callsMayLoad = m_callsMayLoad;
        moveUnknown(account);
        putInOrder(account);
        for (std::size_t slot = 0; slot < kCopySlots; ++slot) {
            const CopySum& sum = m_copies[slot];
            if (sum.count == 0) continue;
            account.copies.push_back({.kind = static_cast<TransferKind>(slot / 2),
                                      .pageable = slot % 2 == 1,
                                      .count = sum.count,
                                      .bytes = {sum.bytes / occurrences},
                                      .time = perWindow(double(sum.time)),
                                      .exposed = perWindow(double(sum.exposed))});
        }
        std::ranges::stable_sort(account.copies, std::greater{}, &CopyTime::exposed);
        for (const auto& [bytes, sum] : copiesToGpu())
            account.toGpu.push_back({.bytes = bytes,
                                     .all = {sum.bytes / occurrences},
                                     .time = perWindow(double(sum.time))});
        for (const auto& [name, sum] : m_calls)
            account.calls.push_back({.name = m_timeline.callNames[name].name,
                                     .kind = m_timeline.callNames[name].kind,
                                     .count = sum.count,
                                     .idle = perWindow(double(sum.idle))});
        std::ranges::stable_sort(account.calls, std::greater{}, &CallTime::idle);
        for (const auto& [key, sum] : m_hostWork) {
            HostWork& work = account.hostWork.emplace_back(key.work);
            work.idle = perWindow(double(sum.idle));
            work.bytes = {sum.bytes / occurrences};
            work.count = sum.count;
        }
        std::ranges::stable_sort(account.hostWork, std::greater{}, &HostWork::idle);
        account.samples = std::move(m_samples);
        account.samplesBefore = std::move(m_samplesBefore);
        account.samplesAfter = std::move(m_samplesAfter);
        if (const auto own = cpuOutside([](std::uint32_t) { return true; }))
            account.cpuOutsideCalls = perWindow(static_cast<double>(*own));
        if (const auto busy =
                cpuOutside([this](std::uint32_t call) { return waited(m_timeline, call); }))
            account.cpuBusy =
                Seconds{std::max(0.0, perWindow(double(*busy)).value - tracing.subtracted.value)};
        return account;
    }

private:
    struct CopySum {
        std::size_t count = 0;
        double bytes = 0;
        Nanoseconds time = 0, exposed = 0;
    };
    /// What distinguishes host work.
    struct HostKey {
        HostWork work;
        [[nodiscard]] auto parts() const {
            return std::tie(work.kernel, work.copy, work.call, work.range);
        }
        bool operator<(const HostKey& other) const { return parts() < other.parts(); }
    };
    struct HostSum {
        Nanoseconds idle = 0;
        double bytes = 0;
        std::size_t count = 0;
        std::uint32_t last = kNoCall;
    };
    struct CallSum {
        std::size_t count = 0;
        Nanoseconds idle = 0;
        std::uint32_t last = kNoCall;
    };

    /// The idle time of a class in the latest call, and in the one that has most.
    struct OneCall {
        std::uint32_t call = kNoCall;
        Nanoseconds idle = 0, most = 0;
    };

    /// Everything that needs no data about the CPU: kernels, copies, and the gaps between them.
    void sweep() {
        using End = std::pair<Nanoseconds, std::size_t>;  // when, and which slot
        std::priority_queue<End, std::vector<End>, std::greater<>> ends;
        OpenSlots open{};
        Nanoseconds from = 0;
        const auto advance = [&](Nanoseconds to) {
            if (to > from && open[kWindow] > 0) spendOnGpu({from, to}, open);
            from = to;
        };
        const auto endUntil = [&](Nanoseconds time) {
            for (; !ends.empty() && ends.top().first <= time; ends.pop()) {
                advance(ends.top().first);
                --open[ends.top().second];
            }
        };
        const auto begin = [&](const TimeSpan& span, std::size_t slot) {
            if (span.length() == 0) return;
            endUntil(span.start);
            advance(span.start);
            ++open[slot];
            ends.emplace(span.end, slot);
        };
        auto window = m_in.window.spans.begin();
        for (const Activity& a : m_in.lane.activities) {
            for (; window != m_in.window.spans.end() && window->start <= a.time.start; ++window)
                begin(*window, kWindow);
            if (a.kind != Activity::Kind::Transfer) {
                begin(a.time, a.kind == Activity::Kind::Kernel ? kKernel : kCommunication);
                continue;
            }
            if (!m_copiesKnown) continue;
            const Transfer& t = m_timeline.transfers[a.row];
            begin(a.time, slotOf(t));
            if (!inWindow(a.time.start)) continue;
            CopySum& sum = m_copies[slotOf(t)];
            ++sum.count;
            sum.bytes += static_cast<double>(t.bytes);
        }
        for (; window != m_in.window.spans.end(); ++window) begin(*window, kWindow);
        endUntil(std::numeric_limits<Nanoseconds>::max());
    }

    /// Gives a stretch of the window to what is open during it.
    void spendOnGpu(const TimeSpan& time, const OpenSlots& open) {
        const Nanoseconds length = time.length();
        const bool kernel = open[kKernel] > 0, communication = open[kCommunication] > 0;
        std::optional<std::size_t> copy;
        for (std::size_t slot = 0; slot < kCopySlots; ++slot) {
            if (open[slot] == 0) continue;
            if (!copy) copy = slot;
            m_copies[slot].time += length;
        }
        if (kernel)
            count(TimeClass::Kernels, time);
        else if (communication)
            count(TimeClass::Communication, time);
        else if (copy)
            count(TimeClass::Copies, time);
        else if (!m_gaps.empty() && m_gaps.back().end == time.start && !boundary(time.start))
            m_gaps.back().end = time.end;
        else
            m_gaps.push_back(time);
        if (copy && (kernel || communication)) m_hiddenCopies += length;
        if (copy && !kernel && !communication) m_copies[*copy].exposed += length;
        if (kernel && communication) m_hiddenCommunication += length;
    }

    /// Copies from host memory, by size.
    [[nodiscard]] std::map<std::uint64_t, CopySum> copiesToGpu() const {
        std::map<std::uint64_t, CopySum> bySize;
        if (!m_copiesKnown) return bySize;
        for (const Activity& a : m_in.lane.activities) {
            if (a.kind != Activity::Kind::Transfer || !inWindow(a.time.start)) continue;
            const Transfer& t = m_timeline.transfers[a.row];
            if (t.kind != TransferKind::HostToDevice || t.bytes < kLeastHostCopy) continue;
            CopySum& sum = bySize[t.bytes];
            sum.bytes += static_cast<double>(t.bytes);
            Nanoseconds start = a.time.start;
            if (const std::uint32_t call = m_issuing.ofTransfer(a.row);
                isPageable(t) && call != kNoCall)
                start = std::min(start, m_timeline.calls[call].time.start);
            sum.time += a.time.end - start;
        }
        return bySize;
    }

    /// Whether an occurrence begins here. Gaps do not extend across.
    [[nodiscard]] bool boundary(Nanoseconds at) const {
        const auto& spans = m_in.window.spans;
        return std::ranges::binary_search(spans, at, {}, &TimeSpan::start);
    }
    [[nodiscard]] bool inWindow(Nanoseconds at) const {
        const auto& spans = m_in.window.spans;
        const auto after = std::ranges::upper_bound(spans, at, {}, &TimeSpan::start);
        return after != spans.begin() && at < std::prev(after)->end;
    }

    void count(TimeClass cls, const TimeSpan& time) {
        m_time[cls] += time.length();
        if (m_in.stretches && time.length() > 0) m_in.stretches->push_back({time, cls});
    }

    /// Sorts what count() has noted, with the classes of the finished account.
    void putInOrder(const Account& account) {
        if (!m_in.stretches) return;
        std::ranges::sort(*m_in.stretches, {}, [](const ClassStretch& s) { return s.time.start; });
        // In place: there may be millions.
        auto joined = m_in.stretches->begin();
        for (ClassStretch s : *m_in.stretches) {
            if (!account.knows(s.cls)) s.cls = TimeClass::IdleUnknown;
            const bool first = joined == m_in.stretches->begin();
            const bool same = !first && std::prev(joined)->cls == s.cls &&
                              std::prev(joined)->time.end == s.time.start &&
                              !boundary(s.time.start);
            if (same)
                std::prev(joined)->time.end = s.time.end;
            else
                *joined++ = s;
        }
        m_in.stretches->erase(joined, m_in.stretches->end());
    }

    /// Counts idle time, and what the CPU did in it.
    void spend(TimeClass cls, const TimeSpan& time, std::uint32_t call = kNoCall) {
        count(cls, time);
        if (m_explained) m_in.samples->addTo(tallyOf(cls, time.start), *m_explained, time);
        if (call == kNoCall) return;
        CallSum& sum = m_calls[m_timeline.calls[call].name];
        sum.idle += time.length();
        sum.count += sum.last != call;
        sum.last = call;
    }

    /// The tally for samples of idle time that begins at `from`.
    SampleTally& tallyOf(TimeClass cls, Nanoseconds from) {
        if (cls != TimeClass::IdleHost) return m_samples[cls];
        if (from < m_in.lane.activities.front().time.start) return m_samplesBefore;
        return from >= m_lastWork ? m_samplesAfter : m_samples[cls];
    }

    /// Whether the GPU has work after the gap.
    [[nodiscard]] bool isFollowed(const TimeSpan& gap) const {
        return gap.end <= m_in.lane.activities.back().time.start;
    }

    /// Explains a gap, except where work ran whose time is not known.
    void explainTimed(TimeSpan gap) {
        const auto explainPart = [&](const TimeSpan& part) {
            if (part.length() <= 0) return;
            m_explained.reset();
            if (m_causesKnown && !m_in.threads.empty())
                explain(part);
            else
                spend(TimeClass::IdleUnknown, part);
        };
        const auto& untimed = m_in.lane.untimed;
        for (auto work = std::ranges::upper_bound(untimed, gap.start, {}, &TimeSpan::end);
             work != untimed.end() && work->start < gap.end; ++work) {
            explainPart({gap.start, std::max(gap.start, work->start)});
            m_explained.reset();
            const TimeSpan part{std::max(gap.start, work->start), std::min(gap.end, work->end)};
            spend(TimeClass::IdleUnknown, part);
            m_untimed += part.length();
            gap.start = std::min(gap.end, work->end);
        }
        explainPart(gap);
    }

    /// The run of the process, if the window is that of the whole run and began with counting.
    [[nodiscard]] const ProcessRun* runThatCountedFirst() const {
        if (m_in.window.window.kind != WindowKind::Run || m_in.lane.processes.size() != 1)
            return nullptr;
        const auto& run = m_in.profile.processes[m_in.lane.processes.front()].run;
        const bool within = run && run->countedUntil && !m_in.lane.activities.empty() &&
                            m_in.lane.activities.front().time.start >= *run->countedUntil;
        return within ? &*run : nullptr;
    }

    /// Explains the beginning of such a window, which stands for the time from the start of the
    /// process to its first launch (windowOfRun): until CUDA was initialised only the CPU worked.
    void explainUnrecorded(const ProcessRun& run, const TimeSpan& gap) {
        const TimeSpan before{run.time.start, std::max(run.time.start, run.setup.start)};
        const Nanoseconds hosts = gap.start + std::min(before.length(), gap.length());
        count(TimeClass::IdleHost, {gap.start, hosts});
        spend(TimeClass::IdleUnknown, {hosts, gap.end});
        if (!m_in.samples || m_in.threads.empty()) return;
        m_in.samples->addTo(m_samplesBefore, busiestOf(m_in.threads).thread, before);
    }

    /// Explains one gap by what the thread that issues the next work did during it.
    void explain(TimeSpan gap) {
        if (m_unseenKernels && isFollowed(gap)) {
            const Nanoseconds over = m_unseenKernels->overBy(gap).value_or(gap.end);
            spend(TimeClass::IdleUnknown, {gap.start, over});
            gap.start = over;
            if (gap.length() == 0) return;
        }
        const auto [issuer, issued] = m_issuing.before(gap.end);
        if (issuer == kNoCall) return spend(TimeClass::IdleUnknown, gap);
        // Issued work begins soon. If it did not, something else held it up.
        if (issued < gap.end) {
            const Nanoseconds due = std::max(issued, gap.start) + kBeginsWithin;
            if (due < gap.end) {
                spend(TimeClass::IdleUnknown, {due, gap.end});
                gap.end = due;
            }
        }
        // Issued before the gap: whatever the CPU does meanwhile, the GPU is about to begin.
        if (issued <= gap.start) return spend(TimeClass::IdleLaunch, gap);
        const auto place = m_byThread.find(m_timeline.calls[issuer].thread);
        if (place == m_byThread.end()) return spend(TimeClass::IdleUnknown, gap);
        const auto& stretches = m_in.threads[place->second].stretches;
        if (m_in.samples) m_explained = place->first;

        auto next = std::ranges::upper_bound(stretches, gap.start, {},
                                             [](const CpuStretch& s) { return s.time.end; });
        // The thread's last call before the gap decides what a short break belongs to.
        std::uint32_t synced = kNoCall;
        Nanoseconds before = std::numeric_limits<Nanoseconds>::min() / 2;
        for (auto last = next; last != stretches.begin();) {
            --last;
            if (last->kind == CallKind::Other) continue;
            before = last->time.end;
            if (waited(m_timeline, last->call)) synced = last->call;
            break;
        }
        // Where a break ends: another profiler's call does not end it.
        const auto isCall = [](const CpuStretch& s) { return s.kind != CallKind::Other; };
        auto ends = std::find_if(next, stretches.end(), isCall);
        Nanoseconds at = gap.start;
        while (at < gap.end) {
            while (next != stretches.end() && next->time.end <= at) ++next;
            const bool last = next == stretches.end();
            // Outside of calls.
            const Nanoseconds until = last ? gap.end : std::clamp(next->time.start, at, gap.end);
            if (until > at) {
                // Once the work is issued the GPU is about to begin.
                const Nanoseconds own = std::clamp(issued, at, until);
                if (ends < next) ends = std::find_if(next, stretches.end(), isCall);
                const Nanoseconds breakEnds = ends == stretches.end() ? gap.end : ends->time.start;
                const bool hosts = own > at && breakEnds - before > kLongBreak;
                if (hosts) {
                    spend(TimeClass::IdleHost, {at, own});
                    noteHostWork(m_in.threads[place->second], {at, own});
                    // After the last work of a whole run, nothing could run meanwhile; after that
                    // of a repeat, the next repeat could.
                    if (synced != kNoCall && (!m_in.window.window.isWhole() || isFollowed(gap)))
                        noteHostAfter(synced, own - at);
                } else {
                    pause(synced, {at, own});
                }
                pause(synced, {own, until});
                at = until;
            }
            if (last || at >= gap.end) continue;
            const Nanoseconds end = std::min(next->time.end, gap.end);
            inCall(*next, {at, end}, synced);
            if (next->kind != CallKind::Other) before = next->time.end;
            at = end;
            if (next->kind != CallKind::Other && next->time.end <= gap.end) {
                if (waited(m_timeline, next->call))
                    synced = next->call;
                else if (next->call != issuer && issuesWork(next->kind))
                    synced = kNoCall;
            }
        }
    }

    /// Notes host work that follows a call which waited for the GPU.
    void noteHostAfter(std::uint32_t synced, Nanoseconds length) {
        m_hostAfterSync += length;
        const Transfer* const moved = movedBy(m_timeline, synced);
        if (!moved || moved->kind != TransferKind::DeviceToHost ||
            static_cast<double>(moved->bytes) < kLeastCopy.value)
            return;
        m_hostAfterCopy += length;
        if (std::exchange(m_copiedBefore, synced) != synced)
            m_copiedForHost += static_cast<double>(moved->bytes);
    }

    /// Notes what the CPU did without CUDA, by what the thread gives the GPU next: a launch, or a
    /// copy of what it prepared.
    void noteHostWork(const ThreadActivity& thread, const TimeSpan& time) {
        const auto next = std::ranges::lower_bound(
            thread.issues, time.end, {},
            [&](std::uint32_t i) { return m_timeline.calls[i].time.start; });
        if (next == thread.issues.end()) return;
        const std::uint32_t issuer = *next;
        const Call& call = m_timeline.calls[issuer];
        HostKey key;
        double bytes = 0;
        if (const Transfer* moved = movedBy(m_timeline, issuer)) {
            key.work.copy = moved->kind;
            bytes = static_cast<double>(moved->bytes);
        } else if (call.work && kindOf(m_timeline, issuer) != CallKind::Transfer) {
            key.work.kernel = m_in.profile.launches[*call.work].kernel;
        }
        key.work.call = m_timeline.callNames[call.name].name;
        key.work.range = m_ranges.around(call.thread, time);
        if (key.work.range == m_in.window.window.name) key.work.range.clear();
        HostSum& sum = m_hostWork[key];
        sum.idle += time.length();
        if (std::exchange(sum.last, issuer) == issuer) return;
        sum.bytes += bytes;
        ++sum.count;
    }

    static bool issuesWork(CallKind kind) {
        return kind == CallKind::Launch || kind == CallKind::GraphLaunch ||
               kind == CallKind::Transfer;
    }

    /// Counts a short break, or a launch, as part of what held the thread up before.
    void pause(std::uint32_t synced, const TimeSpan& time) {
        if (time.length() <= 0) return;
        if (synced != kNoCall)
            spend(TimeClass::IdleSync, time, synced);
        else
            spend(TimeClass::IdleLaunch, time);
    }

    /// Where not all loading was recorded, what lies beyond kLongestCall of a call is unknown.
    [[nodiscard]] TimeSpan withoutLoading(const CpuStretch& stretch, TimeSpan part) {
        const bool mayLoad = issuesWork(stretch.kind) ? stretch.kind != CallKind::Transfer
                                                      : stretch.kind == CallKind::Allocate ||
                                                            stretch.kind == CallKind::Free;
        if (!m_callsMayLoad || !mayLoad) return part;
        const Nanoseconds latest = m_timeline.calls[stretch.call].time.start + kLongestCall;
        const Nanoseconds end = std::clamp(latest, part.start, part.end);
        spend(TimeClass::IdleUnknown, {end, part.end});
        return {part.start, end};
    }

    /// Finds the call with most idle time of its class.
    void noteOneCall(TimeClass cls, std::uint32_t call, Nanoseconds length) {
        OneCall& one = m_oneCall[cls];
        one.idle = std::exchange(one.call, call) == call ? one.idle + length : length;
        one.most = std::max(one.most, one.idle);
    }

    /// A pageable copy to the host goes through a buffer of the driver, from which the CPU copies
    /// after the GPU has finished. Returns when that ends; the start of `rest` for other copies.
    static Nanoseconds endOfStaging(const Transfer& moved, const TimeSpan& rest) {
        if (!isPageable(moved) || moved.kind != TransferKind::DeviceToHost ||
            static_cast<double>(moved.bytes) < kLeastCopy.value)
            return rest.start;
        // At 1 GB/s or more, into fresh memory: at most a nanosecond for each byte.
        const auto length = static_cast<std::uint64_t>(std::max<Nanoseconds>(0, rest.length()));
        return rest.start + static_cast<Nanoseconds>(std::min(moved.bytes, length));
    }

    /// Explains a call that issues work up to the end of the last allocation for which it waits;
    /// returns the rest.
    TimeSpan afterAllocations(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced) {
        for (const AllocationLock::Held& held : m_allocations.during(stretch, part)) {
            const TimeSpan before{part.start, held.time.start};
            if (stretch.kind == CallKind::Transfer)
                pause(synced, before);
            else
                inLaunch(stretch, before, synced);
            spend(TimeClass::IdleAlloc, held.time, held.call);
            part.start = held.time.end;
        }
        return part;
    }

    void inLaunch(const CpuStretch& stretch, const TimeSpan& part, std::uint32_t synced) {
        if (part.length() <= 0) return;
        m_launchCalls[launchClass(synced)] += static_cast<double>(part.length());
        m_traced[launchClass(synced)] += static_cast<double>(part.length()) * tracedShare(stretch);
        if (synced == kNoCall) noteOneCall(TimeClass::IdleLaunch, stretch.call, part.length());
        pause(synced, part);
    }

    void inCall(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced) {
        part = withoutLoading(stretch, part);
        switch (stretch.kind) {
            case CallKind::Load:
                return spend(TimeClass::IdleLoad, part, stretch.call);
            case CallKind::Allocate:
            case CallKind::Free:
                noteOneCall(TimeClass::IdleAlloc, stretch.call, part.length());
                return spend(TimeClass::IdleAlloc, part, stretch.call);
            case CallKind::Wait:
                return spend(TimeClass::IdleSync, part, stretch.call);
            case CallKind::Transfer:
                if (const Transfer* moved = movedBy(m_timeline, stretch.call)) {
                    if (!isPageable(*moved)) part = afterAllocations(stretch, part, synced);
                    const Nanoseconds split = std::clamp(moved->time.end, part.start, part.end);
                    if (isPageable(*moved) && split > part.start) {
                        spend(TimeClass::Copies, {part.start, split});
                        m_copies[slotOf(*moved)].exposed += split - part.start;
                    } else {
                        pause(synced, {part.start, split});
                    }
                    const Nanoseconds staged = endOfStaging(*moved, {split, part.end});
                    if (staged > split) {
                        spend(TimeClass::Copies, {split, staged});
                        m_copies[slotOf(*moved)].exposed += staged - split;
                    }
                    if (part.end > staged)
                        spend(TimeClass::IdleSync, {staged, part.end}, stretch.call);
                    return;
                }
                return pause(synced, part);
            case CallKind::Launch:
            case CallKind::GraphLaunch:
                return inLaunch(stretch, afterAllocations(stretch, part, synced), synced);
            case CallKind::Graph:
                return pause(synced, part);
            case CallKind::Other:  // another profiler held the program up
                return spend(TimeClass::IdleUnknown, part);
        }
    }

    /// The class of a launch call while the GPU is idle; `synced`: the wait before it.
    static TimeClass launchClass(std::uint32_t synced) {
        return synced == kNoCall ? TimeClass::IdleLaunch : TimeClass::IdleSync;
    }

    /// Decides how much of each class is tracing (m_traced). `subtracted` is over all occurrences.
    TracingTime takeTracingOff() {
        TracingTime tracing;
        if (m_in.tracing) {
            const double left = takeOff(m_in.tracing->value * 1e9);
            // More than the CPU can have spent on it: then it is not the program's time alone.
            tracing.measured = left <= kLeastLeft * m_in.tracing->value * 1e9;
        } else if (m_in.tracedLaunches) {
            for (const TimeClass cls : kTimeClasses)
                m_traced[cls] = std::min(static_cast<double>(m_time[cls]),
                                         m_launchCalls[cls] * *m_in.tracedLaunches);
        }
        double calls = 0, traced = 0;
        for (const TimeClass cls : kTimeClasses) {
            calls += m_launchCalls[cls];
            traced += m_traced[cls];
        }
        tracing.subtracted = {traced / 1e9};
        if (calls > 0) tracing.ofLaunchCalls = traced / calls;
        return tracing;
    }

    /// Distributes a measured tracing time (ns) over idle time that the CPU causes. Returns what
    /// found no room.
    double takeOff(double left) {
        m_traced = {};
        constexpr std::array kByCpu{TimeClass::IdleLaunch, TimeClass::IdleSync,
                                    TimeClass::IdleHost};
        const auto room = [&](TimeClass cls) {
            return static_cast<double>(m_time[cls]) - m_traced[cls];
        };
        const auto distribute = [&](const auto& weightOf) {
            double weights = 0;
            for (const TimeClass cls : kByCpu) weights += weightOf(cls);
            if (weights <= 0) return;
            const double all = left;
            for (const TimeClass cls : kByCpu) {
                const double part = std::min(room(cls), all * weightOf(cls) / weights);
                m_traced[cls] += part;
                left -= part;
            }
        };
        distribute([&](TimeClass cls) { return m_launchCalls[cls]; });
        PerTimeClass<double> rooms{};
        for (const TimeClass cls : kByCpu) rooms[cls] = room(cls);
        distribute([&](TimeClass cls) { return rooms[cls]; });
        return left;
    }

    /// The share of a launch call that is tracing.
    [[nodiscard]] double tracedShare(const CpuStretch& stretch) const {
        if (m_in.profile.capture.origin != "recorded") return 0;
        const std::uint32_t thread = m_timeline.calls[stretch.call].thread;
        const auto& traced =
            m_in.profile.processes[m_timeline.threads[thread].process].tracedLaunch;
        if (!traced || *traced <= kPlainLaunch) return 0;
        return (*traced - kPlainLaunch) / *traced;
    }

    /// How long the thread that issues most work is outside of the calls that `which` accepts, in
    /// nanoseconds over all occurrences.
    template <class Which>
    [[nodiscard]] std::optional<Nanoseconds> cpuOutside(Which which) const {
        if (!m_causesKnown || m_in.threads.empty()) return std::nullopt;
        const ThreadActivity& main = busiestOf(m_in.threads);
        Nanoseconds all = 0, inCalls = 0;
        auto stretch = main.stretches.begin();
        for (const TimeSpan& span : m_in.window.spans) {
            all += span.length();
            while (stretch != main.stretches.end() && stretch->time.end <= span.start) ++stretch;
            for (auto s = stretch; s != main.stretches.end() && s->time.start < span.end; ++s)
                if (which(s->call))
                    inCalls +=
                        std::min(s->time.end, span.end) - std::max(s->time.start, span.start);
        }
        return all - inCalls;
    }

    const AccountInput& m_in;
    const Timeline& m_timeline;
    bool m_copiesKnown = false, m_causesKnown = false, m_callsMayLoad = false;
    std::optional<UnseenKernels> m_unseenKernels;  ///< only if kernels launch others
    PerTimeClass<Nanoseconds> m_time{};
    PerTimeClass<SampleTally> m_samples{};
    SampleTally m_samplesBefore, m_samplesAfter;
    std::optional<std::uint32_t> m_explained;  ///< the thread whose samples are counted
    Nanoseconds m_lastWork = std::numeric_limits<Nanoseconds>::min();
    PerTimeClass<double> m_launchCalls{};  ///< ns of launch calls in idle time of the class
    PerTimeClass<double> m_traced{};
    PerTimeClass<OneCall> m_oneCall{};
    Nanoseconds m_hiddenCopies = 0, m_hiddenCommunication = 0, m_untimed = 0;
    Nanoseconds m_hostAfterSync = 0, m_hostAfterCopy = 0;
    double m_copiedForHost = 0;              ///< bytes
    std::uint32_t m_copiedBefore = kNoCall;  ///< the copy that was added last
    std::array<CopySum, kCopySlots> m_copies{};
    std::vector<TimeSpan> m_gaps;
    IssuingCalls m_issuing;
    AllocationLock m_allocations;
    std::map<std::uint32_t, std::size_t> m_byThread;  ///< index into AccountInput::threads
    std::map<HostKey, HostSum> m_hostWork;
    RangesOfThreads m_ranges;
    std::map<std::uint32_t, CallSum> m_calls;  ///< by index of Timeline::callNames
};

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
    return Accountant(input).run(tracing);
}

}  // namespace roofscope::program
