// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/group_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace roofscope {

namespace {
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Most groups are of so few launches, and most formulas of so few counters.
constexpr std::size_t kFewLaunches = 16, kFewColumns = 16;

void appendName(std::string& list, std::string_view name) {
    if (list.find(name) != std::string::npos) return;  // an extra may repeat a counter's name
    if (!list.empty()) list += ", ";
    list += name;
}
}  // namespace

GroupSums::Column GroupSums::closer(std::string_view counter, const CounterColumn& column) const {
    // Below this a group's part of all columns stays in the cache anyway.
    constexpr std::size_t kMany = 1024, kFarApart = 4;
    const bool near =
        m_rows.size() < kMany || m_rows.back() - m_rows.front() < kFarApart * m_rows.size();
    if (near && !column.sparse()) return {.byRow = column};
    const auto [entry, fresh] = m_gathered.try_emplace(std::string(counter));
    Gathered& gathered = entry->second;
    if (fresh) {
        gathered.values = column.at(m_rows);
        if (column.sparse())
            for (std::uint32_t i = 0; i < gathered.values.size(); ++i)
                if (std::isfinite(gathered.values[i])) gathered.measured.push_back(i);
    }
    return {.values = gathered.values,
            .perLaunch = true,
            .measured = column.sparse() ? &gathered.measured : nullptr};
}

GroupSums::Column GroupSums::column(std::string_view counter) const {
    const CounterLookup::Found* known = m_lookup ? &(*m_lookup)[counter] : nullptr;
    const CounterColumn direct = known ? known->column : m_counters.column(counter);
    if (direct.measuredIn(m_rows)) return closer(counter, direct);
    if (known && !known->substitutable) return {};
    auto sought = m_sought.find(counter);
    if (sought == m_sought.end()) {
        sought =
            m_sought.emplace(std::string(counter), substituteCounter(m_counters, counter, m_rows))
                .first;
        if (sought->second)
            m_substitutes.push_back(
                {.wanted = std::string(counter), .formula = sought->second->formula});
    }
    if (!sought->second) return {};  // no row has a value
    return {.values = sought->second->values, .perLaunch = true};
}

SmallNumbers GroupSums::perLaunch(std::string_view counter) const {
    if (m_lookup && m_rows.size() <= kFewLaunches) {
        const CounterLookup::Found& known = (*m_lookup)[counter];
        if (!known.column.sparse()) {
            SmallNumbers values(m_rows.size(), kMissing);
            bool any = false;
            for (std::size_t i = 0; i < m_rows.size(); ++i) {
                values[i] = known.column[m_rows[i]];
                any = any || std::isfinite(values[i]);
            }
            if (any || !known.substitutable) return values;
        }
    }
    const Column found = column(counter);
    SmallNumbers values(m_rows.size(), kMissing);
    double* const each = values.data();
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        each[i] = found.perLaunch ? found.values[i] : found.byRow[m_rows[i]];
    return values;
}

double GroupSums::wholeSum(const CounterLookup::Found& counter) const {
    if (counter.number < kKept && m_summed[counter.number]) return m_sums[counter.number];
    double sum = counter.column.sparse() ? kMissing : 0;
    for (std::size_t i = 0; i < m_rows.size() && !counter.column.sparse(); ++i)
        sum += counter.column[m_rows[i]];
    if (counter.number < kKept) {
        m_summed[counter.number] = true;
        m_sums[counter.number] = sum;
    }
    return sum;
}

bool GroupSums::ofWholeLaunches(std::span<const std::string_view> counters,
                                std::span<const Extra> extras, Joint& joint) const {
    if (!m_lookup || m_rows.empty()) return false;
    joint.sums.assign(counters.size() + extras.size(), 0.0);
    double* sums = joint.sums.data();
    for (const std::string_view counter : counters) {
        *sums = wholeSum((*m_lookup)[counter]);
        if (!std::isfinite(*sums++)) return false;
    }
    for (const Extra& extra : extras) {
        for (std::size_t i = 0; i < m_rows.size(); ++i) *sums += extra.values[i];
        if (!std::isfinite(*sums++)) return false;
    }
    joint.launches = m_rows.size();
    return true;
}

