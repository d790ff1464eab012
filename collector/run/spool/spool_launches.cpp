// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_launches.h"
#include "profile/text/count_text.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace roofscope {

using namespace spool;

namespace {

/// Counter values of one process: as many as a profile holds.
constexpr std::size_t kMostValues = 400'000'000;

}  // namespace

SpoolLaunches::SpoolLaunches(SpoolIds& ids) : m_ids(ids) {
    for (const Buffer& b : ids.profile.buffers)
        m_firstAllocation = std::max(m_firstAllocation, b.allocation + 1);
}

bool SpoolLaunches::apply(std::string_view type, const Json& json) {
    if (type == "launch")
        launch(json);
    else if (type == "values")
        values(json);
    else if (type == "time")
        time(json);
    else if (type == "times")
        times(json);
    else if (type == "arguments")
        arguments(json);
    else if (type == "buffer")
        buffer(json);
    else if (type == "retract")
        retract(whole<std::uint64_t>(json, "n"));
    else if (type == "counts-first")
        m_countedFirst.emplace();
    else if (type == "times-now")
        timesNow(json);
    else if (type == "missed")
        m_missedFrom = std::min(m_missedFrom, whole<std::uint64_t>(json, "n"));
    else
        return false;
    return true;
}

void SpoolLaunches::launch(const Json& json) {
    Row row;
    Launch& l = row.launch;
    l.kernel = m_ids.kernels.at(whole<std::uint32_t>(json, "k"));
    l.device = m_ids.devices.at(whole<std::uint32_t>(json, "d"));
    l.process = m_ids.process;
    l.stream = whole<std::uint32_t>(json, "s");
    l.grid = dim3(json.at("g"));
    l.block = dim3(json.at("b"));
    if (json.contains("c")) l.cluster = dim3(json.at("c"));
    l.dynamicSharedBytes = optionalWhole<std::uint64_t>(json, "m").value_or(0);
    l.residentBlocksPerSm = optionalWhole<std::uint32_t>(json, "o");
    if (const auto r = optionalWhole<std::uint32_t>(json, "r")) l.range = m_ids.ranges.at(*r);
    l.fromGraph = json.value("graph", false);
    l.afterSync = json.value("sync", false);
    row.counted = json.value("counted", true);
    row.correlation = optionalWhole<std::uint32_t>(json, "corr");
    m_rows[count(json, "n")] = std::move(row);
    ++m_ids.self().launchesSeen;
}

void SpoolLaunches::values(const Json& json) {
    const auto it = m_rows.find(whole<std::uint64_t>(json, "n"));
    if (it == m_rows.end()) return;
    it->second.device = whole<std::uint32_t>(json, "d");
    for (const auto& v : json.at("v")) it->second.values.push_back(numberOrMissing(v));
}

void SpoolLaunches::time(const Json& json) {
    KernelTime t{
        .time = {.start = timeOf(integer(json.at("b"))), .end = timeOf(integer(json.at("e")))},
        .symbol = json.value("k", ""),
        .context = optionalWhole<std::uint32_t>(json, "x").value_or(0),
        .stream = optionalWhole<std::uint32_t>(json, "s").value_or(0)};
    if (t.time.end < t.time.start) throw std::invalid_argument("ends before it starts");
    if (json.contains("g")) t.grid = dim3(json.at("g"));
    m_times[whole<std::uint32_t>(json, "c")].list.push_back(std::move(t));
}

void SpoolLaunches::times(const Json& json) {
    const std::size_t n = rows(json);
    const auto correlations = growing(json, "c", n), contexts = column(json, "x", n),
               streams = column(json, "s", n);
    const auto ran = spans(json, n);
    for (std::size_t i = 0; i < n; ++i)
        m_times[unsignedOf<std::uint32_t>(correlations[i])].list.push_back(
            {.time = ran[i],
             .context = unsignedOf<std::uint32_t>(contexts[i]),
             .stream = unsignedOf<std::uint32_t>(streams[i])});
}

void SpoolLaunches::buffer(const Json& json) {
    const Buffer b{.allocation = m_firstAllocation + whole<std::uint32_t>(json, "allocation"),
                   .offsetBytes = count(json, "offset"),
                   .bytes = count(json, "bytes")};
    if (b.bytes == 0) throw std::invalid_argument("a buffer of no bytes");
    m_buffers[whole<std::uint32_t>(json, "id")] =
        static_cast<std::uint32_t>(m_ids.profile.buffers.size());
    m_ids.profile.buffers.push_back(b);
}

void SpoolLaunches::arguments(const Json& json) {
    const auto it = m_rows.find(whole<std::uint64_t>(json, "n"));
    if (it == m_rows.end()) return;
    std::vector<BufferArgument> list;
    for (const Json& pair : json.at("l"))
        list.push_back({.buffer = m_buffers.at(whole<std::uint32_t>(pair.at(0))),
                        .parameter = whole<std::uint32_t>(pair.at(1))});
    const auto [known, isNew] =
        m_lists.try_emplace(list, static_cast<std::uint32_t>(m_ids.profile.argumentLists.size()));
    if (isNew) m_ids.profile.argumentLists.add(list);
    it->second.launch.arguments = known->second;
}

