// SPDX-License-Identifier: Apache-2.0
#include "profile/times/impossible_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

namespace roofscope {
namespace {

/// Tolerance for kernels of one stream that overlap: the GPU's clock has a resolution of about 1
/// µs.
constexpr Nanoseconds kKernelsOverlap = 10'000;
/// Work that begins later than this after the process's last CPU event is impossible, unless the
/// GPU was busy with other work until then.
constexpr Nanoseconds kSoon = 1'000'000'000;
constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr std::uint32_t kNone = 0xFFFF'FFFF;
/// Beyond this a double cannot hold every nanosecond; 104 days.
constexpr double kLargest = 9007199254740992.0;

/// GPU work with its time and the call that issued it.
struct TimedWork {
    bool transfer = false, ofGraph = false;
    bool mayBeEarly = false;  ///< may begin before the previous kernel ends
    bool between = false;     ///< a copy between GPUs, which may occupy two streams
    std::uint32_t row = 0, process = 0, device = 0, stream = 0;
    TimeSpan time;
    std::optional<TimeSpan> call;  ///< from the entry to the return
    std::optional<ImpossibleTime> why;

    /// When it was issued; its start if the call is not known.
    [[nodiscard]] Nanoseconds issued() const { return call ? call->start : time.start; }
};

/// Whether the function launches a kernel that waits for all earlier work of its stream.
bool isPlainLaunch(std::string_view name) {
    for (const std::string_view known :
         {"cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchCooperativeKernel",
          "cuLaunchCooperativeKernel"}) {
        if (!name.starts_with(known)) continue;
        // Accept "_ptsz" and "_v7000", but not "ExC".
        const std::string_view rest = name.substr(known.size());
        return rest.empty() || rest.front() == '_';
    }
    return false;
}

std::optional<TimeSpan> timeOf(const Launch& launch) {
    if (!launch.start || !launch.duration) return std::nullopt;
    const double start = std::round(launch.start->value * 1e9);
    const double length = std::round(launch.duration->value * 1e9);
    if (!(std::abs(start) < kLargest) || !(length >= 0) || !(start + length < kLargest))
        return std::nullopt;
    const auto from = static_cast<Nanoseconds>(start);
    return TimeSpan{from, from + static_cast<Nanoseconds>(length)};
}

/// How far two pieces of work of one stream may overlap.
Nanoseconds tolerated(const TimedWork& a, const TimedWork& b) {
    return a.transfer || b.transfer ? kClocksDiffer : kKernelsOverlap;
}

bool overlap(const TimedWork& a, const TimedWork& b) {
    const TimedWork& later = a.time.start < b.time.start ? b : a;
    if (a.ofGraph || b.ofGraph || a.between || b.between) return false;
    if (!a.transfer && !b.transfer && later.mayBeEarly) return false;
    // A call may copy in several pieces, and only one of them is linked to it.
    if (a.transfer && b.transfer && (!a.call || !b.call)) return false;
    return std::min(a.time.end, b.time.end) - std::max(a.time.start, b.time.start) >
           tolerated(a, b);
}

/// Whether `a`, issued before `b`, began after it.
bool swapped(const TimedWork& a, const TimedWork& b) {
    return a.call && b.call && a.call->end <= b.call->start &&
           a.time.start > b.time.start + tolerated(a, b);
}

/// The work of one stream.
class Stream {
public:
    explicit Stream(std::vector<TimedWork*> work) : m_work(std::move(work)) {
        std::ranges::stable_sort(
            m_work, {}, [](const TimedWork* w) { return std::pair(w->issued(), w->time.start); });
    }

    void judge() {
        keepMost();
        std::vector<std::pair<TimedWork*, ImpossibleTime>> wrong;
        for (TimedWork* work : m_others) againstKept(*work, wrong);
        equalStarts(wrong);
        for (const auto& [work, why] : wrong)
            if (!work->why) work->why = why;
    }

