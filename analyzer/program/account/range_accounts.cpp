// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/range_accounts.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/whole_run.h"
#include "analyzer/program/window/activity.h"

namespace roofscope {
namespace {

Nanoseconds within(const TimeSpan& span, const TimeSpan& range) {
    return std::max<Nanoseconds>(0,
                                 std::min(span.end, range.end) - std::max(span.start, range.start));
}

Seconds secondsIn(Nanoseconds time) { return {static_cast<double>(time) / 1e9}; }

/// Rows of a table, by start.
struct RowsByStart {
    std::vector<std::uint32_t> rows;
    Nanoseconds longest = 0;

    void add(std::uint32_t row, const TimeSpan& time) {
        rows.push_back(row);
        longest = std::max(longest, time.length());
    }
    /// Calls visit(row, time) for those that overlap the range or begin in it.
    template <class SpanOf, class Visit>
    void forEachIn(const TimeSpan& range, const SpanOf& spanOf, const Visit& visit) const {
        const auto start = [&](std::uint32_t row) { return spanOf(row).start; };
        // Rows that start earlier have ended before the range, because none is longer than
        // `longest`.
        auto at = std::ranges::lower_bound(rows, range.start - longest, {}, start);
        for (; at != rows.end(); ++at) {
            const TimeSpan time = spanOf(*at);
            if (time.start >= range.end) break;
            if (time.end > range.start || time.start >= range.start) visit(*at, time);
        }
    }
};

}  // namespace

Seconds RangeAccount::total() const {
    Seconds sum;
    for (const TimeClass cls : kTimeClasses) sum += time[cls];
    return sum;
}

Ratio RangeAccount::share(TimeClass cls) const {
    const Seconds all = total();
    return {all.value > 0 ? time[cls] / all : 0.0};
}

/// One GPU: the class of every nanosecond, in nine bytes per stretch, because there may be
/// millions.
class RangeAccounts::Lane {
public:
    Lane(const Profile& profile, const program::LaneActivity& activity,
         const std::vector<program::ThreadActivity>& threads)
        : m_device(activity.device), m_processes(activity.processes) {
        std::vector<ClassStretch> stretches;
        // Mostly the work and the gap after it. Growing would need twice the memory for a moment.
        stretches.reserve(2 * activity.activities.size() + 1024);
        program::TracingTime tracing;
        const program::FoundWindow run = program::windowOfRun(profile, activity);
        (void)program::accountOf(
            {.profile = profile,
             .lane = activity,
             .threads = threads,
             .window = run,
             .launchesComplete = activity.timed && activity.all && profile.capture.filters.empty(),
             .stretches = &stretches},
            tracing);
        keep(stretches);
        for (const program::Activity& a : activity.activities)
            (a.kind == program::Activity::Kind::Transfer ? m_transfers : m_launches)
                .add(a.row, a.time);
        if (!threads.empty()) m_feeder = program::busiestOf(threads).thread;
    }

    [[nodiscard]] std::uint32_t device() const { return m_device; }
    [[nodiscard]] const std::vector<std::uint32_t>& processes() const { return m_processes; }
    [[nodiscard]] const RowsByStart& launches() const { return m_launches; }
    [[nodiscard]] const RowsByStart& transfers() const { return m_transfers; }
    /// The thread that issues most of the work.
    [[nodiscard]] std::optional<std::uint32_t> feeder() const { return m_feeder; }

    [[nodiscard]] PerTimeClass<Seconds> timeIn(const TimeSpan& range) const {
        PerTimeClass<Nanoseconds> sum = until(range.end), before = until(range.start);
        PerTimeClass<Seconds> time;
        for (const TimeClass cls : kTimeClasses) time[cls] = secondsIn(sum[cls] - before[cls]);
        return time;
    }

