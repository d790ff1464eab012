// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "profile/codec/json_cursor.h"

/// Reads columns: an array with one value per row, or {"all": value}. Internal to profile/.
namespace roofscope::json {

/// The value if `column` is {"all": value}, that is, the same in every row.
inline std::optional<Cursor> constantOf(const Cursor& column, bool& isConstant) {
    isConstant = false;
    const auto* members = column.node().as<Members>();
    if (members == nullptr) return std::nullopt;
    for (const auto& [key, value] : *members) isConstant |= key == "all";
    if (!isConstant) column.fail("must be an array or {\"all\": value}");
    return column.find("all");
}

/// One column of `launches`, or of another table. Calls `set(row, value)` for every row that has a
/// value; `set` returns false when the value is out of range.
template <class Set>
void readColumn(const Cursor& launches, std::string_view key, std::size_t rows,
                const std::string& range, Set set) {
    const auto column = launches.find(key);
    if (!column) return;
    bool isConstant = false;
    if (const auto all = constantOf(*column, isConstant); isConstant) {
        if (!all) return;  // {"all": null}: missing in every row
        const double value = all->number();
        for (std::size_t row = 0; row < rows; ++row) {
            if (!set(row, value)) all->fail(range);
        }
        return;
    }
    const auto* values = column->node().as<Numbers>();
    if (values == nullptr) {
        column->forEach(
            [](const Cursor& item) { (void)item.number(); });  // names the first bad value
        column->wrongType("an array of numbers");
    }
    if (values->size() != rows) {
        column->fail(fmt::format("has {} values for {} rows", values->size(), rows));
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (std::isnan((*values)[row])) continue;
        if (!set(row, (*values)[row])) {
            throw BadValue{fmt::format("{}/{}", column->pointer(), row), range};
        }
    }
}

/// A column that is always written in full. Its length is the number of rows, so memory is never
/// reserved because of a mere number in the file.
inline const Numbers& fullColumn(const Cursor& at, std::string_view key) {
    const auto column = at.find(key);
    if (!column) at.fail(fmt::format("\"{}\" is missing", key));
    const auto* values = column->node().as<Numbers>();
    if (values == nullptr) column->wrongType("an array of numbers");
    return *values;
}

template <class Integer>
Integer wholeAt(const Cursor& at, std::string_view key, const Numbers& values, std::size_t row) {
    if (const auto whole = Cursor::toInteger<Integer>(values[row])) return *whole;
    throw BadValue{fmt::format("{}/{}/{}", at.pointer(), key, row),
                   Cursor::rangeMessage<Integer>()};
}

}  // namespace roofscope::json