    /// Adds the work with impossible times to `found`, with the span in which it must have run.
    void place(Nanoseconds earliest, Nanoseconds latest, std::vector<ImpossibleWork>& found) const {
        std::vector<Nanoseconds> nextStart(m_work.size() + 1, latest);
        for (std::size_t i = m_work.size(); i-- > 0;)
            nextStart[i] = m_work[i]->why ? nextStart[i + 1]
                                          : std::min(nextStart[i + 1], m_work[i]->time.start);
        Nanoseconds before = earliest;
        for (std::size_t i = 0; i < m_work.size(); ++i) {
            const TimedWork& work = *m_work[i];
            if (!work.why) {
                before = std::max(before, work.time.end);
                continue;
            }
            const Nanoseconds start = work.call ? std::max(before, work.call->start) : before;
            found.push_back({.transfer = work.transfer,
                             .row = work.row,
                             .why = *work.why,
                             .within = {start, std::max(start, nextStart[i + 1])}});
        }
    }

private:
    /// Splits the work into the longest sequence that ran in issue order without overlap (m_kept)
    /// and the rest (m_others).
    void keepMost() {
        std::vector<TimedWork*> inOrder;
        for (TimedWork* work : m_work) {
            if (work->why || work->ofGraph) continue;
            (work->call ? inOrder : m_others).push_back(work);
        }
        // Longest chain of intervals in a given order: of all chains of n + 1 pieces of work,
        // chains[n] is the last piece of the one that ends first.
        std::vector<std::uint32_t> chains, before(inOrder.size(), kNone);
        const auto endOf = [&](std::uint32_t i) {
            const TimeSpan& time = inOrder[i]->time;
            Nanoseconds end = std::max(time.start, time.end - kKernelsOverlap);
            if (i + 1 < inOrder.size() && inOrder[i + 1]->mayBeEarly)
                end = std::clamp(inOrder[i + 1]->time.start, time.start, end);
            return end;
        };
        for (std::uint32_t i = 0; i < inOrder.size(); ++i) {
            const auto at = std::ranges::upper_bound(chains, inOrder[i]->time.start, {}, endOf);
            if (at != chains.begin()) before[i] = *std::prev(at);
            if (at == chains.end())
                chains.push_back(i);
            else if (endOf(i) < endOf(*at))
                *at = i;
        }
        std::vector<bool> kept(inOrder.size(), false);
        for (std::uint32_t i = chains.empty() ? kNone : chains.back(); i != kNone; i = before[i])
            kept[i] = true;
        for (std::uint32_t i = 0; i < inOrder.size(); ++i)
            (kept[i] ? m_kept : m_others).push_back(inOrder[i]);
    }

    /// Marks the work if it contradicts kept work. If it contradicts a single piece, that one may
    /// be wrong instead, so both are marked.
    void againstKept(TimedWork& work,
                     std::vector<std::pair<TimedWork*, ImpossibleTime>>& wrong) const {
        TimedWork* against = nullptr;
        bool several = false;
        std::optional<ImpossibleTime> why;
        const auto note = [&](TimedWork* kept, ImpossibleTime as) {
            several = several || (against && against != kept);
            if (!against) against = kept;
            if (!why) why = as;
        };
        const auto startOf = [](const TimedWork* w) { return w->time.start; };
        const auto at = std::ranges::lower_bound(m_kept, work.time.start, {}, startOf);
        for (auto kept = at; kept != m_kept.begin() && at - kept < kNear;)
            if (overlap(**--kept, work)) note(*kept, ImpossibleTime::Overlap);
        for (auto kept = at; kept != m_kept.end() && kept - at < kLookedAt && !several; ++kept) {
            if ((*kept)->time.start >= work.time.end) break;
            if (overlap(**kept, work)) note(*kept, ImpossibleTime::Overlap);
        }
        if (work.call) {
            const auto issuedOf = [](const TimedWork* w) { return w->call->start; };
            const auto place = std::ranges::lower_bound(m_kept, work.call->start, {}, issuedOf);
            // Issued later but began earlier, or the other way round.
            for (auto kept = std::max(place, at - std::min(at - m_kept.begin(), kLookedAt));
                 kept < at && !several; ++kept)
                if (swapped(work, **kept)) note(*kept, ImpossibleTime::Order);
            for (auto kept = std::min(place, at + std::min(m_kept.end() - at, kLookedAt));
                 kept > at && !several;)
                if (swapped(**--kept, work)) note(*kept, ImpossibleTime::Order);
        }
        if (!why) return;
        wrong.emplace_back(&work, *why);
        if (!several) wrong.emplace_back(against, *why);
    }

    /// Marks kernels that begin in the same nanosecond; neither is known to be right.
    void equalStarts(std::vector<std::pair<TimedWork*, ImpossibleTime>>& wrong) const {
        std::vector<TimedWork*> kernels;
        for (TimedWork* work : m_work)
            if (!work->transfer && !work->ofGraph && !work->why) kernels.push_back(work);
        std::ranges::stable_sort(kernels, {}, [](const TimedWork* w) { return w->time; });
        for (std::size_t i = 1; i < kernels.size(); ++i) {
            if (kernels[i - 1]->time.start != kernels[i]->time.start) continue;
            // Old traces round to whole microseconds, so two short kernels may share one.
            constexpr Nanoseconds kMicrosecond = 1000;
            const bool whole = kernels[i]->time.start % kMicrosecond == 0;
            if (kernels[i - 1]->time.length() <= (whole ? kMicrosecond : 0)) continue;
            for (TimedWork* const work : {kernels[i - 1], kernels[i]})
                wrong.emplace_back(work, ImpossibleTime::EqualStart);
        }
    }

