// SPDX-License-Identifier: Apache-2.0
#include "profile/model/counter_table.h"

#include <algorithm>
#include <cmath>

namespace roofscope {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A sparse value takes 12 bytes with its row, a dense one 8. A column becomes sparse only if it
/// has far fewer values than rows, since lookups then need a search, and only if it is long.
constexpr std::size_t kFewOf = 8, kLong = 256;

bool isFew(std::size_t values, std::size_t rows) { return rows >= kLong && values * kFewOf < rows; }

}  // namespace

double CounterColumn::searched(std::size_t row) const {
    const auto found = std::ranges::lower_bound(m_rows, row);
    if (found == m_rows.end() || *found != row) return kMissing;
    return m_values[static_cast<std::size_t>(found - m_rows.begin())];
}

std::vector<double> CounterColumn::at(std::span<const std::uint32_t> rows) const {
    std::vector<double> values(rows.size(), kMissing);
    forEachOf(rows, [&](std::size_t i, double value) { values[i] = value; });
    return values;
}

std::vector<double> CounterColumn::all() const {
    std::vector<double> values(m_size, kMissing);
    forEach([&](std::size_t row, double value) { values[row] = value; });
    return values;
}

bool CounterTable::has(std::string_view name) const { return m_index.find(name) != m_index.end(); }

std::optional<double> CounterTable::value(std::string_view name, std::size_t row) const {
    const double value = column(name)[row];
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CounterTable::Column& CounterTable::columnOf(std::string_view name) {
    auto found = m_index.find(name);
    if (found == m_index.end()) {
        found = m_index.emplace(std::string(name), m_names.size()).first;
        m_names.emplace_back(name);
        m_columns.emplace_back();
    }
    return m_columns[found->second];
}

void CounterTable::makeDense(Column& column) const {
    if (column.sparse) column = {.sparse = false, .values = viewOf(column).all(), .rows = {}};
}

void CounterTable::settle(Column& column) const {
    if (column.sparse) {
        if (!isFew(column.values.size(), m_rows)) makeDense(column);
        return;
    }
    const auto measured = static_cast<std::size_t>(
        std::ranges::count_if(column.values, [](double value) { return value == value; }));
    if (!isFew(measured, m_rows)) return;
    Column few;
    few.rows.reserve(measured);
    few.values.reserve(measured);
    viewOf(column).forEach([&](std::size_t row, double value) {
        few.rows.push_back(static_cast<std::uint32_t>(row));
        few.values.push_back(value);
    });
    column = std::move(few);
}

void CounterTable::set(std::string_view name, std::size_t row, double value) {
    if (row >= m_rows) resize(row + 1);
    Column& column = columnOf(name);
    if (!std::isfinite(value)) value = kMissing;
    if (!isFew(column.values.size() + 1, m_rows)) makeDense(column);
    if (!column.sparse) {
        column.values[row] = value;
        return;
    }
    const auto place = std::ranges::lower_bound(column.rows, row);
    const auto index = place - column.rows.begin();
    if (place != column.rows.end() && *place == row) {
        column.values[static_cast<std::size_t>(index)] = value;
    } else if (value == value) {
        column.rows.insert(place, static_cast<std::uint32_t>(row));
        column.values.insert(column.values.begin() + index, value);
    }
}

void CounterTable::addSparseColumn(std::string name, std::vector<std::uint32_t> rows,
                                   std::vector<double> values) {
    values.resize(rows.size(), kMissing);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size() && rows[i] < m_rows; ++i)
        if (std::isfinite(values[i])) {
            rows[kept] = rows[i];
            values[kept++] = values[i];
        }
    rows.resize(kept);
    values.resize(kept);
    Column& column = columnOf(name);
    column = {.sparse = true, .values = std::move(values), .rows = std::move(rows)};
    settle(column);
}

void CounterTable::addColumn(std::string name, std::vector<double> values) {
    // A table without rows gets its length from the first added column. Columns added before are
    // empty and are padded with missing values.
    if (m_rows == 0) resize(values.size());
    values.resize(m_rows, kMissing);
    for (double& value : values)
        if (!std::isfinite(value)) value = kMissing;
    Column& column = columnOf(name);
    column = {.sparse = false, .values = std::move(values), .rows = {}};
    settle(column);
}

void CounterTable::resize(std::size_t rows) {
    for (Column& column : m_columns) {
        if (column.sparse) {
            column.rows.erase(std::ranges::lower_bound(column.rows, rows), column.rows.end());
            column.values.resize(column.rows.size());
        } else {
            column.values.resize(rows, kMissing);
        }
    }
    m_rows = rows;
}

void CounterTable::append(const CounterTable& other) {
    if (&other == this) return append(CounterTable(other));
    const std::size_t first = m_rows;
    resize(first + other.m_rows);
    for (const std::string& name : other.m_names) {
        const CounterColumn added = other.column(name);
        Column& column = columnOf(name);
        if (!added.sparse()) makeDense(column);
        added.forEach([&](std::size_t row, double value) {
            if (column.sparse) {
                column.rows.push_back(static_cast<std::uint32_t>(first + row));
                column.values.push_back(value);
            } else {
                column.values[first + row] = value;
            }
        });
        settle(column);
    }
}

CounterColumn CounterTable::column(std::string_view name) const {
    const auto found = m_index.find(name);
    return found == m_index.end() ? CounterColumn() : viewOf(m_columns[found->second]);
}

}  // namespace roofscope
