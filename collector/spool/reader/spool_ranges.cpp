// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_ranges.h"

#include <algorithm>
#include <utility>

namespace roofscope {

using namespace spool;

void SpoolRanges::take(const RangeFacts& record) {
    Row row{.measured = {.range = m_ids.ranges.at(record.range),
                         .process = m_ids.process,
                         .device = m_ids.devices.at(record.device),
                         .ordinal = record.ordinal,
                         .depth = record.depth,
                         .launches = record.launches,
                         .work = record.work},
            .begin = record.begin,
            .end = record.end};
    m_rows[{record.range, record.device, record.ordinal}] = std::move(row);
}

void SpoolRanges::take(RangeCountersRecord record) {
    m_counters[record.device] = std::move(record.names);
}

void SpoolRanges::take(RangeValuesRecord record) {
    const auto it = m_rows.find({record.range, record.device, record.ordinal});
    if (it != m_rows.end()) it->second.values = std::move(record.values);
}

void SpoolRanges::time(Row& row, const SpoolLaunches& launches) {
    // A launch is normally in a few nested ranges. Only a forged spool has many ranges
    // that each hold all launches.
    constexpr std::uint64_t kMostVisited = 50'000'000;
    m_visited += std::min<std::uint64_t>(row.end - std::min(row.begin, row.end), launches.size());
    if (m_visited > kMostVisited) return;
    std::vector<std::pair<std::int64_t, std::int64_t>> kernels;  // start, end
    bool known = true;
    launches.visit(row.begin, row.end, [&](const Launch& launch, const auto& time) {
        if (launch.device != row.measured.device) return;
        if (time)
            kernels.emplace_back(time->start, time->end);
        else
            known = false;
    });
    if (!known || kernels.empty() || kernels.size() != row.measured.launches) return;
    std::ranges::sort(kernels);
    std::int64_t busy = 0, last = kernels.front().first;
    for (const auto& [start, end] : kernels) {
        if (end <= last) continue;
        busy += end - std::max(start, last);
        last = end;
    }
    row.measured.duration = Seconds{static_cast<double>(last - kernels.front().first) / 1e9};
    row.measured.busy = Seconds{static_cast<double>(busy) / 1e9};
}

void SpoolRanges::finish(const SpoolLaunches& launches) {
    CounterTable& table = m_ids.profile.rangeCounters;
    for (auto& [key, row] : m_rows) {
        time(row, launches);
        const std::size_t index = m_ids.profile.rangeMeasurements.size();
        m_ids.profile.rangeMeasurements.push_back(row.measured);
        const auto& names = m_counters[std::get<1>(key)];
        if (row.values.size() != names.size()) continue;
        for (std::size_t i = 0; i < names.size(); ++i) table.set(names[i], index, row.values[i]);
    }
    table.resize(m_ids.profile.rangeMeasurements.size());
}

}  // namespace roofscope
