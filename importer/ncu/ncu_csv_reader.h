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

/// The form of a table of ncu. ncu uses commas; spreadsheets save with semicolons or tabs, and
/// pandas adds a column of row numbers at the front.
struct NcuCsvForm {
    char separator = ',';
    bool quoted = true;        ///< whether the launch number ("ID") is quoted
    std::size_t idColumn = 0;  ///< index of the column "ID": 0, or 1 after a row number
};

/// The form of a table if this line is its header, whose first column is "ID".
[[nodiscard]] std::optional<NcuCsvForm> ncuCsvHeader(std::string_view line);

/// In a table with one row per metric: the columns of the metric's name, unit and value.
struct NcuMetricCells {
    std::size_t id = 0, name = 0, value = 0;
    std::optional<std::size_t> unit, section;
};

/// A table header in an export.
struct NcuCsvHeader {
    NcuHeader table;  ///< all columns; none is a metric if the table has one row per metric
    NcuCsvForm form;
    std::optional<NcuMetricCells> metricCells;  ///< set if the table has one row per metric
};

/// Finds headers and rows in an export and returns the rows in order. Skips other lines, which ncu
/// or the program printed.
class NcuCsvReader {
public:
    /// `name`: the file's name in messages.
    NcuCsvReader(std::string_view text, std::string_view name, const ImportLimits& limits)
        : m_csv(text, limits.maxColumns, limits.maxCellBytes), m_name(name) {}

    /// Reads the next row; false at the end. Sets `header` to the row's header, which stays valid
    /// as long as the reader lives.
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
