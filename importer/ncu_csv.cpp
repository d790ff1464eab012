// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "importer/csv_reader.h"
#include "importer/import.h"
#include "importer/ncu_profile.h"
#include "importer/numbers.h"

namespace roofscope {

namespace {

constexpr const char* kExport = "export with: ncu --import REPORT --csv --page raw";

/// The header of every page begins with "ID", or ID,
bool startsHeader(std::string_view line) {
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    return line.starts_with("\"ID\",") || line.starts_with("ID,");
}

/// Whether a line is a row: it starts with the launch number, quoted like the header. Other lines
/// between rows are the output of ncu or the program.
bool startsRow(std::string_view line, bool quoted) {
    if (line.starts_with('"') != quoted) return false;
    if (quoted) line.remove_prefix(1);
    return !line.empty() && line.front() >= '0' && line.front() <= '9' &&
           line.find(',') != line.npos;
}

/// Finds headers and rows in an export and returns the rows in order.
class NcuReader {
public:
    NcuReader(std::string_view text, std::string_view name, const ImportLimits& limits)
        : m_csv(text, limits.maxColumns, limits.maxCellBytes), m_name(name) {}

    /// Reads the next row; false at the end. Sets `header` to the row's header.
    Result<bool> next(CsvRecord& record, const NcuHeader*& header) {
        while (!m_csv.atEnd()) {
            const std::string_view line = m_csv.peekLine();
            if (startsHeader(line)) {
                if (auto ok = readHeader(); !ok) return ok.error();
                continue;
            }
            if (m_headers.empty() || !startsRow(line, m_quoted)) {
                m_csv.skipLine();
                continue;
            }
            if (auto ok = m_csv.read(record); !ok) return placed(ok.error());
            const std::size_t columns = m_headers.back().columns.size();
            if (record.cells.size() != columns)
                return bad(record.line,
                           fmt::format("{} cells under a header of {} columns", record.cells.size(),
                                       columns),
                           "the file was cut off, or other output was mixed into it");
            header = &m_headers.back();
            return true;
        }
        if (m_headers.empty())
            return Error{.code = ErrorCode::BadData,
                         .what = "no header of an ncu export (\"ID\",\"Process ID\",…) found",
                         .where = std::string(m_name),
                         .advice = kExport};
        return false;
    }

    [[nodiscard]] const std::deque<NcuHeader>& headers() const { return m_headers; }
    [[nodiscard]] Error bad(std::size_t line, std::string what, std::string advice) const {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = fmt::format("{}: line {}", m_name, line),
                     .advice = std::move(advice)};
    }

private:
    Error placed(Error error) const {
        error.where = fmt::format("{}: {}", m_name, error.where);
        return error;
    }

    Result<void> readHeader() {
        // There is one header per export; somebody may have joined many exports.
        constexpr std::size_t kMostHeaders = 1000;
        if (m_headers.size() == kMostHeaders)
            return bad(m_csv.line(), fmt::format("more than {} headers", kMostHeaders),
                       "import the files one by one");
        m_quoted = m_csv.peekLine().starts_with('"');
        CsvRecord names;
        if (auto ok = m_csv.read(names); !ok) return placed(ok.error());
        NcuHeader header;
        header.columns.reserve(names.cells.size());
        for (const std::string_view name : names.cells) {
            NcuColumn column;
            column.name = name;
            header.add(std::move(column));
        }
        if (header.index.contains("Metric Name") && header.index.contains("Metric Value"))
            return bad(names.line, "this is another page of the report, with one row per metric",
                       kExport);
        if (!header.index.contains("Kernel Name"))
            return bad(names.line, "the header has no column \"Kernel Name\"", kExport);
        // The row with the units has an empty ID.
        const std::string_view line = m_csv.peekLine();
        if (line.starts_with("\"\",") || line.starts_with(',')) {
            CsvRecord units;
            if (auto ok = m_csv.read(units); !ok) return placed(ok.error());
            for (std::size_t i = 0; i < header.columns.size() && i < units.cells.size(); ++i) {
                NcuColumn& column = header.columns[i];
                column.unit = units.cells[i];
                const auto factor = unitFactor(column.unit);
                column.factor = factor.value_or(1);
                column.unreadable = column.unreadable || !factor;
            }
        }
        m_headers.push_back(std::move(header));
        return {};
    }

