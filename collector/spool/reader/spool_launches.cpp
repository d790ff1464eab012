// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "profile/names/demangle.h"
#include "profile/text/count_text.h"

namespace roofscope {

using namespace spool;

namespace {

/// Counter values of one process: as many as a profile can hold.
constexpr std::size_t kMostValues = 400'000'000;

}  // namespace

SpoolLaunches::SpoolLaunches(SpoolIds& ids) : m_ids(ids) {
    for (const Buffer& b : ids.profile.buffers)
        m_nextAllocation = std::max(m_nextAllocation, b.allocation + 1);
}

void SpoolLaunches::take(const LaunchRecord& record) {
    const LaunchFacts& f = record.facts;
    if (m_ids.profile.launches.size() + m_rows.size() >= m_ids.mostLaunches) {
        ++m_ids.self().launchesSeen;
        ++m_leftOut;
        return;
    }
    Row row{.launch = {.kernel = m_ids.kernels.at(f.kernel),
                       .device = m_ids.devices.at(f.device),
                       .process = m_ids.process,
                       .stream = f.stream,
                       .grid = f.grid,
                       .block = f.block,
                       .cluster = f.cluster,
                       .dynamicSharedBytes = f.dynamicSharedBytes,
                       .residentBlocksPerSm = f.residentBlocksPerSm,
                       .fromGraph = f.fromGraph,
                       .afterSync = f.afterSync},
            .counted = f.counted,
            .correlation = f.correlation};
    if (f.range) row.launch.range = m_ids.ranges.at(*f.range);
    // Nearly all launches come in order, so hint at the end.
    m_rows.insert_or_assign(m_rows.end(), record.sequence, std::move(row));
    ++m_ids.self().launchesSeen;
}

void SpoolLaunches::take(ValuesRecord record) {
    const auto it = m_rows.find(record.sequence);
    if (it == m_rows.end()) return;
    it->second.device = record.device;
    it->second.values = std::move(record.values);
}

void SpoolLaunches::addTime(KernelTime time) {
    auto& list = m_times[time.correlation].list;
    list.push_back({.kernel = std::move(time)});
}

void SpoolLaunches::take(NodeTimeRecord record) {
    if (record.time.endNs < record.time.startNs)
        throw std::invalid_argument("ends before it starts");
    m_ids.times.check(record.time.startNs);
    m_ids.times.check(record.time.endNs);
    addTime(std::move(record.time));
}

void SpoolLaunches::take(std::vector<KernelTime> rows) {
    for (const KernelTime& row : rows) {
        m_ids.times.check(row.startNs);
        m_ids.times.check(row.endNs);
    }
    for (KernelTime& row : rows) addTime(std::move(row));
}

void SpoolLaunches::take(const OldGraphRecord& record) {
    (void)m_ids.devices.at(record.device);
    if (record.range) (void)m_ids.ranges.at(*record.range);
    if (m_oldGraphs.size() < m_ids.mostLaunches) m_oldGraphs.push_back(record);
}

void SpoolLaunches::take(const BufferRecord& record) {
    Buffer b = record.buffer;
    if (b.bytes == 0) throw std::invalid_argument("a buffer of no bytes");
    // Ids in a spool are not trusted to be small or consecutive, so number them anew.
    const auto [known, isNew] = m_allocations.try_emplace(b.allocation, m_nextAllocation);
    if (isNew) ++m_nextAllocation;
    b.allocation = known->second;
    m_buffers[record.id] = static_cast<std::uint32_t>(m_ids.profile.buffers.size());
    m_ids.profile.buffers.push_back(b);
}

void SpoolLaunches::take(const ArgumentsRecord& record) {
    const auto it = m_rows.find(record.sequence);
    if (it == m_rows.end()) return;
    std::vector<BufferArgument> list = record.list;
    for (BufferArgument& argument : list) argument.buffer = m_buffers.at(argument.buffer);
    const auto [known, isNew] =
        m_lists.try_emplace(list, static_cast<std::uint32_t>(m_ids.profile.argumentLists.size()));
    if (isNew) m_ids.profile.argumentLists.add(list);
    it->second.launch.arguments = known->second;
}

void SpoolLaunches::take(const RetractRecord& record) {
    m_ids.self().launchesSeen -= m_rows.erase(record.sequence);
    m_retracted.insert(record.sequence);
}

void SpoolLaunches::take(const MissedRecord& record) {
    m_missedFrom = std::min(m_missedFrom, record.sequence);
}

void SpoolLaunches::take(const CountsFirstRecord&) { m_countedFirst.emplace(); }

void SpoolLaunches::take(const TimesNowRecord& record) {
    if (!m_countedFirst || m_timedFrom) return;
    if (!(record.spent >= 0)) throw std::invalid_argument("a negative time");
    m_countedFirst->spent = Seconds{record.spent};
    m_countedFirst->end = Seconds{record.at};
    m_countedFirst->loop = record.loop;
    m_timedFrom = m_rows.empty() ? 0 : m_rows.rbegin()->first + 1;
}

SpoolLaunches::Ran* SpoolLaunches::TimesOfCorrelation::next() {
    while (first < list.size() && list[first].taken) ++first;
    return first < list.size() ? &list[first] : nullptr;
}

SpoolLaunches::Ran* SpoolLaunches::TimesOfCorrelation::next(const Node& node) {
    // A forged spool can give the same correlation id to any number of launches, so a search must
    // not start from the beginning each time.
    if (nodes.empty())
        for (std::size_t i = 0; i < list.size(); ++i)
            nodes[nodeOf(list[i].kernel.symbol, list[i].kernel.grid)].places.push_back(i);
    const auto found = nodes.find(node);
    if (found == nodes.end()) return nullptr;
    Places& at = found->second;
    while (at.first < at.places.size() && list[at.places[at.first]].taken) ++at.first;
    return at.first < at.places.size() ? &list[at.places[at.first]] : nullptr;
}

/// Gives each launch its time.
void SpoolLaunches::joinTimes() {
    for (auto& [correlation, times] : m_times)
        std::ranges::stable_sort(times.list, {}, [](const Ran& ran) { return ran.kernel.startNs; });
    for (auto& [sequence, row] : m_rows)
        if (const auto it = row.correlation ? m_times.find(*row.correlation) : m_times.end();
            it != m_times.end())
            join(row, it->second);
    joinOldGraphs();
}

std::uint32_t SpoolLaunches::kernelOf(const KernelTime& time) {
    auto& kernels = m_ids.profile.kernels;
    const auto [known, isNew] = m_kernelOfSymbol.try_emplace(time.symbol, 0);
    if (!isNew) return known->second;
    for (const auto& [id, index] : m_ids.kernels)
        if (kernels[index].symbol == time.symbol) return known->second = index;
    known->second = static_cast<std::uint32_t>(kernels.size());
    Kernel kernel{.name = demangle(time.symbol), .symbol = time.symbol};
    if (time.registers > 0) {
        kernel.registersPerThread = time.registers;
        kernel.staticSharedBytes = time.staticShared;
    }
    kernels.push_back(std::move(kernel));
    return known->second;
}

void SpoolLaunches::joinOldGraphs() {
    for (const OldGraphRecord& graph : m_oldGraphs) {
        const auto times = m_times.find(graph.correlation);
        if (times == m_times.end()) continue;
        bool first = true;
        for (Ran& ran : times->second.list) {
            const KernelTime& time = ran.kernel;
            if (ran.taken || time.symbol.empty()) continue;
            if (m_ids.profile.launches.size() + m_rows.size() + m_graphRows.size() >=
                m_ids.mostLaunches) {
                ++m_leftOut;
                continue;
            }
            ran.taken = true;
            Row row{.launch = {.kernel = kernelOf(time),
                               .device = m_ids.devices.at(graph.device),
                               .process = m_ids.process,
                               .stream = graph.stream,
                               .grid = time.grid,
                               .block = time.block,
                               .dynamicSharedBytes = time.dynamicShared,
                               .fromGraph = true,
                               .afterSync = graph.afterSync && std::exchange(first, false)},
                    .counted = false,
                    .correlation = graph.correlation,
                    .time = spanOf(time)};
            if (graph.range) row.launch.range = m_ids.ranges.at(*graph.range);
            row.launch.duration = Seconds{static_cast<double>(row.time->length()) / 1e9};
            m_streams.try_emplace({time.context, time.stream}, graph.stream);
            m_graphRows.push_back(std::move(row));
        }
    }
    std::ranges::stable_sort(m_graphRows, {}, [](const Row& row) { return row.time->start; });
    m_ids.self().launchesSeen += m_graphRows.size();
    if (m_oldGraphs.empty() || !m_graphRows.empty()) return;
    m_ids.profile.issues.push_back(
        {.severity = Severity::DataLoss,
         .source = "record",
         .code = "graph-too-old",
         .message = "a CUDA graph was instantiated before the measurement began: its kernels are "
                    "not in this profile",
         .advice = "instantiate the graph in the part of the program that is measured"});
}

/// All nodes of a graph launch share a correlation id. The earliest kernel with the same name and
/// grid is taken: it belongs to this node or to an identical one.
void SpoolLaunches::join(Row& row, TimesOfCorrelation& times) {
    Launch& l = row.launch;
    Ran* const found =
        l.fromGraph
            ? times.next(TimesOfCorrelation::nodeOf(m_ids.profile.kernels[l.kernel].symbol, l.grid))
            : times.next();
    if (!found) return;
    found->taken = true;
    // The times stay integers until makeTimesRelative(): nanoseconds since 1970 need more
    // than the 53 bits of a double.
    row.time = spanOf(found->kernel);
    l.duration = Seconds{static_cast<double>(row.time->length()) / 1e9};
    m_streams.try_emplace({found->kernel.context, found->kernel.stream}, l.stream);
}

void SpoolLaunches::finish(LaunchStarts& starts) {
    joinTimes();
    sayWhatIsLeftOut();
    const std::size_t first = m_ids.profile.launches.size();
    addLaunches(starts);
    if (!m_countedFirst) return;
    const auto timed = m_timedFrom ? m_rows.lower_bound(*m_timedFrom) : m_rows.end();
    m_countedFirst->firstTimed =
        first + static_cast<std::size_t>(std::distance(m_rows.begin(), timed));
}

std::uint32_t SpoolLaunches::addLaunch(const Row& row, LaunchStarts& starts) {
    const std::size_t index = m_ids.profile.launches.size();
    m_ids.profile.launches.push_back(row.launch);
    if (row.time) starts[index] = row.time->start;
    if (row.correlation)
        m_launched[*row.correlation].push_back(
            {.row = static_cast<std::uint32_t>(index), .time = row.time});
    return static_cast<std::uint32_t>(index);
}

void SpoolLaunches::addLaunches(LaunchStarts& starts) {
    auto ofGraph = m_graphRows.cbegin();
    for (auto& [sequence, row] : m_rows) {
        // Drop times from before timing began: counting other launches delayed these launches.
        if (m_countedFirst && (!m_timedFrom || sequence < *m_timedFrom)) row.time.reset();
        for (; row.time && ofGraph != m_graphRows.cend() && ofGraph->time->start < row.time->start;
             ++ofGraph)
            (void)addLaunch(*ofGraph, starts);
        row.index = addLaunch(row, starts);
        if (!addValues(row, row.index)) ++m_unmeasured;
    }
    for (; ofGraph != m_graphRows.cend(); ++ofGraph) (void)addLaunch(*ofGraph, starts);
    m_ids.profile.counters.resize(m_ids.profile.launches.size());
}

bool SpoolLaunches::addValues(const Row& row, std::size_t index) {
    if (m_ids.counters.empty() || !row.counted) return true;
    const auto& names = m_ids.counters[row.device];
    if (row.values.empty() || row.values.size() != names.size() ||
        names.size() > kMostValues / m_rows.size())
        return false;
    for (std::size_t i = 0; i < names.size(); ++i)
        m_ids.profile.counters.set(names[i], index, row.values[i]);
    return true;
}

std::optional<std::uint32_t> SpoolLaunches::rowOf(std::uint64_t sequence) const {
    const auto found = m_rows.find(sequence);
    return found == m_rows.end() ? std::nullopt : std::optional(found->second.index);
}

std::optional<std::uint32_t> SpoolLaunches::rowOf(std::uint64_t sequence,
                                                  std::uint32_t kernel) const {
    const auto row = rowOf(sequence);
    return row && m_ids.profile.launches[*row].kernel == kernel ? row : std::nullopt;
}

/// How many launches are missing up to the last known one.
std::uint64_t SpoolLaunches::lost() const {
    if (m_rows.empty()) return 0;
    const auto known =
        m_rows.size() + static_cast<std::size_t>(std::distance(
                            m_retracted.begin(), m_retracted.lower_bound(m_rows.rbegin()->first)));
    return m_rows.rbegin()->first + 1 - std::min<std::uint64_t>(known, m_rows.rbegin()->first + 1);
}

void SpoolLaunches::sayWhatIsLeftOut() const {
    if (m_leftOut == 0) return;
    m_ids.profile.issues.push_back(
        {.severity = Severity::DataLoss,
         .source = "record",
         .code = "launches-left-out",
         .message = fmt::format("a profile holds {} launches: {} of process {} were left out",
                                m_ids.mostLaunches, m_leftOut, m_ids.self().pid),
         .advice = "choose launches (--kernel, --nvtx, --launch-count)"});
}

/// Launches are numbered without gaps, including failed ones. If some are missing, the positions of
/// the others are kept. Otherwise they would be matched wrongly with launches of a run that lost
/// none.
void SpoolLaunches::addPositions(LaunchPositions& positions) const {
    const std::uint64_t lost = this->lost();
    if (lost > 0)
        m_ids.profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "launches-lost",
             .message = fmt::format("missing from the profile, because they could not be written: "
                                    "{} of process {} (disk full?)",
                                    countText(lost, "launch", "launches"), m_ids.self().pid)});
    if (lost == 0 && m_missedFrom == kUnknownPosition) return;
    auto retracted = m_retracted.begin();
    std::uint64_t before = 0;
    for (const auto& [sequence, row] : m_rows) {
        for (; retracted != m_retracted.end() && *retracted < sequence; ++retracted) ++before;
        positions[row.index] = sequence < m_missedFrom ? sequence - before : kUnknownPosition;
    }
}

}  // namespace roofscope