    /// Kept work hardly overlaps, so only near neighbours can overlap another piece.
    static constexpr std::ptrdiff_t kNear = 4;
    /// Bounds the search in files made up to be slow.
    static constexpr std::ptrdiff_t kLookedAt = 256;

    std::vector<TimedWork*> m_work;  ///< in issue order
    std::vector<TimedWork*> m_kept, m_others;
};

class Search {
public:
    explicit Search(const Profile& profile) : m_profile(profile) {}

    ImpossibleTimes run() {
        takeWork();
        m_found.timed = m_work.size();
        beforeCalls();
        tooFast();
        afterEnd();
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<TimedWork*>>
            streams;
        for (TimedWork& work : m_work)
            streams[{work.process, work.device, work.stream}].push_back(&work);
        for (auto& [key, work] : streams) {
            Stream stream(std::move(work));
            stream.judge();
            const TimeSpan life = lifeOf(std::get<0>(key));
            stream.place(life.start, life.end, m_found.work);
        }
        return std::move(m_found);
    }

private:
    /// When a process is known to have been active.
    struct Known {
        Nanoseconds first = kNever, last = -kNever;  ///< on CPU and GPU, without impossible times
        Nanoseconds cpu = -kNever;                   ///< end of its last event on the CPU
        bool calls = false;
        void add(const TimeSpan& time) {
            first = std::min(first, time.start);
            last = std::max(last, time.end);
        }
    };

    [[nodiscard]] TimeSpan lifeOf(std::uint32_t process) const {
        const Known& known = m_known[process];
        if (known.first <= known.last) return {known.first, known.last};
        const auto& run = m_profile.processes[process].run;
        return run ? run->time : TimeSpan{};
    }

    void takeWork() {
        const Timeline& timeline = m_profile.timeline;
        // Millions of rows: growing would need more than twice the memory for a moment.
        m_work.reserve(m_profile.launches.size() + timeline.transfers.size());
        for (std::uint32_t row = 0; row < m_profile.launches.size(); ++row) {
            const Launch& launch = m_profile.launches[row];
            const auto time = timeOf(launch);
            if (!time) continue;
            m_work.push_back({.ofGraph = launch.fromGraph,
                              .mayBeEarly = true,
                              .row = row,
                              .process = launch.process,
                              .device = launch.device,
                              .stream = launch.stream,
                              .time = *time});
        }
        m_transfers = m_work.size();
        for (std::uint32_t row = 0; row < timeline.transfers.size(); ++row) {
            const Transfer& t = timeline.transfers[row];
            m_work.push_back({.transfer = true,
                              .ofGraph = t.fromGraph,
                              .between = t.kind == TransferKind::BetweenDevices,
                              .row = row,
                              .process = t.process,
                              .device = t.device,
                              .stream = t.stream,
                              .time = t.time});
        }
        takeCalls();
    }

    /// Bytes per second that this copy cannot exceed; infinite if that is not known.
    [[nodiscard]] double fastest(const Transfer& copy) const {
        // Of a chip without peaks: several times what the fastest GPU of 2026 reads from DRAM.
        constexpr double kUnknownDram = 40e12;
        constexpr double kMost = 1.05;  // clocks differ a little
        // Copies and fills on one GPU may stay in its L2.
        constexpr double kL2 = 10;
        const Device& device = m_profile.devices[copy.device];
        const auto peak = device.peaks.find("dram__bytes.sum.peak_sustained");
        const double dram = peak != device.peaks.end() && device.memoryClockMax
                                ? peak->second * device.memoryClockMax->value
                                : kUnknownDram;
        switch (copy.kind) {
            case TransferKind::HostToDevice:
            case TransferKind::DeviceToHost:
            case TransferKind::BetweenDevices:
                return kMost * dram;
            case TransferKind::OnDevice:
            case TransferKind::Memset:
                return kMost * dram * kL2;
            case TransferKind::HostToHost:
            case TransferKind::Other:
                break;
        }
        return kMost * kUnknownDram * kL2;
    }

