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
/// Rows with the same launch number, process and kernel belong to one launch, wherever they are. If
/// a metric comes again in the same section, a new launch begins: another export follows, without
/// header.
class NcuTurnedTable {
public:
    NcuTurnedTable(const NcuCsvHeader& source, const ImportLimits& limits);

    /// Adds one metric of a launch. Errors: BadData without a place if a limit is exceeded.
    Result<void> add(const CsvRecord& record, const NumberFormat& format);
    /// Passes the launches to `builder` in the order in which they began. Call it once, after all
    /// rows.
    Result<void> giveTo(NcuProfileBuilder& builder);
    /// The header of the rows that giveTo() passes: first the facts, then all metrics.
    [[nodiscard]] const NcuHeader& header() const { return m_header; }
    /// Name of the first metric with different values in two sections of a launch; empty if there
    /// is none.
    [[nodiscard]] const std::string& contradiction() const { return m_contradiction; }
    /// Number of rows with a label instead of a metric's name ("Duration", not
    /// "gpu__time_duration.sum").
    [[nodiscard]] std::size_t labels() const { return m_labels; }

private:
    friend class NcuTurnedRow;

    using TextId = std::uint32_t;
    struct Cell {
        std::uint32_t column = 0;
        TextId text = 0;  ///< for a cell that is not a number
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
    std::vector<std::size_t> m_factColumns;  ///< columns of the source, in the order of m_header
    std::vector<TurnedLaunch> m_launches;
    std::map<std::tuple<TextId, TextId, TextId>, std::size_t> m_latest;
    std::unordered_map<std::string, TextId> m_textIds;
    std::deque<std::string> m_texts;
    std::map<std::pair<TextId, std::uint32_t>, std::uint32_t> m_places;  ///< by section, metric
    std::unordered_map<std::uint64_t, double> m_seen;  ///< by launch and place or column
    std::size_t m_values = 0, m_labels = 0;
    std::string m_contradiction;
};

}  // namespace roofscope
