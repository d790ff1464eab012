// SPDX-License-Identifier: Apache-2.0
#include "profile/model/counter_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace roofscope {
namespace {

using Held = CounterColumn::Held;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A value takes 12 bytes with its row and 8 without; few must be far fewer to repay the search.
/// Short columns are not worth it.
constexpr std::size_t kFewOf = 8, kLong = 256;

bool isFew(std::size_t values, std::size_t rows) { return rows >= kLong && values * kFewOf < rows; }

/// Long counts end where the highest word of one would stand for a missing one.
constexpr double kLongEnd = CounterColumn::kNoWord * 0x1p32;

bool isLongCount(double value) {
    return value >= 0 && value < kLongEnd &&
           value == static_cast<double>(static_cast<std::int64_t>(value)) && !std::signbit(value);
}

bool isCount(double value) { return value < CounterColumn::kNoCount && isLongCount(value); }

/// How counts are held that are all there is beside missing values; Each where something else is.
Held heldAsCounts(std::span<const double> values) {
    double largest = 0;
    for (const double value : values) {
        if (value != value) continue;
        if (!isLongCount(value)) return Held::Each;
        largest = std::max(largest, value);
    }
    return isCount(largest) ? Held::Counts : Held::LongCounts;
}

std::uint32_t countOf(double value) {
    return value == value ? static_cast<std::uint32_t>(value) : CounterColumn::kNoCount;
}

}  // namespace

double CounterColumn::searched(std::size_t row) const {
    const auto found = std::ranges::lower_bound(m_numbers, row);
    if (found == m_numbers.end() || *found != row) return kMissing;
    return m_values[static_cast<std::size_t>(found - m_numbers.begin())];
}

std::vector<double> CounterColumn::at(std::span<const std::uint32_t> rows) const {
    std::vector<double> values;
    values.reserve(rows.size());
    if (!sparse()) {
        for (const std::uint32_t row : rows) values.push_back((*this)[row]);
        return values;
    }
    auto next =
        rows.empty() ? m_numbers.begin() : std::ranges::lower_bound(m_numbers, rows.front());
    for (const std::uint32_t row : rows) {
        while (next != m_numbers.end() && *next < row) ++next;
        values.push_back(next != m_numbers.end() && *next == row
                             ? m_values[static_cast<std::size_t>(next - m_numbers.begin())]
                             : kMissing);
    }
    return values;
}

bool CounterColumn::measuredIn(std::span<const std::uint32_t> rows) const {
    if (!sparse())
        return std::ranges::any_of(rows,
                                   [&](std::uint32_t row) { return std::isfinite((*this)[row]); });
    if (rows.empty()) return false;
    // What is held lies seldom in another group: from the held rows to those asked for.
    auto held = std::ranges::lower_bound(m_numbers, rows.front());
    for (; held != m_numbers.end() && *held <= rows.back(); ++held)
        if (std::ranges::binary_search(rows, *held) &&
            std::isfinite(m_values[static_cast<std::size_t>(held - m_numbers.begin())]))
            return true;
    return false;
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
        m_columns.push_back({.held = Held::Few});
    }
    return m_columns[found->second];
}

void CounterTable::makeDense(Column& column) const {
    if (column.held == Held::Each) return;
    column = {.held = Held::Each, .values = viewOf(column).all()};
}

void CounterTable::settle(Column& column) const {
    if (column.held == Held::Few && !isFew(column.values.size(), m_rows)) makeDense(column);
    if (column.held != Held::Each || m_rows < kLong) return;
    const std::vector<double>& values = column.values;
    const auto measured = static_cast<std::size_t>(
        std::ranges::count_if(values, [](double value) { return value == value; }));
    Column cheap;
    if (isFew(measured, m_rows)) {
        cheap.held = Held::Few;
        cheap.numbers.reserve(measured);
        cheap.values.reserve(measured);
        viewOf(column).forEach([&](std::size_t row, double value) {
            cheap.numbers.push_back(static_cast<std::uint32_t>(row));
            cheap.values.push_back(value);
        });
    } else if (std::ranges::all_of(values, [&](double value) {
                   return std::bit_cast<std::uint64_t>(value) ==
                          std::bit_cast<std::uint64_t>(values.front());
               })) {
        cheap.held = Held::Same;
        cheap.values = {values.front()};
    } else {
        cheap.held = heldAsCounts(values);
        if (cheap.held == Held::Each) return;
        if (cheap.held == Held::Counts) {
            cheap.numbers.resize(values.size());
            std::ranges::transform(values, cheap.numbers.begin(), countOf);
        } else {
            cheap.words.resize(CounterColumn::kWords * values.size(), CounterColumn::kNoWord);
            std::uint16_t* word = cheap.words.data();
            for (const double value : values) {
                if (value == value) {
                    const auto count = static_cast<std::uint64_t>(value);
                    for (std::size_t i = 0; i < CounterColumn::kWords; ++i)
                        word[i] = static_cast<std::uint16_t>(count >> (16 * i));
                }
                word += CounterColumn::kWords;
            }
        }
    }
    column = std::move(cheap);
}

void CounterTable::set(std::string_view name, std::size_t row, double value) {
    if (row >= m_rows) resize(row + 1);
    Column& column = columnOf(name);
    if (!std::isfinite(value)) value = kMissing;
    if (column.held == Held::Counts && (value != value || isCount(value))) {
        column.numbers[row] = countOf(value);
        return;
    }
    if (column.held != Held::Few || !isFew(column.values.size() + 1, m_rows)) makeDense(column);
    if (column.held == Held::Each) {
        column.values[row] = value;
        return;
    }
    const auto place = std::ranges::lower_bound(column.numbers, row);
    const auto index = place - column.numbers.begin();
    if (place != column.numbers.end() && *place == row) {
        column.values[static_cast<std::size_t>(index)] = value;
    } else if (value == value) {
        column.numbers.insert(place, static_cast<std::uint32_t>(row));
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
    column = {.held = Held::Few, .values = std::move(values), .numbers = std::move(rows)};
    settle(column);
}

void CounterTable::addColumn(std::string name, std::vector<double> values) {
    // A table of names without rows gets its length from the first column; all columns so far are
    // empty then, so they are padded with missing values.
    if (m_rows == 0) resize(values.size());
    values.resize(m_rows, kMissing);
    for (double& value : values)
        if (!std::isfinite(value)) value = kMissing;
    Column& column = columnOf(name);
    column = {.held = Held::Each, .values = std::move(values)};
    settle(column);
}

void CounterTable::resize(std::size_t rows) {
    for (Column& column : m_columns) {
        switch (column.held) {
            case Held::Counts:
                column.numbers.resize(rows, CounterColumn::kNoCount);
                break;
            case Held::LongCounts:
                column.words.resize(CounterColumn::kWords * rows, CounterColumn::kNoWord);
                break;
            case Held::Few: {
                const auto end = std::ranges::lower_bound(column.numbers, rows);
                column.numbers.erase(end, column.numbers.end());
                column.values.resize(column.numbers.size());
                break;
            }
            case Held::Same:
                makeDense(column);
                [[fallthrough]];
            case Held::Each:
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
        if (!added.sparse() || column.held != Held::Few) makeDense(column);
        added.forEach([&](std::size_t row, double value) {
            if (column.held == Held::Few) {
                column.numbers.push_back(static_cast<std::uint32_t>(first + row));
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
