// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_csv_turned.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "importer/ncu/nvtx_cell.h"

namespace roofscope {
namespace {

/// Whether a column describes a metric or a rule's message instead of the launch.
bool describesMetric(std::string_view name) {
    return name.starts_with("Metric ") || name.starts_with("Rule ") || name == "Section Name" ||
           name.starts_with("Estimated Speedup");
}

std::string_view cellOf(const CsvRecord& record, std::optional<std::size_t> column) {
    return column && *column < record.cells.size() ? record.cells[*column] : std::string_view();
}

}  // namespace

/// A launch of a turned table. One object is filled for each launch in turn.
class NcuTurnedRow final : public NcuRow {
public:
    explicit NcuTurnedRow(const NcuTurnedTable& table)
        : NcuRow(table.m_header),
          m_table(table),
          m_texts(table.m_header.columns.size()),
          m_values(table.m_header.columns.size()) {}

    void fill(const NcuTurnedTable::TurnedLaunch& launch) {
        std::ranges::fill(m_texts, std::string_view());
        std::ranges::fill(m_values, std::nullopt);
        for (std::size_t i = 0; i < launch.facts.size(); ++i)
            m_texts[i] = m_table.m_texts[launch.facts[i]];
        m_facts = launch.facts.size();
        for (const NcuTurnedTable::Cell& cell : launch.cells) {
            m_texts[cell.column] = m_table.m_texts[cell.text];
            if (!std::isnan(cell.value)) m_values[cell.column] = cell.value;
        }
    }

