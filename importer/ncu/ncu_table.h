// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/model/profile.h"

/// Measurements of Nsight Compute as rows with named columns, like the raw page of ncu, read from a
/// CSV or from a report. Internal to importer/.
namespace roofscope {

/// One column of the header, with its unit.
struct NcuColumn {
    std::string name;
    std::string unit;
    double factor = 1;        ///< multiplies values to get CUPTI's base unit
    bool unreadable = false;  ///< unknown unit, or a repeated name
    /// Whether this is a metric ("dram__bytes_read.sum"), not a column such as "ID" or "Kernel
    /// Name".
    [[nodiscard]] bool isMetric() const;
};

/// The factor from a column's unit to CUPTI's base unit. Nullopt if the unit is unknown, or cannot
/// be that of such a metric: times, numbers of bytes and rates need theirs.
[[nodiscard]] std::optional<double> ncuUnitFactor(const NcuColumn& column);

/// A column's name or unit for messages: shortened, without control characters.
[[nodiscard]] std::string shownColumnName(std::string_view name);

/// The columns of one header. A file joined from several exports has several headers.
struct NcuHeader {
    std::vector<NcuColumn> columns;
    std::unordered_map<std::string, std::size_t> index;

    /// Appends a column. If a name is repeated, the first column counts and the others are
    /// unreadable.
    void add(NcuColumn column);
};

/// One launch: a cell for each column of its header.
class NcuRow {
public:
    explicit NcuRow(const NcuHeader& header) : m_header(header) {}
    virtual ~NcuRow() = default;
    NcuRow(const NcuRow&) = delete;
    NcuRow& operator=(const NcuRow&) = delete;

    [[nodiscard]] const NcuHeader& header() const { return m_header; }
    /// The text of a cell; empty for a number that was not stored as text.
    [[nodiscard]] virtual std::string_view textAt(std::size_t column) const = 0;
    /// The number in base units; nullopt if there is none.
    [[nodiscard]] virtual std::optional<double> numberAt(std::size_t column) const = 0;
    /// The names of the NVTX push/pop ranges around the launch, outermost first, joined by " > ";
    /// empty if there are none.
    [[nodiscard]] virtual std::string range() const = 0;

    /// The same by the column's name. Empty or nullopt also if there is no such column.
    [[nodiscard]] std::string_view text(std::string_view column) const;
    [[nodiscard]] std::optional<double> number(std::string_view column) const;
    /// The same for a count: nullopt unless it is a whole number from 0 to 2^53.
    [[nodiscard]] std::optional<std::uint64_t> count(std::string_view column) const;
    [[nodiscard]] std::optional<std::uint32_t> count32(std::string_view column) const;

private:
    const NcuHeader& m_header;
};

/// The facts in a row about its GPU, kernel and launch.
[[nodiscard]] Device ncuDevice(const NcuRow& row);
[[nodiscard]] Kernel ncuKernel(const NcuRow& row);
/// Leaves the indices into the profile's lists unset.
[[nodiscard]] Launch ncuLaunch(const NcuRow& row);

/// Joins the names of nested NVTX ranges, for NcuRow::range(). Omits unnamed ranges, and limits the
/// number of ranges and the length.
class NcuRangeText {
public:
    void add(std::string_view name);
    /// Whether the limit is reached, so that further names are omitted.
    [[nodiscard]] bool full() const { return m_names == kMostRanges; }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    static constexpr std::size_t kMostRanges = 64, kLongest = 4000;
    std::size_t m_names = 0;
    std::string m_text;
};

}  // namespace roofscope
