// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::sqlite {

/// The columns of a table, as its CREATE TABLE says.
struct ColumnsOfTable {
    std::vector<std::string> names;        ///< in lower case: names of columns have no case
    std::optional<std::size_t> rowNumber;  ///< INTEGER PRIMARY KEY: not stored, it numbers the rows
};

/// Nullopt for what is no ordinary table with stored columns.
[[nodiscard]] std::optional<ColumnsOfTable> columnsOf(std::string_view createTable);

}  // namespace roofscope::sqlite
