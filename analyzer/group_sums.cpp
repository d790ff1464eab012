// SPDX-License-Identifier: Apache-2.0
#include "analyzer/group_sums.h"

#include <cmath>
#include <limits>

namespace roofscope {

namespace {
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double at(std::span<const double> column, std::uint32_t row) {
    return row < column.size() ? column[row] : kMissing;
}

void appendName(std::string& list, std::string_view name) {
    if (list.find(name) != std::string::npos) return;  // an extra may repeat a counter's name
    if (!list.empty()) list += ", ";
    list += name;
}
}  // namespace

std::vector<double> GroupSums::perLaunch(std::string_view counter) const {
    const auto column = m_counters.column(counter);
    std::vector<double> values(m_rows.size(), kMissing);
    for (std::size_t i = 0; i < m_rows.size(); ++i) values[i] = at(column, m_rows[i]);
    return values;
}

GroupSums::Joint GroupSums::joint(std::span<const std::string_view> counters,
                                  std::span<const Extra> extras) const {
    const std::size_t width = counters.size() + extras.size();
    std::vector<std::span<const double>> columns;
    columns.reserve(counters.size());
    for (const auto name : counters) columns.push_back(m_counters.column(name));

    Joint joint;
    joint.sums.assign(width, 0.0);
    std::vector<double> launch(width);
    std::vector<char> seen(width, 0);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        bool complete = true;
        for (std::size_t c = 0; c < width; ++c) {
            launch[c] = c < counters.size() ? at(columns[c], m_rows[i])
                                            : extras[c - counters.size()].values[i];
            if (std::isfinite(launch[c]))
                seen[c] = 1;
            else
                complete = false;
        }
        if (!complete) continue;
        ++joint.launches;
        for (std::size_t c = 0; c < width; ++c) joint.sums[c] += launch[c];
    }
    if (joint.ok()) return joint;

    const auto nameOf = [&](std::size_t c) {
        return c < counters.size() ? counters[c] : extras[c - counters.size()].name;
    };
    for (std::size_t c = 0; c < width; ++c)
        if (!seen[c]) appendName(joint.missing, nameOf(c));
    if (joint.missing.empty()) {  // each was measured, but never in the same launch
        for (std::size_t c = 0; c < width; ++c) appendName(joint.missing, nameOf(c));
    }
    return joint;
}

}  // namespace roofscope
