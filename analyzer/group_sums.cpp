// SPDX-License-Identifier: Apache-2.0
#include "analyzer/group_sums.h"

#include <algorithm>
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

GroupSums::Column GroupSums::column(std::string_view counter) const {
    const auto direct = m_counters.column(counter);
    for (const std::uint32_t row : m_rows)
        if (std::isfinite(at(direct, row))) return {.values = direct};
    auto sought = m_sought.find(counter);
    if (sought == m_sought.end()) {
        sought =
            m_sought.emplace(std::string(counter), substituteCounter(m_counters, counter, m_rows))
                .first;
        if (sought->second)
            m_substitutes.push_back(
                {.wanted = std::string(counter), .formula = sought->second->formula});
    }
    if (!sought->second) return {.values = direct};
    return {.values = sought->second->values, .perLaunch = true};
}

std::vector<double> GroupSums::perLaunch(std::string_view counter) const {
    const Column found = column(counter);
    std::vector<double> values(m_rows.size(), kMissing);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        values[i] = found.perLaunch ? found.values[i] : at(found.values, m_rows[i]);
    return values;
}

GroupSums::Joint GroupSums::joint(std::span<const std::string_view> counters,
                                  std::span<const Extra> extras) const {
    const std::size_t width = counters.size() + extras.size();
    std::vector<Column> columns;
    columns.reserve(counters.size());
    for (const auto name : counters) columns.push_back(column(name));

    Joint joint;
    joint.sums.assign(width, 0.0);
    std::vector<double> launch(width);
    std::vector<double> ownSums(width, 0.0);
    std::vector<std::size_t> seen(width, 0);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        bool complete = true;
        for (std::size_t c = 0; c < width; ++c) {
            if (c >= counters.size())
                launch[c] = extras[c - counters.size()].values[i];
            else
                launch[c] =
                    columns[c].perLaunch ? columns[c].values[i] : at(columns[c].values, m_rows[i]);
            if (std::isfinite(launch[c])) {
                ++seen[c];
                ownSums[c] += launch[c];
            } else {
                complete = false;
            }
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
        if (seen[c] == 0) appendName(joint.missing, nameOf(c));
    if (!joint.missing.empty() || width == 0) return joint;
    // Each was measured, but never in the same launch.
    joint.launches = *std::ranges::min_element(seen);
    for (std::size_t c = 0; c < width; ++c)
        joint.sums[c] =
            ownSums[c] / static_cast<double>(seen[c]) * static_cast<double>(joint.launches);
    return joint;
}

}  // namespace roofscope
