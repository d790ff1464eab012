// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_over_time.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace roofscope {

using namespace spool;

namespace {

constexpr std::size_t kMostIntervals = 100'000;  // more than are written
constexpr std::size_t kMostLaunches = 1000;

}  // namespace

void SpoolOverTime::take(const OverTimeRecord& record) {
    if (m_found.size() == kMostLaunches) return;
    OverTime trace{.kernel = m_ids.kernels.at(record.kernel)};
    for (const std::uint64_t ns : record.ends) {
        const Seconds end{static_cast<double>(ns) / 1e9};
        if (!(end.value > (trace.ends.empty() ? 0 : trace.ends.back().value)) ||
            trace.ends.size() == kMostIntervals)
            throw std::invalid_argument("intervals must end one after the other");
        trace.ends.push_back(end);
    }
    if (record.columns.size() != record.counters.size())
        throw std::invalid_argument("values are missing");
    trace.counters.resize(trace.ends.size());
    for (std::size_t c = 0; c < record.counters.size(); ++c) {
        if (record.columns[c].size() != trace.ends.size())
            throw std::invalid_argument("values are missing");
        trace.counters.addColumn(record.counters[c], record.columns[c]);
    }
    m_found.emplace_back(record.sequence, m_ids.profile.overTime.size());
    m_ids.profile.overTime.push_back(std::move(trace));
}

void SpoolOverTime::finish(const SpoolLaunches& launches) {
    for (const auto& [sequence, index] : m_found) {
        OverTime& trace = m_ids.profile.overTime[index];
        trace.launch = launches.rowOf(sequence, trace.kernel);
    }
}

}  // namespace roofscope