    /// Marks copies that are faster than memory.
    void tooFast() {
        // The resolution of the clock.
        constexpr double kTick = 1e-6;
        for (TimedWork& work : std::span(m_work).subspan(m_transfers)) {
            const Transfer& copy = m_profile.timeline.transfers[work.row];
            const double seconds = static_cast<double>(copy.time.length()) * 1e-9 + kTick;
            if (!work.why && static_cast<double>(copy.bytes) > fastest(copy) * seconds)
                work.why = ImpossibleTime::TooFast;
        }
    }

    void takeCalls() {
        const Timeline& timeline = m_profile.timeline;
        m_known.resize(m_profile.processes.size());
        std::vector<std::uint32_t> ofLaunch(m_profile.launches.size(), kNone);
        for (std::uint32_t i = 0; i < m_transfers; ++i) ofLaunch[m_work[i].row] = i;
        std::vector<bool> plain;
        for (const CallName& name : timeline.callNames) plain.push_back(isPlainLaunch(name.name));
        for (const Call& call : timeline.calls) {
            Known& known = m_known[timeline.threads[call.thread].process];
            known.calls = true;
            known.cpu = std::max(known.cpu, call.time.end);
            known.add(call.time);
            if (!call.work) continue;
            const bool transfer = timeline.callNames[call.name].kind == CallKind::Transfer;
            const std::size_t place = transfer ? m_transfers + *call.work : ofLaunch[*call.work];
            if (place >= m_work.size()) continue;
            TimedWork& work = m_work[place];
            // A process cannot issue work of another process.
            if (work.process != timeline.threads[call.thread].process) continue;
            if (!work.call) work.call = call.time;
            *work.call = {std::min(work.call->start, call.time.start),
                          std::max(work.call->end, call.time.end)};
            work.mayBeEarly = !transfer && !plain[call.name];
        }
        for (const RangeSpan& range : timeline.ranges) {
            Known& known = m_known[timeline.threads[range.thread].process];
            known.cpu = std::max(known.cpu, range.time.end);
        }
    }

    /// Marks work that begins before its call.
    void beforeCalls() {
        struct Count {
            std::size_t linked = 0, early = 0;
        };
        std::vector<Count> counts(m_profile.processes.size());
        const auto isEarly = [](const TimedWork& work) {
            return work.call && work.time.start + kClocksDiffer < work.call->start;
        };
        for (const TimedWork& work : m_work) {
            counts[work.process].linked += work.call.has_value();
            counts[work.process].early += isEarly(work);
        }
        constexpr std::size_t kAFew = 3;
        for (std::uint32_t p = 0; p < counts.size(); ++p)
            if (counts[p].early >= kAFew && counts[p].early * 2 > counts[p].linked)
                m_found.clocksDisagree.push_back(p);
        for (TimedWork& work : m_work) {
            if (std::ranges::binary_search(m_found.clocksDisagree, work.process))
                work.call.reset();
            else if (isEarly(work))
                work.why = ImpossibleTime::BeforeCall;
        }
    }

    /// Marks work that lies after the end of its process, or long after its last CPU event.
    void afterEnd() {
        std::vector<TimedWork*> byStart;
        for (TimedWork& work : m_work)
            if (!work.why) byStart.push_back(&work);
        std::ranges::stable_sort(byStart, {}, [](const TimedWork* w) { return w->time; });
        std::vector<Nanoseconds> busyUntil(m_profile.processes.size(), -kNever);
        for (TimedWork* work : byStart) {
            Known& known = m_known[work->process];
            const auto& run = m_profile.processes[work->process].run;
            Nanoseconds& busy = busyUntil[work->process];
            const bool afterRun = run && work->time.end > run->time.end + kClocksDiffer;
            const auto& parts = m_profile.processes[work->process].timeline;
            const bool afterAll = known.calls && parts && parts->launches &&
                                  work->time.start > known.cpu + kSoon &&
                                  work->time.start > busy + kSoon;
            if (afterRun || afterAll) {
                work->why = ImpossibleTime::AfterEnd;
                continue;
            }
            busy = std::max(busy, work->time.end);
            known.add(work->time);
        }
    }

    const Profile& m_profile;
    std::vector<TimedWork> m_work;  ///< launches, then transfers
    std::size_t m_transfers = 0;    ///< index of the first transfer
    std::vector<Known> m_known;     ///< by process
    ImpossibleTimes m_found;
};

}  // namespace

ImpossibleTimes impossibleTimes(const Profile& profile) { return Search(profile).run(); }

}  // namespace roofscope