    /// Calls visit(span) for the stretches of a class within the range.
    template <class Visit>
    void forEachIn(const TimeSpan& range, TimeClass cls, const Visit& visit) const {
        const std::size_t first = indexAt(range.start);
        for (std::size_t i = first == kBefore ? 0 : first;
             i + 1 < m_starts.size() && m_starts[i] < range.end; ++i) {
            const TimeSpan span{std::max(m_starts[i], range.start),
                                std::min(m_starts[i + 1], range.end)};
            if (m_classes[i] == static_cast<std::uint8_t>(cls) && span.length() > 0) visit(span);
        }
    }

private:
    static constexpr std::uint8_t kNone = 0xff;
    static constexpr std::size_t kBlock = 512, kBefore = static_cast<std::size_t>(-1);

    void keep(const std::vector<ClassStretch>& stretches) {
        m_starts.reserve(stretches.size() + 1);
        m_classes.reserve(stretches.size() + 1);
        const auto add = [this](Nanoseconds start, std::uint8_t cls) {
            m_starts.push_back(start);
            m_classes.push_back(cls);
        };
        Nanoseconds end = 0;
        for (const ClassStretch& stretch : stretches) {
            if (!m_starts.empty() && stretch.time.start > end) add(end, kNone);
            add(stretch.time.start, static_cast<std::uint8_t>(stretch.cls));
            end = stretch.time.end;
        }
        if (!m_starts.empty()) add(end, kNone);
        PerTimeClass<Nanoseconds> sum{};
        for (std::size_t i = 0; i < m_starts.size(); ++i) {
            if (i % kBlock == 0) m_sums.push_back(sum);
            if (i + 1 < m_starts.size() && m_classes[i] != kNone)
                sum[static_cast<TimeClass>(m_classes[i])] += m_starts[i + 1] - m_starts[i];
        }
    }

    /// The stretch that holds `time`, or kBefore.
    [[nodiscard]] std::size_t indexAt(Nanoseconds time) const {
        const auto after = std::ranges::upper_bound(m_starts, time);
        return after == m_starts.begin() ? kBefore
                                         : static_cast<std::size_t>(after - m_starts.begin()) - 1;
    }

    /// The time of each class before `time`.
    [[nodiscard]] PerTimeClass<Nanoseconds> until(Nanoseconds time) const {
        const std::size_t last = indexAt(time);
        if (last == kBefore) return {};
        PerTimeClass<Nanoseconds> sum = m_sums[last / kBlock];
        for (std::size_t i = last / kBlock * kBlock; i <= last; ++i) {
            if (m_classes[i] == kNone) continue;
            const Nanoseconds end = i == last ? time : m_starts[i + 1];
            sum[static_cast<TimeClass>(m_classes[i])] += end - m_starts[i];
        }
        return sum;
    }

