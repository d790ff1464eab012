// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_csv_reader.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace roofscope {
namespace {

constexpr const char* kRawPage =
    "profile with: ncu --csv --page raw …, or export a report with: ncu --import REPORT --csv "
    "--page raw";
constexpr const char* kKeepUnits =
    "give the file as ncu wrote it; the row below the header holds the units";

/// A cell near the beginning of a line, without its quotes. Handles numbers and plain names.
struct LeadingCell {
    std::string_view text;
    bool quoted = false;
    bool last = false;  ///< no separator follows
};

LeadingCell leadingCell(std::string_view line, std::size_t index, char separator) {
    for (;; --index) {
        const bool quoted = line.starts_with('"');
        std::size_t end = quoted ? line.find('"', 1) : line.find(separator);
        const std::string_view text =
            quoted ? line.substr(1, std::min(end, line.size()) - 1) : line.substr(0, end);
        if (quoted && end != line.npos) ++end;
        const bool last = end >= line.size() || line[end] != separator;
        if (index == 0) return {.text = text, .quoted = quoted, .last = last};
        if (last) return {.text = {}, .quoted = false, .last = true};
        line.remove_prefix(end + 1);
    }
}

/// Whether this is the name that pandas or a spreadsheet gives the column of row numbers.
bool isRowNumberName(std::string_view name) {
    return name.empty() || name == "index" || name.starts_with("Unnamed");
}

/// Whether the scale of a metric's values depends on the unit. It does not for percentages and
/// ratios.
bool needsUnit(const NcuColumn& column) {
    return column.isMetric() && column.name.find("pct") == column.name.npos &&
           !column.name.ends_with(".ratio");
}

/// What kind of text this is if it has no table of ncu; empty if unknown.
std::string foreignTable(std::string_view text) {
    constexpr std::size_t kLookedAt = 1U << 20;
    text = text.substr(0, kLookedAt);
    for (const auto& [mark, what] : std::initializer_list<std::pair<const char*, const char*>>{
             {"Total Time (ns)", "is a table of `nsys stats`, which has no counters"},
             {"Total Time (nanoseconds)", "is a table of `nsys stats`, which has no counters"},
             {"\"Time(%)\"", "is a table of nvprof, which roofscope does not read"},
             {"  Section: ", "is the text that ncu prints, not its CSV"}})
        if (text.find(mark) != text.npos) return what;
    return "no header of an ncu export (\"ID\",\"Process ID\",…) found";
}

std::optional<std::size_t> columnNamed(const NcuHeader& header, const char* name) {
    const auto found = header.index.find(name);
    return found == header.index.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<NcuCsvForm> ncuCsvHeader(std::string_view line) {
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    for (const char separator : {',', ';', '\t'})
        for (const std::size_t column : {0U, 1U}) {
            if (column == 1 && !isRowNumberName(leadingCell(line, 0, separator).text)) continue;
            const LeadingCell id = leadingCell(line, column, separator);
            if (id.text == "ID" && !id.last)
                return NcuCsvForm{.separator = separator, .quoted = id.quoted, .idColumn = column};
        }
    return std::nullopt;
}

Error NcuCsvReader::bad(std::size_t line, std::string what, std::string advice) const {
    return Error{.code = ErrorCode::BadData,
                 .what = std::move(what),
                 .where = fmt::format("{}: line {}", m_name, line),
                 .advice = std::move(advice)};
}

Error NcuCsvReader::placed(Error error) const {
    error.where = fmt::format("{}: {}", m_name, error.where);
    return error;
}

/// Whether a line is a row: it has a launch number in the "ID" column, quoted like the header.
bool NcuCsvReader::startsRow(std::string_view line) const {
    const NcuCsvHeader& header = m_headers.back();
    const LeadingCell id = leadingCell(line, header.form.idColumn, header.form.separator);
    if (id.last || id.text.empty() || id.text.front() < '0' || id.text.front() > '9') return false;
    if (id.quoted == header.form.quoted) return true;
    // Some writers quote only names. To tell a row from output of the program, count the
    // separators.
    const auto separators = std::count(line.begin(), line.end(), header.form.separator);
    return static_cast<std::size_t>(separators) + 1 >= header.table.columns.size();
}

Result<bool> NcuCsvReader::next(CsvRecord& record, const NcuCsvHeader*& header) {
    while (!m_csv.atEnd()) {
        const std::string_view line = m_csv.peekLine();
        if (const auto form = ncuCsvHeader(line)) {
            if (auto ok = readHeader(*form); !ok) return ok.error();
            continue;
        }
        if (m_headers.empty() || !startsRow(line)) {
            m_csv.skipLine();
            continue;
        }
        if (auto ok = m_csv.read(record); !ok) return placed(ok.error());
        const std::size_t columns = m_headers.back().table.columns.size();
        if (record.cells.size() != columns)
            return bad(
                record.line,
                fmt::format("{} cells under a header of {} columns", record.cells.size(), columns),
                "the file was cut off, or other output was mixed into it");
        header = &m_headers.back();
        return true;
    }
    if (m_headers.empty())
        return Error{.code = ErrorCode::BadData,
                     .what = foreignTable(m_csv.text()),
                     .where = std::string(m_name),
                     .advice = kRawPage};
    return false;
}

Result<void> NcuCsvReader::readHeader(const NcuCsvForm& form) {
    // There is one header per export, and files may be joined from many exports.
    constexpr std::size_t kMostHeaders = 1000;
    if (m_headers.size() == kMostHeaders)
        return bad(m_csv.line(), fmt::format("more than {} headers", kMostHeaders),
                   "import the files one by one");
    m_csv.separateBy(form.separator);
    CsvRecord names;
    if (auto ok = m_csv.read(names); !ok) return placed(ok.error());
    NcuCsvHeader header{.table = {}, .form = form, .metricCells = {}};
    NcuHeader& table = header.table;
    table.columns.reserve(names.cells.size());
    for (const std::string_view name : names.cells) {
        NcuColumn column;
        column.name = name;
        table.add(std::move(column));
    }
    if (!table.index.contains("Kernel Name"))
        return bad(names.line, "the header has no column \"Kernel Name\"", kRawPage);
    const auto name = columnNamed(table, "Metric Name"), value = columnNamed(table, "Metric Value");
    if (name && value) {
        header.metricCells = {.id = form.idColumn,
                              .name = *name,
                              .value = *value,
                              .unit = columnNamed(table, "Metric Unit"),
                              .section = columnNamed(table, "Section Name")};
        if (!header.metricCells->unit)
            return bad(names.line,
                       "the table has no column \"Metric Unit\", so a time may be in ns or in ms",
                       "give the file as ncu wrote it");
    } else if (auto ok = readUnits(header, names.line); !ok) {
        return ok.error();
    }
    m_headers.push_back(std::move(header));
    return {};
}

/// Reads the row of units below a header. It has no launch number.
Result<void> NcuCsvReader::readUnits(NcuCsvHeader& header, std::size_t headerLine) {
    NcuHeader& table = header.table;
    const LeadingCell id =
        leadingCell(m_csv.peekLine(), header.form.idColumn, header.form.separator);
    if (id.text.empty() && !id.last) {
        CsvRecord units;
        if (auto ok = m_csv.read(units); !ok) return placed(ok.error());
        for (std::size_t i = 0; i < table.columns.size() && i < units.cells.size(); ++i) {
            NcuColumn& column = table.columns[i];
            column.unit = units.cells[i];
            const auto factor = ncuUnitFactor(column);
            column.factor = factor.value_or(1);
            column.unreadable = column.unreadable || !factor;
        }
        return {};
    }
    const auto scaled = std::ranges::find_if(table.columns, needsUnit);
    if (scaled == table.columns.end() || m_csv.atEnd()) return {};
    return bad(headerLine,
               fmt::format("the row with the units is missing, so {} may be scaled",
                           shownColumnName(scaled->name)),
               kKeepUnits);
}

}  // namespace roofscope
