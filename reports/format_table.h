// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "profile/text/lower_case.h"

/// A table of output formats has one row per format, with at least the members `name` ("markdown")
/// and file `suffix` ("md"; may be empty). Errors, help, completion and the choice of a renderer
/// read the table, so adding a format means adding a row.
namespace roofscope {

/// The row with this name or suffix, ignoring case; null if there is none.
template <class Table>
[[nodiscard]] auto findFormat(const Table& table, std::string_view name) {
    const std::string lower = lowerCase(name);
    const auto found = std::ranges::find_if(table, [&](const auto& row) {
        return !lower.empty() && (row.name == lower || row.suffix == lower);
    });
    return found == std::ranges::end(table) ? nullptr : &*found;
}

/// "markdown, text or json"; with `suffixes` ".md, .txt or .json".
template <class Table>
[[nodiscard]] std::string formatList(const Table& table, bool suffixes = false) {
    std::string list, last;
    for (const auto& row : table) {
        if (suffixes && row.suffix.empty()) continue;
        if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
        last = suffixes ? "." + std::string(row.suffix) : std::string(row.name);
    }
    return list.empty() ? last : list + " or " + last;
}

}  // namespace roofscope