    CsvReader m_csv;
    std::string_view m_name;
    std::deque<NcuHeader> m_headers;  ///< a deque, so that pointers stay valid
    bool m_quoted = true;             ///< whether the latest header has quoted cells
};

/// A row of an export.
class NcuCsvRow final : public NcuRow {
public:
    NcuCsvRow(const NcuHeader& header, const CsvRecord& record, const NumberFormat& format)
        : NcuRow(header), m_record(record), m_format(format) {}

    [[nodiscard]] std::string_view textAt(std::size_t column) const override {
        return column < m_record.cells.size() ? m_record.cells[column] : std::string_view();
    }

    [[nodiscard]] std::optional<double> numberAt(std::size_t column) const override {
        if (column >= m_record.cells.size() || column >= header().columns.size())
            return std::nullopt;
        const NcuColumn& about = header().columns[column];
        if (about.unreadable) return std::nullopt;
        auto value = m_format.parse(m_record.cells[column]);
        if (value) *value *= about.factor;
        if (value && !std::isfinite(*value)) value.reset();
        return value;
    }

    [[nodiscard]] std::string range() const override {
        // The column name "thread Domain:Push/Pop_Range:PL_Type:…" names the fields in its cells.
        // Each nested range has its own line in a cell.
        constexpr std::string_view kField = "Push/Pop_Range";
        for (const NcuColumn& column : header().columns) {
            const std::size_t found = column.name.find(kField);
            if (found == column.name.npos) continue;
            const auto field = static_cast<std::size_t>(
                std::count(column.name.begin(),
                           column.name.begin() + static_cast<std::ptrdiff_t>(found), ':'));
            NcuRangeText range;
            std::string_view cell = text(column.name);
            while (!range.full() && !cell.empty()) {
                const std::size_t end = std::min(cell.find('\n'), cell.size());
                std::string_view line = cell.substr(0, end);
                cell.remove_prefix(std::min(end + 1, cell.size()));
                if (line.ends_with('\r')) line.remove_suffix(1);
                for (std::size_t i = 0; i < field && !line.empty(); ++i)
                    line.remove_prefix(std::min(line.find(':'), line.size() - 1) + 1);
                range.add(line.substr(0, line.find(':')));
            }
            if (std::string names = range.take(); !names.empty()) return names;
        }
        return {};
    }

private:
    const CsvRecord& m_record;
    const NumberFormat& m_format;
};

}  // namespace

Result<Profile> importNcuCsv(std::string_view text, std::string_view name,
                             const ImportOptions& options) {
    if (text.size() > options.limits.maxBytes)
        return Error{.code = ErrorCode::BadData,
                     .what = fmt::format("larger than {} bytes", options.limits.maxBytes),
                     .where = std::string(name),
                     .advice = "export fewer launches or metrics"};
    CsvRecord record;
    const NcuHeader* header = nullptr;
    // First pass: find out the number format. A single cell such as "1,234" is ambiguous.
    NumberFormat format;
    for (NcuReader reader(text, name, options.limits);;) {
        const auto more = reader.next(record, header);
        if (!more) return more.error();
        if (!*more) break;
        for (std::size_t i = 0; i < record.cells.size(); ++i)
            if (header->columns[i].isMetric()) format.observe(record.cells[i]);
    }
    NcuReader reader(text, name, options.limits);
    NcuProfileBuilder builder(options);
    for (;;) {
        const auto more = reader.next(record, header);
        if (!more) return more.error();
        if (!*more) break;
        if (auto ok = builder.add(NcuCsvRow(*header, record, format)); !ok)
            return reader.bad(record.line, ok.error().what, ok.error().advice);
    }
    Profile profile = builder.finish(reader.headers());
    if (profile.launches.empty())
        return Error{.code = ErrorCode::BadData,
                     .what = "the export has a header but no launches",
                     .where = std::string(name),
                     .advice = "profile a program that launches kernels"};
    return profile;
}

}  // namespace roofscope