    [[nodiscard]] std::string_view textAt(std::size_t column) const override {
        return column < m_texts.size() ? m_texts[column] : std::string_view();
    }
    [[nodiscard]] std::optional<double> numberAt(std::size_t column) const override {
        if (column >= m_values.size()) return std::nullopt;
        // Facts such as the process ID have no unit and no locale format.
        return column < m_facts ? NumberFormat().parse(m_texts[column]) : m_values[column];
    }
    [[nodiscard]] std::string range() const override {
        for (std::size_t i = 0; i < m_facts; ++i)
            if (auto names = rangeOfNvtxCell(header().columns[i].name, m_texts[i]); !names.empty())
                return names;
        return {};
    }

private:
    const NcuTurnedTable& m_table;
    std::vector<std::string_view> m_texts;
    std::vector<std::optional<double>> m_values;
    std::size_t m_facts = 0;
};

NcuTurnedTable::NcuTurnedTable(const NcuCsvHeader& source, const ImportLimits& limits)
    : m_cells(*source.metricCells), m_limits(limits) {
    for (std::size_t i = 0; i < source.table.columns.size(); ++i) {
        const std::string& name = source.table.columns[i].name;
        if (describesMetric(name)) continue;
        m_factColumns.push_back(i);
        m_header.add({.name = name, .unit = {}});
    }
    (void)idOf({});
}

NcuTurnedTable::TextId NcuTurnedTable::idOf(std::string_view text) {
    const auto [entry, isNew] =
        m_textIds.try_emplace(std::string(text), static_cast<TextId>(m_texts.size()));
    if (isNew) m_texts.emplace_back(text);
    return entry->second;
}

/// The column of a metric; adds it if it is new. Nullopt if there are too many.
std::optional<std::size_t> NcuTurnedTable::columnOf(std::string_view name, std::string_view unit) {
    const auto found = m_header.index.find(std::string(name));
    if (found != m_header.index.end()) return found->second;
    if (m_header.columns.size() >= m_limits.maxColumns) return std::nullopt;
    NcuColumn column;
    column.name = name;
    column.unit = unit;
    m_header.add(std::move(column));
    return m_header.columns.size() - 1;
}

/// The launch that a row belongs to; adds it if it is new. Notes that the launch has this metric
/// now.
std::size_t NcuTurnedTable::launchOf(const CsvRecord& record, std::size_t column) {
    const auto textOf = [&](const char* name) {
        const auto found = m_header.index.find(name);
        return found == m_header.index.end()
                   ? TextId{0}
                   : idOf(cellOf(record, m_factColumns.at(found->second)));
    };
    const std::tuple key(idOf(cellOf(record, m_cells.id)), textOf("Process ID"),
                         textOf("Kernel Name"));
    const std::pair place(idOf(cellOf(record, m_cells.section)),
                          static_cast<std::uint32_t>(column));
    const auto placeId =
        m_places.try_emplace(place, static_cast<std::uint32_t>(m_places.size())).first->second;
    // Bits 32 and up hold the launch. The last bit distinguishes these keys from those of add().
    const auto seenKey = [&](std::size_t launch) {
        return std::uint64_t{launch} << 32 | std::uint64_t{placeId} << 1 | 1;
    };
    const auto [latest, isNew] = m_latest.try_emplace(key, m_launches.size());
    if (isNew || m_seen.contains(seenKey(latest->second))) {
        latest->second = m_launches.size();
        TurnedLaunch& launch = m_launches.emplace_back();
        launch.facts.reserve(m_factColumns.size());
        for (const std::size_t fact : m_factColumns)
            launch.facts.push_back(idOf(cellOf(record, fact)));
    }
    m_seen.emplace(seenKey(latest->second), 0.0);
    return latest->second;
}

Result<void> NcuTurnedTable::add(const CsvRecord& record, const NumberFormat& format) {
    const std::string_view name = cellOf(record, m_cells.name);
    if (name.empty()) return {};  // the row is a rule's message
    NcuColumn about;
    about.name = name;
    if (!about.isMetric()) {
        ++m_labels;
        return {};
    }
    const auto tooMuch = [](std::string what, std::string advice) {
        return Error{
            .code = ErrorCode::BadData, .what = std::move(what), .advice = std::move(advice)};
    };
    about.unit = cellOf(record, m_cells.unit);
    const auto column = columnOf(name, about.unit);
    if (!column)
        return tooMuch(fmt::format("more than {} columns", m_limits.maxColumns),
                       "export fewer metrics");
    if (++m_values > m_limits.maxValues)
        return tooMuch(fmt::format("more than {} counter values", m_limits.maxValues),
                       "export fewer metrics or launches");
    const std::size_t at = launchOf(record, *column);
    if (m_launches.size() > m_limits.maxLaunches)
        return tooMuch(fmt::format("more than {} launches", m_limits.maxLaunches),
                       "export fewer launches");
    Cell cell{.column = static_cast<std::uint32_t>(*column), .text = 0};
    const std::string_view text = cellOf(record, m_cells.value);
    const auto factor = ncuUnitFactor(about);
    // Mark a column as unreadable if the unit of any value is unknown.
    if (!factor && !m_header.columns[*column].unreadable) {
        m_header.columns[*column].unreadable = true;
        m_header.columns[*column].unit = about.unit;
    }
    if (const auto value = format.parse(text); value && factor && std::isfinite(*value * *factor))
        cell.value = *value * *factor;
    else
        cell.text = idOf(text);
    // The same metric may be in several sections of the page; the first value counts.
    const std::uint64_t seen = std::uint64_t{at} << 32 | std::uint64_t{cell.column} << 1;
    const auto [first, isNew] = m_seen.try_emplace(seen, cell.value);
    if (!isNew) {
        if (first->second != cell.value && !std::isnan(cell.value) && m_contradiction.empty())
            m_contradiction = name;
        return {};
    }
    m_launches[at].cells.push_back(cell);
    return {};
}

Result<void> NcuTurnedTable::giveTo(NcuProfileBuilder& builder) {
    NcuTurnedRow row(*this);
    for (const TurnedLaunch& launch : m_launches) {
        row.fill(launch);
        if (auto ok = builder.add(row); !ok) return ok;
    }
    m_launches.clear();
    m_seen.clear();
    return {};
}

}  // namespace roofscope
