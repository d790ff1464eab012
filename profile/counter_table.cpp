// SPDX-License-Identifier: Apache-2.0
#include "profile/counter_table.h"

#include <cmath>
#include <limits>

namespace roofscope {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool CounterTable::has(std::string_view name) const { return m_index.find(name) != m_index.end(); }

std::optional<double> CounterTable::value(std::string_view name, std::size_t row) const {
    const auto values = column(name);
    if (row >= values.size() || !std::isfinite(values[row])) return std::nullopt;
    return values[row];
}

void CounterTable::set(std::string_view name, std::size_t row, double value) {
    if (row >= m_rows) resize(row + 1);
    auto found = m_index.find(name);
    if (found == m_index.end()) {
        found = m_index.emplace(std::string(name), m_names.size()).first;
        m_names.emplace_back(name);
        m_columns.emplace_back(m_rows, kMissing);
    }
    m_columns[found->second][row] = std::isfinite(value) ? value : kMissing;
}

void CounterTable::addColumn(std::string name, std::vector<double> values) {
    // A table of names without rows gets its length from the first column; all columns so far are
    // empty then, so they are padded with missing values.
    if (m_rows == 0) resize(values.size());
    values.resize(m_rows, kMissing);
    for (double& value : values) {
        if (!std::isfinite(value)) value = kMissing;
    }
    if (const auto found = m_index.find(name); found != m_index.end()) {
        m_columns[found->second] = std::move(values);
        return;
    }
    m_index.emplace(name, m_names.size());
    m_names.push_back(std::move(name));
    m_columns.push_back(std::move(values));
}

void CounterTable::resize(std::size_t rows) {
    m_rows = rows;
    for (auto& column : m_columns) column.resize(rows, kMissing);
}

void CounterTable::append(const CounterTable& other) {
    // `other` may be this table: sizes are read before anything grows.
    const std::size_t first = m_rows;
    const std::size_t added = other.m_rows;
    const std::size_t columns = other.m_names.size();
    resize(first + added);
    for (std::size_t c = 0; c < columns; ++c) {
        std::size_t target = m_names.size();
        if (const auto found = m_index.find(other.m_names[c]); found != m_index.end()) {
            target = found->second;
        } else {
            m_index.emplace(other.m_names[c], target);
            m_names.push_back(other.m_names[c]);
            m_columns.emplace_back(m_rows, kMissing);
        }
        for (std::size_t row = 0; row < added; ++row) {
            m_columns[target][first + row] = other.m_columns[c][row];
        }
    }
}

std::span<const double> CounterTable::column(std::string_view name) const {
    const auto found = m_index.find(name);
    if (found == m_index.end()) return {};
    return m_columns[found->second];
}

}  // namespace roofscope
