// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "importer/csv_reader.h"
#include "importer/numbers.h"
#include "profile/model/profile.h"

/// The raw page of an ncu export as rows with named columns. Internal to importer/.
namespace roofscope {

/// One column of the header, with its unit from the row below.
struct NcuColumn {
    std::string name;
    std::string unit;
    double factor = 1;        ///< multiplies values to get CUPTI's base unit
    bool unreadable = false;  ///< unknown unit, or a repeated name
    /// Whether this is a metric ("dram__bytes_read.sum"), not a column such as "ID" or "Kernel
    /// Name".
    [[nodiscard]] bool isMetric() const;
};

/// The columns of one header. A file joined from several exports has several headers.
struct NcuHeader {
    std::vector<NcuColumn> columns;
    std::unordered_map<std::string, std::size_t> index;
};

/// One launch.
class NcuRow {
public:
    NcuRow(const NcuHeader& header, const CsvRecord& record, const NumberFormat& format)
        : m_header(header), m_record(record), m_format(format) {}

    [[nodiscard]] std::size_t line() const { return m_record.line; }
    /// The unchanged text of a cell; empty if there is no such column.
    [[nodiscard]] std::string_view text(std::string_view column) const;
    /// The number in base units; nullopt if there is none.
    [[nodiscard]] std::optional<double> number(std::size_t column) const;
    [[nodiscard]] std::optional<double> number(std::string_view column) const;
    /// The same for a count: nullopt unless it is a whole number from 0 to 2^53.
    [[nodiscard]] std::optional<std::uint64_t> count(std::string_view column) const;
    [[nodiscard]] std::optional<std::uint32_t> count32(std::string_view column) const;
    [[nodiscard]] const NcuHeader& header() const { return m_header; }

private:
    const NcuHeader& m_header;
    const CsvRecord& m_record;
    const NumberFormat& m_format;
};

/// The facts in a row about its GPU, kernel and launch.
[[nodiscard]] Device ncuDevice(const NcuRow& row);
[[nodiscard]] Kernel ncuKernel(const NcuRow& row);
/// Leaves the indices into the profile's lists unset.
[[nodiscard]] Launch ncuLaunch(const NcuRow& row);
/// NVTX push/pop ranges around the launch, outermost first, joined by " > "; empty if there are
/// none.
[[nodiscard]] std::string ncuRange(const NcuRow& row);

}  // namespace roofscope
