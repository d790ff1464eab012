// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/group_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofscope {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

void appendName(std::string& list, std::string_view name) {
    if (list.find(name) != std::string::npos) return;  // an extra may repeat a counter's name
    if (!list.empty()) list += ", ";
    list += name;
}

bool anyFinite(std::span<const double> values) {
    return std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

const GroupSums::Column& GroupSums::column(std::string_view counter) const {
    const CounterLookup::Found& found = (*m_lookup)[counter];
    const auto [known, isNew] = m_columns.try_emplace(&found);
    Column& column = known->second;
    if (!isNew) return column;
    const auto add = [&column](std::size_t launch, double value) {
        column.launches.push_back(static_cast<std::uint32_t>(launch));
        column.values.push_back(value);
    };
    found.column.forEachOf(m_rows, add);
    if (!column.launches.empty() || !found.substitutable) return column;
    const auto substituted = substituteCounter(m_lookup->table(), counter, m_rows);
    if (!substituted) return column;
    m_substitutes.push_back({.wanted = std::string(counter), .formula = substituted->formula});
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (std::isfinite(substituted->values[i])) add(i, substituted->values[i]);
    return column;
}

std::vector<double> GroupSums::perLaunch(std::string_view counter) const {
    std::vector<double> values(m_rows.size(), kMissing);
    const Column& found = column(counter);
    for (std::size_t i = 0; i < found.launches.size(); ++i)
        values[found.launches[i]] = found.values[i];
    return values;
}

GroupSums::Joint GroupSums::joint(std::span<const std::string_view> counters,
                                  std::span<const Extra> extras) const {
    std::vector<const Column*> columns;
    for (const std::string_view counter : counters) columns.push_back(&column(counter));
    Joint joint;
    joint.sums.assign(counters.size() + extras.size(), 0.0);
    std::vector<double> launch(joint.sums.size());
    std::vector<std::size_t> next(columns.size(), 0);  // of each column: where to look for a launch
    // Reads the values of one launch; false if one is missing. Call it with ascending launches
    // only.
    const auto hasAll = [&](std::uint32_t i) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto& [launches, values] = *columns[c];
            while (next[c] < launches.size() && launches[next[c]] < i) ++next[c];
            if (next[c] == launches.size() || launches[next[c]] != i) return false;
            launch[c] = values[next[c]];
        }
        for (std::size_t e = 0; e < extras.size(); ++e) {
            launch[columns.size() + e] = extras[e].values[i];
            if (!std::isfinite(extras[e].values[i])) return false;
        }
        return true;
    };
    const auto add = [&](std::uint32_t i) {
        if (!hasAll(i)) return;
        ++joint.launches;
        for (std::size_t c = 0; c < launch.size(); ++c) joint.sums[c] += launch[c];
    };
    // Only launches with the rarest counter can have all counters; there may be few of them.
    const auto fewest = std::ranges::min_element(
        columns, {}, [](const Column* column) { return column->launches.size(); });
    if (fewest != columns.end())
        std::ranges::for_each((*fewest)->launches, add);
    else
        for (std::uint32_t i = 0; i < m_rows.size(); ++i) add(i);
    if (joint.ok()) return joint;

    for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c]->launches.empty()) appendName(joint.missing, counters[c]);
    for (const Extra& extra : extras)
        if (!anyFinite(extra.values)) appendName(joint.missing, extra.name);
    if (!joint.missing.empty() || joint.sums.empty()) return joint;

    // All were measured, but never in one launch: use means, over as many launches as the rarest
    // has.
    joint.launches = m_rows.size();
    const auto takeMean = [&](std::size_t c, std::span<const double> values) {
        std::size_t count = 0;
        double sum = 0;
        for (const double value : values)
            if (std::isfinite(value)) {
                ++count;
                sum += value;
            }
        joint.sums[c] = sum / static_cast<double>(count);
        joint.launches = std::min(joint.launches, count);
    };
    for (std::size_t c = 0; c < columns.size(); ++c) takeMean(c, columns[c]->values);
    for (std::size_t e = 0; e < extras.size(); ++e) takeMean(columns.size() + e, extras[e].values);
    for (double& sum : joint.sums) sum *= static_cast<double>(joint.launches);
    return joint;
}

}  // namespace roofscope