void SpoolLaunches::retract(std::uint64_t sequence) {
    m_ids.self().launchesSeen -= m_rows.erase(sequence);
    m_retracted.insert(sequence);
}

SpoolLaunches::KernelTime* SpoolLaunches::KernelTimes::next() {
    while (first < list.size() && list[first].taken) ++first;
    return first < list.size() ? &list[first] : nullptr;
}

SpoolLaunches::KernelTime* SpoolLaunches::KernelTimes::next(const Node& node) {
    // A forged spool can give any number of launches one correlation, so the search must not start
    // from the beginning for each.
    if (nodes.empty())
        for (std::size_t i = 0; i < list.size(); ++i)
            nodes[nodeOf(list[i].symbol, list[i].grid)].places.push_back(i);
    const auto found = nodes.find(node);
    if (found == nodes.end()) return nullptr;
    Places& at = found->second;
    while (at.first < at.places.size() && list[at.places[at.first]].taken) ++at.first;
    return at.first < at.places.size() ? &list[at.places[at.first]] : nullptr;
}

/// Gives launches their times.
void SpoolLaunches::joinTimes() {
    for (auto& [correlation, times] : m_times)
        std::ranges::stable_sort(times.list, {}, [](const auto& t) { return t.time.start; });
    for (auto& [sequence, row] : m_rows)
        if (const auto it = row.correlation ? m_times.find(*row.correlation) : m_times.end();
            it != m_times.end())
            join(row, it->second);
}

/// All nodes of a graph launch share a correlation. Of its kernels the earliest with the same name
/// and grid is taken: it is the node's, or that of an equal node.
void SpoolLaunches::join(Row& row, KernelTimes& times) {
    Launch& l = row.launch;
    KernelTime* const found =
        l.fromGraph
            ? times.next(KernelTimes::nodeOf(m_ids.profile.kernels[l.kernel].symbol, l.grid))
            : times.next();
    if (!found) return;
    found->taken = true;
    l.duration = Seconds{static_cast<double>(found->time.length()) / 1e9};
    // Nanoseconds since 1970 need more than the 53 bits of a double: countFromFirst().
    row.time = found->time;
    m_streams.try_emplace({found->context, found->stream}, l.stream);
}

void SpoolLaunches::timesNow(const Json& json) {
    if (!m_countedFirst || m_timedFrom) return;
    const double spent = json.at("spent").get<double>();
    if (!(spent >= 0)) throw std::invalid_argument("a negative time");
    m_countedFirst->spent = Seconds{spent};
    m_countedFirst->end = Seconds{json.at("at").get<double>()};
    m_countedFirst->loop = whole<std::uint64_t>(json, "loop");
    m_timedFrom = m_rows.empty() ? 0 : m_rows.rbegin()->first + 1;
}

void SpoolLaunches::finish(LaunchStarts& starts) {
    joinTimes();
    const std::size_t first = m_ids.profile.launches.size();
    addLaunches(starts);
    if (!m_countedFirst) return;
    const auto timed = m_timedFrom ? m_rows.lower_bound(*m_timedFrom) : m_rows.end();
    m_countedFirst->firstTimed =
        first + static_cast<std::size_t>(std::distance(m_rows.begin(), timed));
}

void SpoolLaunches::addLaunches(LaunchStarts& starts) {
    for (auto& [sequence, row] : m_rows) {
        const std::size_t index = m_ids.profile.launches.size();
        m_ids.profile.launches.push_back(row.launch);
        row.index = static_cast<std::uint32_t>(index);
        // Launches before were delayed by those that were counted.
        if (m_countedFirst && (!m_timedFrom || sequence < *m_timedFrom)) row.time.reset();
        if (row.time) starts[index] = row.time->start;
        if (row.correlation)
            m_launched[*row.correlation].push_back({.row = row.index, .time = row.time});
        if (!addValues(row, index)) ++m_unmeasured;
    }
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

/// Launches whose lines are missing, among those that are known.
std::uint64_t SpoolLaunches::lost() const {
    if (m_rows.empty()) return 0;
    const auto known =
        m_rows.size() + static_cast<std::size_t>(std::distance(
                            m_retracted.begin(), m_retracted.lower_bound(m_rows.rbegin()->first)));
    return m_rows.rbegin()->first + 1 - std::min<std::uint64_t>(known, m_rows.rbegin()->first + 1);
}

/// Launches are numbered without gaps, including failed ones. If some are missing, the others keep
/// their positions: otherwise they would be joined wrongly with a run that lost none.
void SpoolLaunches::tellPositions(LaunchPositions& positions) const {
    const std::uint64_t lost = this->lost();
    if (lost > 0)
        m_ids.profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "launches-lost",
             .message = fmt::format("not in the profile: {} of process {} that could not be "
                                    "written (disk full?)",
                                    countText(lost, "launch", "launches"), m_ids.self().pid)});
    if (lost == 0 && m_missedFrom == kUnknownPosition) return;
    std::size_t index = m_ids.profile.launches.size() - m_rows.size();
    auto retracted = m_retracted.begin();
    std::uint64_t before = 0;
    for (const auto& [sequence, row] : m_rows) {
        for (; retracted != m_retracted.end() && *retracted < sequence; ++retracted) ++before;
        positions[index++] = sequence < m_missedFrom ? sequence - before : kUnknownPosition;
    }
}

}  // namespace roofscope
