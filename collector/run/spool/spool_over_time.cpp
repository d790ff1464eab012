// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_over_time.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace roofscope {

using namespace spool;

namespace {

constexpr std::size_t kMostIntervals = 100'000;  // more than are written
constexpr std::size_t kMostLaunches = 1000;

}  // namespace

bool SpoolOverTime::apply(std::string_view type, const Json& json) {
    if (type != "over-time") return false;
    if (m_found.size() == kMostLaunches) return true;
    OverTime trace{.kernel = m_ids.kernels.at(whole<std::uint32_t>(json, "k"))};
    for (const Json& end : json.at("end")) {
        const Seconds seconds{static_cast<double>(whole<std::uint64_t>(end)) / 1e9};
        if (!(seconds.value > (trace.ends.empty() ? 0 : trace.ends.back().value)) ||
            trace.ends.size() == kMostIntervals)
            throw std::invalid_argument("intervals must end one after the other");
        trace.ends.push_back(seconds);
    }
    const auto names = json.at("names").get<std::vector<std::string>>();
    trace.counters.resize(trace.ends.size());
    for (std::size_t c = 0; c < names.size(); ++c) {
        const Json& values = json.at("v").at(c);
        if (values.size() != trace.ends.size()) throw std::invalid_argument("values are missing");
        std::vector<double> column;
        for (const Json& value : values) column.push_back(numberOrMissing(value));
        trace.counters.addColumn(names[c], std::move(column));
    }
    m_found.emplace_back(count(json, "n"), m_ids.profile.overTime.size());
    m_ids.profile.overTime.push_back(std::move(trace));
    return true;
}

void SpoolOverTime::finish(const SpoolLaunches& launches) {
    for (const auto& [sequence, index] : m_found) {
        OverTime& trace = m_ids.profile.overTime[index];
        trace.launch = launches.rowOf(sequence, trace.kernel);
    }
}

}  // namespace roofscope
