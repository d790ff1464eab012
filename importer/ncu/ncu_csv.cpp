// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "importer/import.h"
#include "importer/import_note.h"
#include "importer/ncu/ncu_csv_reader.h"
#include "importer/ncu/ncu_csv_turned.h"
#include "importer/ncu/ncu_profile.h"
#include "importer/ncu/nvtx_cell.h"
#include "importer/numbers.h"
#include "importer/text_encoding.h"

namespace roofscope {

namespace {

/// A row of a CSV export.
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
        for (const NcuColumn& column : header().columns)
            if (auto names = rangeOfNvtxCell(column.name, text(column.name)); !names.empty())
                return names;
        return {};
    }

private:
    const CsvRecord& m_record;
    const NumberFormat& m_format;
};

/// Whether values of a metric in this unit are whole numbers: sums of things that are counted.
/// Scaled values never have these units, since ncu changes the unit when it scales ("Kbyte",
/// "usecond").
bool isWhole(const NcuColumn& column) {
    constexpr std::array<std::string_view, 10> kCounted{
        "byte", "nsecond", "ns", "inst", "sector", "request", "cycle", "thread", "warp", "block"};
    return column.name.ends_with(".sum") &&
           std::ranges::find(kCounted, column.unit) != kCounted.end();
}

/// Whether values of a metric are below 1000: shares of a peak. (A few exceed 100 %, because
/// counters from different passes make them.)
bool isSmall(const NcuColumn& column) {
    return column.name.find(".pct_of_peak_") != column.name.npos;
}

/// Finds the number format of the export. A single cell such as "1,234" would be ambiguous.
Result<NumberFormat> numberFormatOf(std::string_view text, std::string_view name,
                                    const ImportLimits& limits) {
    CsvRecord record;
    const NcuCsvHeader* header = nullptr;
    NumberFormat format;
    const NcuCsvHeader* looked = nullptr;
    std::vector<bool> metric, whole, small;  // by column of `looked`
    for (NcuCsvReader reader(text, name, limits);;) {
        const auto more = reader.next(record, header);
        if (!more) return more.error();
        if (!*more) break;
        if (header->metricCells) {
            const NcuMetricCells& cells = *header->metricCells;
            NcuColumn column;
            column.name = record.cells[cells.name];
            column.unit = record.cells[*cells.unit];
            if (column.isMetric())
                format.observe(record.cells[cells.value], isWhole(column), isSmall(column));
            continue;
        }
        if (header != looked) {
            looked = header;
            metric.clear();
            whole.clear();
            small.clear();
            for (const NcuColumn& column : header->table.columns) {
                metric.push_back(column.isMetric());
                whole.push_back(isWhole(column));
                small.push_back(isSmall(column));
            }
        }
        for (std::size_t i = 0; i < record.cells.size(); ++i)
            if (metric[i]) format.observe(record.cells[i], whole[i], small[i]);
    }
    return format;
}

/// Adds notes about numbers that are uncertain.
void noteNumberFormat(const NumberFormat& format, Profile& profile) {
    constexpr const char* kUnits =
        "export with --print-units base, and give the file as ncu wrote it";
    const std::string separator = format.decimal() == ',' ? "comma" : "point";
    if (const std::size_t cells = format.undecided(); cells > 0)
        addImportNote(
            profile, "number-format-undecided",
            fmt::format("nothing decides the decimal separator; the {} was taken, though {} "
                        "cell{} as \"{}\" can be read in two ways",
                        separator, cells, cells == 1 ? " such" : "s such", format.example()),
            kUnits);
    if (format.contradictory())
        addImportNote(
            profile, "number-format-mixed",
            fmt::format("some cells have a decimal point and others a decimal comma; the {} "
                        "was taken",
                        separator),
            "import files of different locales one by one");
}

/// The tables of an export that have one row per metric, each with the header of its rows.
using TurnedTables = std::vector<std::pair<const NcuCsvHeader*, std::unique_ptr<NcuTurnedTable>>>;

Result<void> addTurned(const TurnedTables& tables, NcuProfileBuilder& builder) {
    for (const auto& [header, table] : tables)
        if (auto ok = table->giveTo(builder); !ok) return ok;
    return {};
}

Error noLaunches(const TurnedTables& tables, std::string_view name) {
    const bool labels =
        std::ranges::any_of(tables, [](const auto& one) { return one.second->labels() > 0; });
    if (labels)
        return Error{.code = ErrorCode::BadData,
                     .what =
                         "the table has labels (\"Duration\") instead of the metrics' names "
                         "(gpu__time_duration.sum)",
                     .where = std::string(name),
                     .advice = "add --page raw to the ncu command, or --print-metric-name name"};
    return Error{.code = ErrorCode::BadData,
                 .what = "the export has a header but no launches",
                 .where = std::string(name),
                 .advice = "profile a program that launches kernels"};
}

Result<Profile> importUtf8(std::string_view text, std::string_view name,
                           const ImportOptions& options) {
    const auto format = numberFormatOf(text, name, options.limits);
    if (!format) return format.error();
    CsvRecord record;
    const NcuCsvHeader* header = nullptr;
    NcuCsvReader reader(text, name, options.limits);
    NcuProfileBuilder builder(options);
    TurnedTables tables;
    for (;;) {
        const auto more = reader.next(record, header);
        if (!more) return more.error();
        if (!*more) break;
        Result<void> added;
        if (header->metricCells) {
            if (tables.empty() || tables.back().first != header)
                tables.emplace_back(header,
                                    std::make_unique<NcuTurnedTable>(*header, options.limits));
            added = tables.back().second->add(record, *format);
        } else {
            added = builder.add(NcuCsvRow(header->table, record, *format));
        }
        if (!added) return reader.bad(record.line, added.error().what, added.error().advice);
    }
    if (auto ok = addTurned(tables, builder); !ok)
        return reader.bad(1, ok.error().what, ok.error().advice);
    std::vector<const NcuHeader*> headers;
    for (const NcuCsvHeader& one : reader.headers())
        if (!one.metricCells) headers.push_back(&one.table);
    for (const auto& [source, table] : tables) headers.push_back(&table->header());
    Profile profile = builder.finish(headers);
    if (profile.launches.empty()) return noLaunches(tables, name);
    noteNumberFormat(*format, profile);
    std::size_t labels = 0;
    for (const auto& [source, table] : tables) {
        labels += table->labels();
        if (!table->contradiction().empty())
            addImportNote(
                profile, "metric-repeated",
                table->contradiction() + " has several values for one launch; the first counts",
                {});
    }
    if (labels > 0)
        addImportNote(profile, "metric-labels",
                      fmt::format("{} row{} left out, with a label instead of a metric's name",
                                  labels, labels == 1 ? " was" : "s were"),
                      "add --page raw to the ncu command, or --print-metric-name name");
    return profile;
}

}  // namespace

Result<Profile> importNcuCsv(std::string_view text, std::string_view name,
                             const ImportOptions& options) {
    if (text.size() > options.limits.maxBytes)
        return Error{.code = ErrorCode::BadData,
                     .what = fmt::format("larger than {} bytes", options.limits.maxBytes),
                     .where = std::string(name),
                     .advice = "export fewer launches or metrics"};
    if (text.starts_with("\x1F\x8B"))
        return Error{.code = ErrorCode::BadData,
                     .what = "is compressed (gzip)",
                     .where = std::string(name),
                     .advice = "give the file by its name, or unpack it first: gunzip -c FILE | …"};
    if (const auto converted = convertedToUtf8(text)) return importUtf8(*converted, name, options);
    return importUtf8(text, name, options);
}

}  // namespace roofscope
