// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace roofscope::inject {

/// A line of columns, one element per row. A column of equal numbers is that number.
class ColumnLine {
public:
    explicit ColumnLine(const char* type, std::size_t rows)
        : m_text(fmt::format(R"({{"t":"{}","rows":{})", type, rows)), m_rows(rows) {}
    /// `value` returns the number of a row.
    template <class Value>
    ColumnLine& column(const char* key, const Value& value) {
        m_text += fmt::format(R"(,"{}":)", key);
        const std::int64_t first = value(0);
        bool same = true;
        for (std::size_t i = 1; same && i < m_rows; ++i) same = value(i) == first;
        if (same) {
            m_text += fmt::to_string(first);
            return *this;
        }
        for (std::size_t i = 0; i < m_rows; ++i) {
            m_text += i == 0 ? '[' : ',';
            m_text += fmt::to_string(static_cast<std::int64_t>(value(i)));
        }
        m_text += ']';
        return *this;
    }
    /// The same for growing numbers: the first one, then the difference from the one before.
    template <class Value>
    ColumnLine& growing(const char* key, const Value& value) {
        return column(key, [&](std::size_t i) {
            const auto before = i == 0 ? std::int64_t{0} : static_cast<std::int64_t>(value(i - 1));
            return static_cast<std::int64_t>(value(i)) - before;
        });
    }
    /// Columns of rows with a start and an end.
    template <class Rows>
    ColumnLine& times(const Rows& rows) {
        growing("b", [&](std::size_t i) { return rows[i].startNs; });
        return column("l", [&](std::size_t i) {
            return static_cast<std::int64_t>(rows[i].endNs - rows[i].startNs);
        });
    }
    [[nodiscard]] std::string text() const { return m_text + "}"; }

private:
    std::string m_text;
    std::size_t m_rows;
};

}  // namespace roofscope::inject
