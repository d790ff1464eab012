// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace roofscope {

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
    /// Adds a whole column; NaN marks a missing value. Its length becomes the number of rows if the
    /// table has none, otherwise it is padded with missing values or cut to fit.
    void addColumn(std::string name, std::vector<double> values);
    /// Grows or shrinks every column; new values are missing.
    void resize(std::size_t rows);
    /// Appends the rows of `other` below this table's; columns are joined by name.
    void append(const CounterTable& other);
    /// The raw column, NaN where missing; empty when there is no such counter.
    [[nodiscard]] std::span<const double> column(std::string_view name) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };
    std::size_t m_rows = 0;
    std::vector<std::string> m_names;
    std::vector<std::vector<double>> m_columns;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> m_index;
};

}  // namespace roofscope
