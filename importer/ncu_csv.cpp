// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "importer/import.h"
#include "importer/ncu_table.h"

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

/// Columns that describe the chip, the launch or the tool. They are not counters: some are read as
/// facts, others are ignored.
bool isFact(std::string_view name) {
    for (const std::string_view prefix :
         {"launch__", "device__", "profiler__", "numa__", "nvlink__", "derived_tempMetric"})
        if (name.starts_with(prefix)) return true;
    // Properties of the hardware, not of the launch. `….sum.peak_sustained` goes to Device::peaks.
    return name.ends_with(".peak_sustained") || name.ends_with(".peak_burst") ||
           name.ends_with(".max_rate") || name.find(".TriageCompute.") != name.npos;
}

std::string shown(std::string_view name) {
    constexpr std::size_t kLongest = 80;
    std::string text(name.substr(0, kLongest));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    return text + (name.size() > kLongest ? "…" : "");
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
            // Of several columns with the same name, use the first.
            column.unreadable =
                !header.index.try_emplace(column.name, header.columns.size()).second;
            header.columns.push_back(std::move(column));
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

/// Builds a profile from rows.
class ProfileBuilder {
public:
    explicit ProfileBuilder(const ImportOptions& options) : m_limits(options.limits) {
        Capture& capture = m_profile.capture;
        capture.toolVersion = options.toolVersion;
        capture.origin = "imported";
        capture.strategy = "imported from Nsight Compute";
        if (!options.sourceVersion.empty()) capture.strategy += " " + options.sourceVersion;
        // By default ncu locks clocks and flushes caches, but the export does not tell.
        capture.cacheControl = capture.clockControl = "not in the export";
    }

    Result<void> add(const NcuRow& row, const NcuReader& reader) {
        const std::size_t index = m_profile.launches.size();
        if (index == m_limits.maxLaunches)
            return reader.bad(row.line(), fmt::format("more than {} launches", index),
                              "export fewer launches");
        Launch launch = ncuLaunch(row);
        launch.device = deviceOf(row);
        launch.kernel = kernelOf(row);
        launch.process = processOf(row);
        launch.stream = streamOf(row, launch.process);
        if (const std::string range = ncuRange(row); !range.empty()) {
            const auto [entry, isNew] =
                m_ranges.try_emplace(range, static_cast<std::uint32_t>(m_profile.ranges.size()));
            if (isNew) m_profile.ranges.push_back(range);
            launch.range = entry->second;
        }
        ++m_profile.processes[launch.process].launchesSeen;
        m_profile.launches.push_back(std::move(launch));
        if (!addCounters(row, index))
            return reader.bad(row.line(),
                              fmt::format("more than {} counter values", m_limits.maxValues),
                              "export fewer metrics or launches");
        if (const auto passes = row.count32("profiler__replayer_passes"))
            m_profile.capture.passes = std::max(m_profile.capture.passes, *passes);
        return {};
    }

    Profile finish(const std::deque<NcuHeader>& headers) {
        const std::size_t rows = m_profile.launches.size();
        m_profile.counters = CounterTable(rows);
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            m_columns[i].resize(rows, kMissing);
            m_profile.counters.addColumn(std::move(m_names[i]), std::move(m_columns[i]));
        }
        noteSkippedColumns(headers);
        return std::move(m_profile);
    }

private:
    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

    std::uint32_t deviceOf(const NcuRow& row) {
        const auto key = std::tuple(std::string(row.text("Device")), std::string(row.text("CC")),
                                    std::string(row.text("device__attribute_display_name")));
        const auto [entry, isNew] =
            m_devices.try_emplace(key, static_cast<std::uint32_t>(m_profile.devices.size()));
        if (isNew) m_profile.devices.push_back(ncuDevice(row));
        // Peaks are equal in all rows of a device, so take the first.
        constexpr std::string_view kPeak = ".sum.peak_sustained";
        Device& device = m_profile.devices[entry->second];
        for (std::size_t i = 0; i < row.header().columns.size(); ++i) {
            const NcuColumn& column = row.header().columns[i];
            if (!column.name.ends_with(kPeak) || device.peaks.contains(column.name)) continue;
            if (column.name.starts_with("derived__")) continue;
            if (const auto peak = row.number(i); peak && *peak > 0)
                device.peaks.emplace(column.name, *peak);
        }
        return entry->second;
    }

    std::uint32_t kernelOf(const NcuRow& row) {
        Kernel kernel = ncuKernel(row);
        const auto key =
            std::tuple(kernel.name, kernel.symbol, kernel.registersPerThread.value_or(0),
                       kernel.staticSharedBytes.value_or(0));
        const auto [entry, isNew] =
            m_kernels.try_emplace(key, static_cast<std::uint32_t>(m_profile.kernels.size()));
        if (isNew) m_profile.kernels.push_back(std::move(kernel));
        return entry->second;
    }

    std::uint32_t processOf(const NcuRow& row) {
        const auto key =
            std::pair(std::string(row.text("Host Name")), std::string(row.text("Process ID")));
        const auto [entry, isNew] =
            m_processes.try_emplace(key, static_cast<std::uint32_t>(m_profile.processes.size()));
        if (isNew) {
            Process process;
            process.pid = static_cast<std::int64_t>(row.count32("Process ID").value_or(0));
            process.endedCleanly = true;
            m_profile.processes.push_back(std::move(process));
            if (m_profile.capture.command.empty() && !row.text("Process Name").empty())
                m_profile.capture.command = {std::string(row.text("Process Name"))};
        }
        return entry->second;
    }

    std::uint32_t streamOf(const NcuRow& row, std::uint32_t process) {
        auto& streams = m_streams[process];
        // Stream numbers are only unique within a context.
        const auto key =
            std::pair(std::string(row.text("Context")), std::string(row.text("Stream")));
        return streams.try_emplace(key, static_cast<std::uint32_t>(streams.size())).first->second;
    }

    bool addCounters(const NcuRow& row, std::size_t launch) {
        const NcuHeader& header = row.header();
        if (m_header != &header) {
            m_header = &header;
            m_slots.assign(header.columns.size(), kNoSlot);
            for (std::size_t i = 0; i < header.columns.size(); ++i) {
                const NcuColumn& column = header.columns[i];
                if (!column.isMetric() || isFact(column.name) || column.unreadable) continue;
                m_slots[i] = kUnusedSlot;
            }
        }
        for (std::size_t i = 0; i < m_slots.size(); ++i) {
            if (m_slots[i] == kNoSlot) continue;
            const auto value = row.number(i);
            if (!value) continue;
            if (m_slots[i] ==
                kUnusedSlot) {  // first number: columns without numbers get no counter
                const auto [entry, isNew] =
                    m_slotOf.try_emplace(header.columns[i].name, m_names.size());
                if (isNew) {
                    m_names.push_back(header.columns[i].name);
                    m_columns.emplace_back();
                }
                m_slots[i] = entry->second;
            }
            auto& column = m_columns[m_slots[i]];
            column.resize(launch, kMissing);
            column.push_back(*value);
        }
        return m_names.size() <= m_limits.maxColumns &&
               m_names.size() * (launch + 1) <= m_limits.maxValues;
    }

    /// Adds one note for each kind of column that was left out.
    void noteSkippedColumns(const std::deque<NcuHeader>& headers) {
        std::size_t unknown = 0, doubled = 0;
        std::string first, firstDoubled;
        for (const NcuHeader& header : headers)
            for (std::size_t i = 0; i < header.columns.size(); ++i) {
                const NcuColumn& column = header.columns[i];
                if (!column.isMetric()) continue;
                if (!unitFactor(column.unit)) {
                    if (unknown++ == 0)
                        first = fmt::format("{} in \"{}\"", shown(column.name), shown(column.unit));
                } else if (column.unreadable) {
                    if (doubled++ == 0) firstDoubled = shown(column.name);
                }
            }
        const auto note = [this](std::string code, std::string message, std::string advice) {
            m_profile.issues.push_back({.severity = Severity::Info,
                                        .source = "import",
                                        .code = std::move(code),
                                        .message = std::move(message),
                                        .advice = std::move(advice)});
        };
        if (unknown > 0)
            note("unit-unknown",
                 fmt::format("{} column{} left out because the unit is not known: {}", unknown,
                             unknown == 1 ? " was" : "s were", first),
                 "export with --print-units base");
        if (doubled > 0)
            note("column-repeated",
                 fmt::format("{} column{} with a repeated name: {}; the first counts", doubled,
                             doubled == 1 ? " stands" : "s stand", firstDoubled),
                 {});
    }

    static constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t kUnusedSlot = kNoSlot - 1;

    const ImportLimits m_limits;
    Profile m_profile;
    std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> m_devices;
    std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>, std::uint32_t>
        m_kernels;
    std::map<std::pair<std::string, std::string>, std::uint32_t> m_processes;
    std::map<std::uint32_t, std::map<std::pair<std::string, std::string>, std::uint32_t>> m_streams;
    std::map<std::string, std::uint32_t> m_ranges;
    const NcuHeader* m_header = nullptr;
    std::vector<std::size_t> m_slots;  ///< per header column: index into m_columns, or k…Slot
    std::map<std::string, std::size_t> m_slotOf;
    std::vector<std::string> m_names;
    std::vector<std::vector<double>> m_columns;
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
    ProfileBuilder builder(options);
    for (;;) {
        const auto more = reader.next(record, header);
        if (!more) return more.error();
        if (!*more) break;
        if (auto ok = builder.add(NcuRow(*header, record, format), reader); !ok) return ok.error();
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