bool GroupSums::ofFewLaunches(std::span<const std::string_view> counters,
                              std::span<const Extra> extras, Joint& joint) const {
    const std::size_t width = counters.size() + extras.size();
    if (!m_lookup || m_rows.size() > kFewLaunches || width > kFewColumns) return false;
    std::array<const CounterColumn*, kFewColumns> columns;
    for (std::size_t c = 0; c < counters.size(); ++c) {
        columns[c] = &(*m_lookup)[counters[c]].column;
        if (columns[c]->sparse()) return false;
    }
    const auto value = [&](std::size_t i, std::size_t c) {
        return c < counters.size() ? (*columns[c])[m_rows[i]]
                                   : extras[c - counters.size()].values[i];
    };
    joint.sums.assign(width, 0.0);
    double* const sums = joint.sums.data();
    std::array<double, kFewColumns> launch;
    std::array<bool, kFewColumns> seen{};
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        bool complete = true;
        for (std::size_t c = 0; c < width; ++c) {
            launch[c] = value(i, c);
            if (std::isfinite(launch[c]))
                seen[c] = true;
            else
                complete = false;
        }
        if (!complete) continue;
        ++joint.launches;
        for (std::size_t c = 0; c < width; ++c) sums[c] += launch[c];
    }
    if (joint.ok()) return true;
    for (std::size_t c = 0; c < width; ++c) {
        if (seen[c]) continue;
        if (c < counters.size() && (*m_lookup)[counters[c]].substitutable) return false;
        appendName(joint.missing,
                   c < counters.size() ? counters[c] : extras[c - counters.size()].name);
    }
    return !joint.missing.empty();
}

GroupSums::Joint GroupSums::joint(std::span<const std::string_view> counters,
                                  std::span<const Extra> extras) const {
    if (Joint few; ofWholeLaunches(counters, extras, few) || ofFewLaunches(counters, extras, few))
        return few;
    const std::size_t width = counters.size() + extras.size();
    std::vector<Column>& columns = m_scratch.columns;
    std::vector<double>& launch = m_scratch.launch;
    std::vector<char>& seen = m_scratch.seen;
    columns.clear();
    for (const auto name : counters) columns.push_back(column(name));
    launch.assign(width, 0.0);
    seen.assign(width, 0);

    Joint joint;
    joint.sums.assign(width, 0.0);
    double* const sums = joint.sums.data();
    const auto value = [&](std::size_t i, std::size_t c) {
        if (c >= counters.size()) return extras[c - counters.size()].values[i];
        return columns[c].perLaunch ? columns[c].values[i] : columns[c].byRow[m_rows[i]];
    };
    const auto add = [&](std::size_t i) {
        bool complete = true;
        for (std::size_t c = 0; c < width; ++c) {
            launch[c] = value(i, c);
            if (std::isfinite(launch[c]))
                seen[c] = 1;
            else
                complete = false;
        }
        if (!complete) return;
        ++joint.launches;
        for (std::size_t c = 0; c < width; ++c) sums[c] += launch[c];
    };
    // Of a million launches a thousand may have been counted: no other can have them all.
    const std::vector<std::uint32_t>* few = nullptr;
    for (const Column& column : columns)
        if (column.measured && (!few || column.measured->size() < few->size()))
            few = column.measured;
    if (few) {
        for (const std::uint32_t i : *few) add(i);
        if (joint.ok()) return joint;
        seen.assign(width, 0);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) add(i);
    if (joint.ok()) return joint;

    const auto nameOf = [&](std::size_t c) {
        return c < counters.size() ? counters[c] : extras[c - counters.size()].name;
    };
    for (std::size_t c = 0; c < width; ++c)
        if (!seen[c]) appendName(joint.missing, nameOf(c));
    if (!joint.missing.empty() || width == 0) return joint;

    // Each was measured, but never in the same launch: means, as if of the rarest one's launches.
    joint.launches = m_rows.size();
    for (std::size_t c = 0; c < width; ++c) {
        std::size_t count = 0;
        double sum = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (const double v = value(i, c); std::isfinite(v)) {
                ++count;
                sum += v;
            }
        sums[c] = sum / static_cast<double>(count);
        joint.launches = std::min(joint.launches, count);
    }
    for (double& sum : joint.sums) sum *= static_cast<double>(joint.launches);
    return joint;
}

}  // namespace roofscope
