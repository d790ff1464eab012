// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importer/import.h"
#include "importer/ncu/ncu_csv_reader.h"
#include "importer/ncu/ncu_profile.h"
#include "importer/numbers.h"

namespace roofscope {

/// Turns a table with one row per metric (`ncu --csv --metrics …`) into one row per launch.
///
/// Rows with the same launch number, process and kernel are one launch, wherever they stand, until
/// a metric comes again in the same section: then another export begins, whose header was cut off.
class NcuTurnedTable {
public:
    NcuTurnedTable(const NcuCsvHeader& source, const ImportLimits& limits);

    /// Adds one metric of a launch. Errors: BadData without a place if that is more than the
    /// limits.
    Result<void> add(const CsvRecord& record, const NumberFormat& format);
    /// Adds the launches in the order in which they began. Call once, after all rows.
    Result<void> giveTo(NcuProfileBuilder& builder);
    /// The header of the rows that giveTo() makes: the facts, then the metrics that were met.
    [[nodiscard]] const NcuHeader& header() const { return m_header; }
    /// Name of the first metric that one launch had in two sections with different values; empty
    /// if there is none.
    [[nodiscard]] const std::string& contradiction() const { return m_contradiction; }
    /// Rows without a metric's name ("Duration" instead of "gpu__time_duration.sum").
    [[nodiscard]] std::size_t labels() const { return m_labels; }

private:
    friend class NcuTurnedRow;

    using TextId = std::uint32_t;
    struct Cell {
        std::uint32_t column = 0;
        TextId text = 0;  ///< of a cell that is no number
        double value = std::numeric_limits<double>::quiet_NaN();
    };
    struct TurnedLaunch {
        std::vector<TextId> facts;
        std::vector<Cell> cells;
    };

    TextId idOf(std::string_view text);
    std::optional<std::size_t> columnOf(std::string_view name, std::string_view unit);
    std::size_t launchOf(const CsvRecord& record, std::size_t column);

    const NcuMetricCells m_cells;
    const ImportLimits m_limits;
    NcuHeader m_header;
    std::vector<std::size_t> m_factColumns;  ///< of the source, in the order of m_header
    std::vector<TurnedLaunch> m_launches;
    std::map<std::tuple<TextId, TextId, TextId>, std::size_t> m_latest;
    std::unordered_map<std::string, TextId> m_textIds;
    std::deque<std::string> m_texts;
    std::map<std::pair<TextId, std::uint32_t>, std::uint32_t> m_places;  ///< section and metric
    std::unordered_map<std::uint64_t, double> m_seen;  ///< by launch and place or column
    std::size_t m_values = 0, m_labels = 0;
    std::string m_contradiction;
};

}  // namespace roofscope
