// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace roofscope {

/// The values of one counter, one per row; NaN means missing. A view: valid until the table
/// changes. A column with few values is sparse and stores only those, so that a million launches of
/// which a thousand were counted cost a thousand values.
class CounterColumn {
public:
    CounterColumn() = default;
    /// Dense: a value for each row.
    explicit CounterColumn(std::span<const double> values)
        : m_size(values.size()), m_values(values) {}
    /// Sparse: only these rows, in ascending order, have values.
    CounterColumn(std::size_t size, std::span<const std::uint32_t> rows,
                  std::span<const double> values)
        : m_size(size), m_values(values), m_rows(rows), m_sparse(true) {}

    /// Rows of the table; 0 if the counter has no column.
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    /// NaN if missing or beyond the end. A sparse column searches for the row.
    [[nodiscard]] double operator[](std::size_t row) const {
        if (m_sparse) return searched(row);
        return row < m_size ? m_values[row] : kMissing;
    }
    /// Calls `visit(row, value)` for each value that was measured, rows ascending.
    template <class Visit>
    void forEach(Visit visit) const {
        for (std::size_t i = 0; i < m_values.size(); ++i)
            if (m_values[i] == m_values[i]) visit(m_sparse ? m_rows[i] : i, m_values[i]);
    }
    /// Calls `visit(i, value)` for each `rows[i]` that was measured, in order. `rows` must ascend.
    template <class Visit>
    void forEachOf(std::span<const std::uint32_t> rows, Visit visit) const;
    /// One value for each of these ascending rows; NaN if missing.
    [[nodiscard]] std::vector<double> at(std::span<const std::uint32_t> rows) const;
    /// One value for each row of the table.
    [[nodiscard]] std::vector<double> all() const;
    [[nodiscard]] bool sparse() const { return m_sparse; }
    /// Number of stored values: the measured ones in a sparse column, else one per row.
    [[nodiscard]] std::size_t count() const { return m_values.size(); }

private:
    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    [[nodiscard]] double searched(std::size_t row) const;

    std::size_t m_size = 0;
    std::span<const double> m_values;
    std::span<const std::uint32_t> m_rows;  ///< only in a sparse column
    bool m_sparse = false;
};

template <class Visit>
void CounterColumn::forEachOf(std::span<const std::uint32_t> rows, Visit visit) const {
    if (!m_sparse) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (const double value = (*this)[rows[i]]; value == value) visit(i, value);
        return;
    }
    if (rows.empty()) return;
    // Walk through the shorter list and search in the longer one.
    auto held = std::ranges::lower_bound(m_rows, rows.front());
    const auto end = std::ranges::upper_bound(held, m_rows.end(), rows.back());
    const auto visitHeld = [&](std::size_t i) {
        const double value = m_values[static_cast<std::size_t>(held - m_rows.begin())];
        if (value == value) visit(i, value);
    };
    if (static_cast<std::size_t>(end - held) < rows.size()) {
        for (auto row = rows.begin(); held != end; ++held) {
            row = std::lower_bound(row, rows.end(), *held);
            if (*row == *held) visitHeld(static_cast<std::size_t>(row - rows.begin()));
        }
    } else {
        for (std::size_t i = 0; i < rows.size() && held != end; ++i) {
            held = std::lower_bound(held, end, rows[i]);
            if (held != end && *held == rows[i]) visitHeld(i);
        }
    }
}

/// Hardware counters as columns: one array per counter, one row per launch.
///
/// Counters are addressed by their CUPTI name ("dram__bytes_read.sum"), never by position. A value
/// that was not measured is missing: std::nullopt here, null in the file, never 0.
class CounterTable {
public:
    CounterTable() = default;
    explicit CounterTable(std::size_t rows) : m_rows(rows) {}

    [[nodiscard]] std::size_t rows() const { return m_rows; }
    /// Names in the order in which they were added.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// True when the counter has a column, even when every value in it is missing.
    [[nodiscard]] bool has(std::string_view name) const;

    /// The value of one counter for one launch; nullopt when it was not measured, when there is
    /// no such counter or no such row.
    [[nodiscard]] std::optional<double> value(std::string_view name, std::size_t row) const;
    /// Stores one value; the column is created when it is new, the table grows when `row` is past
    /// its end. A value that is not finite is stored as missing.
    void set(std::string_view name, std::size_t row, double value);
    /// Adds a column in which only these ascending rows have values; rows beyond the end are
    /// dropped.
    void addSparseColumn(std::string name, std::vector<std::uint32_t> rows,
                         std::vector<double> values);
    /// Adds a whole column; NaN marks a missing value. If the table has no rows yet, it takes the
    /// column's length; otherwise the column is padded with missing values or cut to fit.
    void addColumn(std::string name, std::vector<double> values);
    /// Grows or shrinks every column; new values are missing.
    void resize(std::size_t rows);
    /// Appends the rows of `other` below this table's; columns are joined by name.
    void append(const CounterTable& other);
    /// Empty when there is no such counter.
    [[nodiscard]] CounterColumn column(std::string_view name) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };
    /// As in CounterColumn.
    struct Column {
        bool sparse = true;
        std::vector<double> values;
        std::vector<std::uint32_t> rows;
    };
    [[nodiscard]] CounterColumn viewOf(const Column& column) const {
        return column.sparse ? CounterColumn(m_rows, column.rows, column.values)
                             : CounterColumn(column.values);
    }
    /// The column of that name; created if needed.
    Column& columnOf(std::string_view name);
    /// Makes the column sparse or dense, depending on how many values it has.
    void settle(Column& column) const;
    /// Makes the column store one double per row.
    void makeDense(Column& column) const;

    std::size_t m_rows = 0;
    std::vector<std::string> m_names;
    std::vector<Column> m_columns;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> m_index;
};

}  // namespace roofscope
