// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/nvtx_cell.h"

#include <algorithm>
#include <cstddef>

#include "importer/ncu/ncu_table.h"

namespace roofscope {
namespace {

constexpr std::string_view kRangeField = "Push/Pop_Range";

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

std::size_t colonsIn(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
}

/// Removes the next range from a cell and returns it without its quotes. If the cell has no quotes,
/// each line is a range.
std::string_view takeRange(std::string_view& cell, bool quoted) {
    if (!quoted) {
        const std::size_t end = std::min(cell.find_first_of("\r\n"), cell.size());
        const std::string_view line = cell.substr(0, end);
        cell.remove_prefix(std::min(end + 1, cell.size()));
        return line;
    }
    const std::size_t begin = std::min(cell.find('"'), cell.size());
    cell.remove_prefix(std::min(begin + 1, cell.size()));
    // A name may contain quotes. A range's closing quote is followed by another range or nothing.
    const auto endsRange = [&](std::size_t quote) {
        std::size_t next = quote + 1;
        while (next < cell.size() && isBlank(cell[next])) ++next;
        return next == cell.size() || (cell[next] == '"' && next > quote + 1);
    };
    std::size_t end = cell.find('"');
    while (end != cell.npos && !endsRange(end)) end = cell.find('"', end + 1);
    end = std::min(end, cell.size());
    const std::string_view range = cell.substr(0, end);
    cell.remove_prefix(std::min(end + 1, cell.size()));
    return range;
}

/// The text between the first `before` and the last `after` colons.
std::string_view fieldOf(std::string_view range, std::size_t before, std::size_t after) {
    for (; before > 0; --before) {
        const std::size_t colon = range.find(':');
        if (colon == range.npos) return {};
        range.remove_prefix(colon + 1);
    }
    if (colonsIn(range) < after) return range.substr(0, range.find(':'));
    for (; after > 0; --after) range = range.substr(0, range.rfind(':'));
    return range;
}

}  // namespace

std::string rangeOfNvtxCell(std::string_view columnName, std::string_view cell) {
    const std::size_t field = columnName.find(kRangeField);
    if (field == columnName.npos) return {};
    const std::size_t before = colonsIn(columnName.substr(0, field));
    const std::size_t after = colonsIn(columnName.substr(field));
    const bool quoted = cell.find('"') != cell.npos;
    NcuRangeText range;
    while (!range.full() && !cell.empty())
        range.add(fieldOf(takeRange(cell, quoted), before, after));
    return range.take();
}

}  // namespace roofscope
