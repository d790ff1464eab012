// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "reports/escape/escape.h"

namespace roofscope {

/// A row, written cell by cell. An empty cell means that the value is missing or does not apply.
class CsvRow {
public:
    void text(std::string_view value) { cell(csvField(value)); }
    void name(std::string_view value) { cell(csvField(value, kMostOfFullName)); }
    void integer(std::uint64_t value) { cell(fmt::format("{}", value)); }
    /// Numbers are written in the shortest form that reads back to the same value.
    template <class T>
    void optional(const std::optional<T>& value) {
        if (value)
            number(*value);
        else
            cell("");
    }
    template <class T>
    void number(T value) {
        // NaN and infinity become empty cells.
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(value)) return cell("");
        cell(fmt::format("{}", value));
    }
    std::string take() { return m_line + "\r\n"; }

private:
    void cell(const std::string& value) {
        if (m_any) m_line += ',';
        m_any = true;
        m_line += value;
    }
    std::string m_line;
    bool m_any = false;
};

}  // namespace roofscope
