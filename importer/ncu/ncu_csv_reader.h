// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "importer/csv_reader.h"
#include "importer/import.h"
#include "importer/ncu/ncu_table.h"

namespace roofscope {

/// How a table of ncu is written. ncu separates by commas; spreadsheets save with semicolons or
/// tabs, and pandas puts a column with the row's number before the others.
struct NcuCsvForm {
    char separator = ',';
    bool quoted = true;        ///< whether the launch's number ("ID") stands in quotes
    std::size_t idColumn = 0;  ///< the column "ID": 0, or 1 behind a row number
};

/// The form of a table if the line is its header, which begins with "ID".
[[nodiscard]] std::optional<NcuCsvForm> ncuCsvHeader(std::string_view line);

/// Where a table with one row per metric has a metric's name, unit and value.
struct NcuMetricCells {
    std::size_t id = 0, name = 0, value = 0;
    std::optional<std::size_t> unit, section;
};

/// A header of an export.
struct NcuCsvHeader {
    NcuHeader table;  ///< with one row per metric: all its columns, none of which is a metric
    NcuCsvForm form;
    std::optional<NcuMetricCells> metricCells;  ///< set for one row per metric
};

/// Finds headers and rows in an export and returns the rows in order. Other lines, which are output
/// of ncu or the program, are skipped.
class NcuCsvReader {
public:
    /// `name`: the file, for messages.
    NcuCsvReader(std::string_view text, std::string_view name, const ImportLimits& limits)
        : m_csv(text, limits.maxColumns, limits.maxCellBytes), m_name(name) {}

    /// Reads the next row; false at the end. Sets `header` to the row's header, which stays valid
    /// as long as the reader.
    Result<bool> next(CsvRecord& record, const NcuCsvHeader*& header);

    [[nodiscard]] const std::deque<NcuCsvHeader>& headers() const { return m_headers; }
    [[nodiscard]] Error bad(std::size_t line, std::string what, std::string advice) const;

private:
    [[nodiscard]] Error placed(Error error) const;
    Result<void> readHeader(const NcuCsvForm& form);
    Result<void> readUnits(NcuCsvHeader& header, std::size_t headerLine);
    [[nodiscard]] bool startsRow(std::string_view line) const;

    CsvReader m_csv;
    std::string_view m_name;
    std::deque<NcuCsvHeader> m_headers;  ///< a deque, so that pointers stay valid
};

}  // namespace roofscope
