// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The values of one counter, one for each row; missing ones are NaN. A view: valid until the table
/// changes. How they are held is as cheap as can be: of a column with few values those only, so
/// that a million launches of which a thousand were counted cost a thousand; of one whose values
/// are all the same, one; counts below 2^32 in four bytes, those below 2^48 in six.
class CounterColumn {
public:
    enum class Held : std::uint8_t { Each, Counts, LongCounts, Same, Few };
    /// Stands for a missing value among counts of four bytes.
    static constexpr std::uint32_t kNoCount = std::numeric_limits<std::uint32_t>::max();
    /// Two bytes each, the lowest first, make a count of six; this as the highest a missing one.
    static constexpr std::size_t kWords = 3;
    static constexpr std::uint16_t kNoWord = std::numeric_limits<std::uint16_t>::max();

    CounterColumn() = default;
    /// `numbers`: counts, or the rows of few values. `words`: those of long counts.
    CounterColumn(std::size_t size, Held held, std::span<const double> values,
                  std::span<const std::uint32_t> numbers, std::span<const std::uint16_t> words)
        : m_size(size), m_values(values), m_numbers(numbers), m_words(words), m_held(held) {}

    /// Rows of the table; 0 when there is no such counter.
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    /// NaN where missing and beyond the end. Among few values the row is searched for.
    [[nodiscard]] double operator[](std::size_t row) const {
        if (row >= m_size) return kMissing;
        switch (m_held) {
            case Held::Counts:
                return valueOf(m_numbers[row]);
            case Held::LongCounts:
                return valueOf(&m_words[kWords * row]);
            case Held::Same:
                return m_values.front();
            case Held::Few:
                return searched(row);
            case Held::Each:
                break;
        }
        return m_values[row];
    }
    /// Calls `visit(row, value)` for each value that was measured, rows ascending.
    template <class Visit>
    void forEach(Visit visit) const {
        for (std::size_t i = 0; i < (sparse() ? m_values.size() : m_size); ++i) {
            const double value = sparse() ? m_values[i] : (*this)[i];
            if (value == value) visit(sparse() ? m_numbers[i] : i, value);
        }
    }
    /// One value for each of these rows, which ascend; NaN where missing.
    [[nodiscard]] std::vector<double> at(std::span<const std::uint32_t> rows) const;
    /// Whether any of these rows, which ascend, was measured.
    [[nodiscard]] bool measuredIn(std::span<const std::uint32_t> rows) const;
    /// One value for each row of the table.
    [[nodiscard]] std::vector<double> all() const;
    /// Few values: only those are held.
    [[nodiscard]] bool sparse() const { return m_held == Held::Few; }
    /// Of few values how many there are, else all rows.
    [[nodiscard]] std::size_t count() const { return sparse() ? m_values.size() : m_size; }
    /// What the values take in memory.
    [[nodiscard]] std::size_t bytes() const {
        return m_values.size_bytes() + m_numbers.size_bytes() + m_words.size_bytes();
    }
    /// Asks the memory for the value of a row that is needed soon; not of few values. It is read
    /// and thrown away: where the page is not known either, processors drop a mere prefetch.
    void prefetch(std::size_t row) const {
        if (row >= m_size || m_held == Held::Few || m_held == Held::Same) return;
        const double value = (*this)[row];
        asm volatile("" ::"m"(value));
    }

private:
    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    static double valueOf(std::uint32_t count) { return count == kNoCount ? kMissing : count; }
    static double valueOf(const std::uint16_t* words) {
        if (words[2] == kNoWord) return kMissing;
        return static_cast<double>(std::int64_t{words[2]} << 32 | std::int64_t{words[1]} << 16 |
                                   words[0]);
    }
    [[nodiscard]] double searched(std::size_t row) const;

    std::size_t m_size = 0;
    std::span<const double> m_values;
    std::span<const std::uint32_t> m_numbers;
    std::span<const std::uint16_t> m_words;
    Held m_held = Held::Each;
};

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
    /// Adds a column of which only these rows, which ascend, have values; later rows are cut off.
    void addSparseColumn(std::string name, std::vector<std::uint32_t> rows,
                         std::vector<double> values);
    /// Adds a whole column; NaN marks a missing value. Its length becomes the number of rows if the
    /// table has none, otherwise it is padded with missing values or cut to fit.
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
        CounterColumn::Held held = CounterColumn::Held::Each;
        std::vector<double> values;
        std::vector<std::uint32_t> numbers;
        std::vector<std::uint16_t> words;
    };
    [[nodiscard]] CounterColumn viewOf(const Column& column) const {
        return {m_rows, column.held, column.values, column.numbers, column.words};
    }
    /// The column of that name, made when it is new.
    Column& columnOf(std::string_view name);
    /// Holds the column as is cheapest.
    void settle(Column& column) const;
    /// A double for each row.
    void makeDense(Column& column) const;

    std::size_t m_rows = 0;
    std::vector<std::string> m_names;
    std::vector<Column> m_columns;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> m_index;
};

}  // namespace roofscope
