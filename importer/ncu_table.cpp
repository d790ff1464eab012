// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofscope {

bool NcuColumn::isMetric() const {
    if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
    if (name.find('_') == name.npos) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.';
    });
}

std::string_view NcuRow::text(std::string_view column) const {
    const auto found = m_header.index.find(std::string(column));
    if (found == m_header.index.end() || found->second >= m_record.cells.size()) return {};
    return m_record.cells[found->second];
}

std::optional<double> NcuRow::number(std::size_t column) const {
    if (column >= m_record.cells.size() || column >= m_header.columns.size()) return std::nullopt;
    const NcuColumn& about = m_header.columns[column];
    if (about.unreadable) return std::nullopt;
    auto value = m_format.parse(m_record.cells[column]);
    if (value) *value *= about.factor;
    if (value && !std::isfinite(*value)) value.reset();
    return value;
}

std::optional<double> NcuRow::number(std::string_view column) const {
    const auto found = m_header.index.find(std::string(column));
    return found == m_header.index.end() ? std::nullopt : number(found->second);
}

std::optional<std::uint64_t> NcuRow::count(std::string_view column) const {
    constexpr double kExact = 9007199254740992.0;  // 2^53: up to here doubles are exact integers
    const auto value = number(column);
    if (!value || *value < 0 || *value > kExact || *value != std::floor(*value))
        return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint32_t> NcuRow::count32(std::string_view column) const {
    const auto value = count(column);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

}  // namespace roofscope