    std::uint32_t m_device = 0;
    std::vector<std::uint32_t> m_processes;
    std::optional<std::uint32_t> m_feeder;
    RowsByStart m_launches, m_transfers;
    /// Each stretch lasts until the next one starts; kNone: nothing was recorded.
    std::vector<Nanoseconds> m_starts;
    std::vector<std::uint8_t> m_classes;
    std::vector<PerTimeClass<Nanoseconds>> m_sums;  ///< before each block of stretches
};

RangeAccounts::RangeAccounts(std::shared_ptr<const Analysis> analysis)
    : m_analysis(std::move(analysis)) {
    if (!m_analysis || !m_analysis->profile) return;
    const Profile& profile = *m_analysis->profile;
    for (const program::LaneActivity& activity : program::laneActivities(profile))
        if (std::ranges::any_of(activity.activities, [](const program::Activity& a) {
                return a.kind != program::Activity::Kind::Transfer;
            }))
            m_lanes.emplace_back(profile, activity,
                                 program::threadActivities(profile, activity.processes));
    if (m_lanes.empty()) return;
    m_kernelOf = program::kernelOfLaunches(*m_analysis);
    m_samples = std::make_unique<const program::HostSamples>(profile);
}

RangeAccounts::~RangeAccounts() = default;

bool RangeAccounts::any() const { return !m_lanes.empty(); }

RangeAccount RangeAccounts::of(const TimeSpan& range) const {
    RangeAccount account{.range = range, .time = {}};
    if (m_lanes.empty()) return account;
    const Profile& profile = *m_analysis->profile;
    const auto each = static_cast<double>(m_lanes.size());
    Program counts;  // what functionsOf() reads: the launches of each kernel
    counts.kernels.resize(m_analysis->kernels.size());
    EnumArray<TransferKind, RangeAccount::Copies, std::size_t(TransferKind::Other) + 1> copies;
    SampleTally tally;
    for (const Lane& lane : m_lanes) {
        RangeAccount::Lane& one = account.lanes.emplace_back();
        one.device = lane.device();
        one.processes = lane.processes();
        if (one.processes.size() == 1) one.rank = profile.processes[one.processes[0]].rank;
        one.time = lane.timeIn(range);
        for (const TimeClass cls : kTimeClasses) account.time[cls] += one.time[cls] / each;
        lane.launches().forEachIn(
            range, [&](std::uint32_t row) { return *program::spanOf(profile.launches[row]); },
            [&](std::uint32_t row, const TimeSpan& time) {
                const std::uint32_t kernel = m_kernelOf[row];
                if (kernel >= counts.kernels.size()) return;
                Program::KernelCounts& sum = counts.kernels[kernel];
                sum.time += secondsIn(within(time, range));
                sum.perWindow += time.start >= range.start;
            });
        lane.transfers().forEachIn(
            range, [&](std::uint32_t row) { return profile.timeline.transfers[row].time; },
            [&](std::uint32_t row, const TimeSpan& time) {
                const Transfer& transfer = profile.timeline.transfers[row];
                RangeAccount::Copies& sum = copies[transfer.kind];
                sum.time += secondsIn(within(time, range));
                if (time.start < range.start) return;
                ++sum.count;
                sum.bytes += Bytes{static_cast<double>(transfer.bytes)};
            });
        if (m_samples->any() && lane.feeder())
            lane.forEachIn(range, TimeClass::IdleHost, [&](const TimeSpan& span) {
                m_samples->addTo(tally, *lane.feeder(), span);
            });
    }
    account.functions = program::functionsOf(*m_analysis, counts);
    for (const KernelFunction& function : account.functions)
        account.kernels.insert(account.kernels.end(), function.kernels.begin(),
                               function.kernels.end());
    for (std::size_t i = 0; i <= std::size_t(TransferKind::Other); ++i) {
        RangeAccount::Copies& sum = copies.items[i];
        if (sum.count == 0 && !(sum.time.value > 0)) continue;
        sum.kind = static_cast<TransferKind>(i);
        account.copies.push_back(sum);
    }
    std::ranges::stable_sort(account.copies, std::greater{}, &RangeAccount::Copies::time);
    if (!tally.empty()) {
        account.hostFunctions =
            program::hostFunctions(profile, tally, account.time[TimeClass::IdleHost] * each, 1);
        account.hostSamples = samplesIn(tally);
    }
    return account;
}

const RangeAccounts::Lane* RangeAccounts::laneOf(std::uint32_t device,
                                                 std::uint32_t process) const {
    for (const Lane& lane : m_lanes)
        if (lane.device() == device &&
            std::ranges::find(lane.processes(), process) != lane.processes().end())
            return &lane;
    return nullptr;
}

PerTimeClass<Seconds> RangeAccounts::timeOf(std::uint32_t device, std::uint32_t process,
                                            const TimeSpan& range) const {
    const Lane* lane = laneOf(device, process);
    return lane ? lane->timeIn(range) : PerTimeClass<Seconds>();
}

SampledFunctions RangeAccounts::hostFunctionsOf(std::uint32_t device, std::uint32_t process,
                                                const TimeSpan& range) const {
    const Lane* lane = laneOf(device, process);
    if (!lane || !lane->feeder() || !m_samples->any()) return {};
    SampleTally tally;
    m_samples->addTo(tally, *lane->feeder(), range);
    return {.functions =
                program::hostFunctions(*m_analysis->profile, tally, secondsIn(range.length()), 1),
            .samples = samplesIn(tally)};
}

}  // namespace roofscope
