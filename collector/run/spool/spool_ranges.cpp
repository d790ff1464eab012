// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_ranges.h"

#include <algorithm>
#include <utility>

namespace roofscope {

using namespace spool;

bool SpoolRanges::apply(std::string_view type, const Json& json) {
    if (type == "range-end")
        end(json);
    else if (type == "range-values")
        values(json);
    else if (type == "range-counters")
        m_counters[whole<std::uint32_t>(json, "d")] =
            json.at("names").get<std::vector<std::string>>();
    else
        return false;
    return true;
}

SpoolRanges::Key SpoolRanges::keyOf(const Json& json) {
    return {whole<std::uint32_t>(json, "r"), whole<std::uint32_t>(json, "d"),
            whole<std::uint32_t>(json, "o")};
}

void SpoolRanges::end(const Json& json) {
    const auto key = keyOf(json);
    Row row;
    RangeMeasurement& m = row.measured;
    m.range = m_ids.ranges.at(std::get<0>(key));
    m.device = m_ids.devices.at(std::get<1>(key));
    m.ordinal = std::get<2>(key);
    m.process = m_ids.process;
    m.depth = whole<std::uint32_t>(json, "depth");
    m.launches = optionalWhole<std::uint64_t>(json, "launches");
    m.work = optionalWhole<std::uint64_t>(json, "work");
    row.begin = count(json, "from");
    row.end = count(json, "to");
    m_rows[key] = std::move(row);
}

void SpoolRanges::values(const Json& json) {
    const auto it = m_rows.find(keyOf(json));
    if (it == m_rows.end()) return;
    for (const auto& v : json.at("v")) it->second.values.push_back(numberOrMissing(v));
}

void SpoolRanges::time(Row& row, const SpoolLaunches& launches) {
    // A launch lies in as many ranges as are open around it: a few. Only a forged spool has many
    // that hold them all.
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
