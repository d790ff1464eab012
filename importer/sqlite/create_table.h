// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::sqlite {

/// The columns of a table, as declared in CREATE TABLE.
struct ColumnsOfTable {
    std::vector<std::string> names;        ///< in lower case, since SQL ignores the case of names
    std::optional<std::size_t> rowNumber;  ///< INTEGER PRIMARY KEY: the row's number
};

/// Nullopt if this is not an ordinary table with stored columns.
[[nodiscard]] std::optional<ColumnsOfTable> columnsOf(std::string_view createTable);

}  // namespace roofscope::sqlite
