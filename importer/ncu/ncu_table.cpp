// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "importer/numbers.h"

namespace roofscope {

bool NcuColumn::isMetric() const {
    if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
    if (name.find('_') == name.npos) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.';
    });
}

namespace {

bool endsWithRollUp(std::string_view name) {
    return name.ends_with(".sum") || name.ends_with(".avg") || name.ends_with(".min") ||
           name.ends_with(".max");
}

/// Whether a metric of this name can have this unit. A time in bytes or a rate in seconds is a
/// mistake of whoever wrote the file, and reading it would give a wrong number.
bool fitsName(std::string_view name, std::string_view text, const MetricUnit& unit) {
    const bool isTime = name.starts_with("gpu__time_");
    const bool isBytes = name.find("_bytes") != name.npos && !name.starts_with("derived__");
    // ncu leaves the unit of plain numbers out, but not that of times and bytes.
    if (text.empty())
        return !endsWithRollUp(name) || !(isTime || (isBytes && name.find("__bytes") != name.npos));
    if (name.find(".pct") != name.npos)
        return !unit.isRate && (unit.kind == UnitKind::Percent || unit.kind == UnitKind::Counted);
    if (name.ends_with(".per_second") && !name.starts_with("derived__")) {
        if (isBytes) return unit.perTime && unit.kind == UnitKind::Bytes;
        return unit.perTime || (unit.kind == UnitKind::Hertz && !unit.isRate);
    }
    if (!endsWithRollUp(name)) return true;
    if (isTime) return unit.kind == UnitKind::Time && !unit.isRate;
    if (isBytes) return unit.kind == UnitKind::Bytes && !unit.isRate;
    return true;
}

}  // namespace

std::optional<double> ncuUnitFactor(const NcuColumn& column) {
    const auto unit = parseUnit(column.unit);
    if (!unit || !fitsName(column.name, column.unit, *unit)) return std::nullopt;
    return unit->factor;
}

std::string shownColumnName(std::string_view name) {
    constexpr std::size_t kLongest = 80;
    std::string text(name.substr(0, kLongest));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    return text + (name.size() > kLongest ? "…" : "");
}

void NcuHeader::add(NcuColumn column) {
    const bool isNew = index.try_emplace(column.name, columns.size()).second;
    column.unreadable = column.unreadable || !isNew;
    columns.push_back(std::move(column));
}

std::string_view NcuRow::text(std::string_view column) const {
    const auto found = m_header.index.find(std::string(column));
    return found == m_header.index.end() ? std::string_view() : textAt(found->second);
}

std::optional<double> NcuRow::number(std::string_view column) const {
    const auto found = m_header.index.find(std::string(column));
    return found == m_header.index.end() ? std::nullopt : numberAt(found->second);
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

void NcuRangeText::add(std::string_view name) {
    if (full()) return;
    ++m_names;
    if (name.empty() || name == "none" || m_text.size() > kLongest) return;
    m_text += (m_text.empty() ? "" : " > ");
    m_text += name;
}

}  // namespace roofscope
