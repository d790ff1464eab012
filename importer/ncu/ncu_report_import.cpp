// SPDX-License-Identifier: Apache-2.0
// Reads a report of Nsight Compute as rows, with the columns of ncu's raw page.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "importer/import.h"
#include "importer/import_note.h"
#include "importer/ncu/ncu_profile.h"
#include "importer/ncu_report_file/report_file.h"
#include "profile/text/base_name.h"

namespace roofscope {

namespace {

using ncufile::LaunchResult;
using ncufile::ProcessInfo;
using ncufile::ReportFile;
using ncufile::Session;

/// The columns before the metrics.
enum ReportColumn : std::size_t {
    kPid,
    kProcessName,
    kHostName,
    kKernelName,
    kMangledName,
    kContext,
    kStream,
    kBlockSize,
    kGridSize,
    kDevice,
    kCapability,
    kReportColumns
};
constexpr std::array<const char*, kReportColumns> kReportColumnNames{
    "Process ID",          "Process Name", "Host Name", "Kernel Name",
    "Kernel Mangled Name", "Context",      "Stream",    "Block Size",
    "Grid Size",           "Device",       "CC"};

/// The header of a report: the columns above, then the metrics by name, as on the raw page.
class ReportHeader {
public:
    explicit ReportHeader(const std::vector<std::string_view>& names) : m_columnOf(names.size()) {
        NcuHeader& header = m_header;
        header.columns.reserve(kReportColumns + names.size());
        for (const char* name : kReportColumnNames) header.add({.name = name, .unit = {}});
        std::vector<std::size_t> order(names.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) { return names[i]; });
        for (const std::size_t i : order) {
            m_columnOf[i] = header.columns.size();
            // Reports have base units, like CUPTI, and do not name them.
            header.add({.name = std::string(names[i]), .unit = {}});
        }
    }

    [[nodiscard]] const NcuHeader& header() const { return m_header; }
    /// The column of a metric; nullopt if the report has no such metric.
    [[nodiscard]] std::optional<std::size_t> columnOf(std::uint64_t name) const {
        if (name >= m_columnOf.size()) return std::nullopt;
        return m_columnOf[static_cast<std::size_t>(name)];
    }

private:
    NcuHeader m_header;
    std::vector<std::size_t> m_columnOf;
};

std::string extentsText(const std::optional<ncufile::Extents>& extents) {
    if (!extents) return {};
    return fmt::format("({}, {}, {})", (*extents)[0], (*extents)[1], (*extents)[2]);
}

/// The text before the first NUL, with which ncu on Windows ended paths.
std::string_view untilNul(std::string_view text) { return text.substr(0, text.find('\0')); }

template <class Number>
std::string numberText(const std::optional<Number>& number) {
    return number ? fmt::to_string(*number) : std::string();
}

/// A launch of a report. One object is filled for each launch in turn.
class NcuReportRow final : public NcuRow {
public:
    explicit NcuReportRow(const ReportHeader& header)
        : NcuRow(header.header()), m_columns(header), m_cells(header.header().columns.size()) {}

    /// Errors: BadData without a place.
    Result<void> fill(const LaunchResult& launch, const ProcessInfo& process,
                      const ImportLimits& limits) {
        for (Cell& cell : m_cells) cell = {};
        m_range.clear();
        for (const ncufile::Metric& metric : launch.metrics) {
            if (!metric.name) continue;
            const auto column = m_columns.columnOf(*metric.name);
            if (!column)
                return Error{
                    .code = ErrorCode::BadData,
                    .what = fmt::format("a metric refers to name {} in a table of {}", *metric.name,
                                        header().columns.size() - kReportColumns),
                    .advice = "the file is damaged: copy it again, or profile again"};
            put(*column, metric.value);
        }
        std::string_view name = untilNul(launch.demangledName);
        if (name.empty()) name = untilNul(launch.functionName);
        if (name.empty()) name = untilNul(launch.mangledName);
        set(kPid, numberText(process.pid));
        if (process.pid) m_cells[kPid].number = static_cast<double>(*process.pid);
        set(kProcessName, baseName(untilNul(process.name)));
        set(kHostName, process.host);
        set(kKernelName, name);
        set(kMangledName, launch.mangledName);
        set(kContext, numberText(launch.context));
        set(kStream, numberText(launch.stream));
        set(kBlockSize, extentsText(launch.block));
        set(kGridSize, extentsText(launch.grid));
        set(kDevice, numberText(deviceIndex()));
        set(kCapability, capability());
        for (std::size_t i = 0; i < kReportColumns; ++i)
            if (auto ok = check(m_texts[i], limits); !ok) return ok;
        NcuRangeText range;
        for (const std::string_view one : launch.ranges) {
            if (auto ok = check(one, limits); !ok) return ok;
            range.add(untilNul(one));
        }
        m_range = range.take();
        return {};
    }

    [[nodiscard]] std::string_view textAt(std::size_t column) const override {
        if (column < kReportColumns) return m_texts[column];
        return column < m_cells.size() ? m_cells[column].text : std::string_view();
    }
    [[nodiscard]] std::optional<double> numberAt(std::size_t column) const override {
        if (column >= m_cells.size() || header().columns[column].unreadable) return std::nullopt;
        return m_cells[column].number;
    }
    [[nodiscard]] std::string range() const override { return m_range; }

    /// Name of the first metric with two different values in one launch; may be empty.
    [[nodiscard]] const std::string& contradiction() const { return m_contradiction; }

private:
    struct Cell {
        std::string_view text;
        std::optional<double> number;
    };

    void put(std::size_t column, const ncufile::Value& value) {
        Cell& cell = m_cells[column];
        if (const auto* number = std::get_if<double>(&value); number && std::isfinite(*number)) {
            // The last of several values counts, because ncu calculates rates (".per_second") from
            // it.
            if (cell.number && *cell.number != *number && m_contradiction.empty())
                m_contradiction = header().columns[column].name;
            cell.number = *number;
        }
        if (const auto* text = std::get_if<std::string_view>(&value)) cell.text = untilNul(*text);
    }

    void set(ReportColumn column, std::string_view text) { m_texts[column] = untilNul(text); }

    static Result<void> check(std::string_view text, const ImportLimits& limits) {
        if (text.size() > limits.maxCellBytes)
            return Error{.code = ErrorCode::BadData,
                         .what = fmt::format("a name is longer than {} bytes", limits.maxCellBytes),
                         .advice = "shorten the kernel's or range's name"};
        return {};
    }

    [[nodiscard]] std::optional<std::uint64_t> deviceIndex() const {
        const auto index = count("device__attribute_device_index");
        return index ? index : count("launch__device_id");
    }

    [[nodiscard]] std::string capability() const {
        const auto major = count("device__attribute_compute_capability_major");
        const auto minor = count("device__attribute_compute_capability_minor");
        return major && minor ? fmt::format("{}.{}", *major, *minor) : std::string();
    }

    const ReportHeader& m_columns;
    std::vector<Cell> m_cells;
    std::array<std::string, kReportColumns> m_texts;
    std::string m_range, m_contradiction;
};

/// "2026-11-21T09:30:00Z"; empty if the time is impossible.
std::string utcText(std::optional<std::uint64_t> seconds) {
    constexpr std::uint64_t kLast = 253'402'300'799;  // the end of the year 9999
    if (!seconds || *seconds == 0 || *seconds > kLast) return {};
    const std::chrono::sys_seconds at{std::chrono::seconds(*seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(at - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

/// "2025.1.0.0" from "2025.1.0.0 (build 35237751) (public-release)".
std::string versionNumber(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    return std::string(text.substr(0, text.find_first_not_of("0123456789.")).substr(0, kLongest));
}

/// "12.8" in the form of cuDriverGetVersion(): 12080; 0 for any other text.
std::uint32_t driverVersion(std::string_view text) {
    std::uint32_t major = 0, minor = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, major);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
    const auto second = std::from_chars(first.ptr + 1, end, minor);
    if (second.ec != std::errc() || second.ptr != end || major > 99 || minor > 99) return 0;
    return major * 1000 + minor * 10;
}

/// The value of an option of ncu ("--clock-control") on its command line, before the program's
/// name; empty if the option is not there.
std::string_view optionValue(std::string_view commandLine, std::string_view option,
                             std::string_view program) {
    bool first = true, found = false;
    while (!commandLine.empty()) {
        const std::size_t end = std::min(commandLine.find(' '), commandLine.size());
        const std::string_view word = commandLine.substr(0, end);
        commandLine.remove_prefix(std::min(end + 1, commandLine.size()));
        if (word.empty()) continue;
        if (found) return word;
        if (!first && !program.empty() && baseName(word) == program) break;
        first = false;
        found = word == option;
        if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
            return word.substr(option.size() + 1);
    }
    return {};
}

std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// Whether a word of the command line starts this process: "./app", or "python" for "python3.10".
bool starts(std::string_view word, std::string_view program) {
    const std::string_view name = baseName(word);
    return name == program || (name.starts_with("python") && program.starts_with(name));
}

/// Index of the program among the words of ncu's command line; nullopt if it is not there. The
/// value of an option may have the program's name, too ("-k app ./app").
std::optional<std::size_t> programIn(const std::vector<std::string_view>& words,
                                     std::string_view program) {
    constexpr std::array<std::string_view, 4> kSwitches{"-f", "--force-overwrite", "--csv",
                                                        "--nvtx"};
    std::optional<std::size_t> found;
    if (program.empty()) return found;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!starts(words[i], program)) continue;
        const std::string_view before = words[i - 1];
        if (!found) found = i;
        if (!before.starts_with('-') || before.find('=') != before.npos ||
            std::ranges::find(kSwitches, before) != kSwitches.end())
            return i;
    }
    return found;
}

/// Keeps ncu's command line as far as it helps to measure again. Words are separated by blanks: how
/// they were quoted is not in the report.
void keepCommand(std::string_view commandLine, std::string_view program, Capture& capture) {
    constexpr std::size_t kLongestLine = 4000;
    if (commandLine.size() > kLongestLine) return;
    const std::vector<std::string_view> words = wordsOf(untilNul(commandLine));
    const auto at = programIn(words, program);
    if (!at) return;
    capture.command.assign(words.begin() + static_cast<std::ptrdiff_t>(*at), words.end());
    capture.toolCommand = {"ncu"};
    for (std::size_t i = 1; i < *at; ++i) {
        const std::string_view word = words[i];
        const bool output = word == "-o" || word == "--export";
        i += output;  // and its value
        if (output || word.starts_with("--export=") || word == "-f" || word == "--force-overwrite")
            continue;
        capture.toolCommand.emplace_back(word);
    }
}

/// How ncu ran, as far as the report says so.
void describeCapture(const Session& session, std::string_view program, Capture& capture) {
    constexpr std::size_t kLongest = 40;
    const std::string unknown = "not in the report";
    keepCommand(session.commandLine, program, capture);
    capture.createdUtc = utcText(session.created);
    // Do not assume ncu's default: a configuration file may have changed it.
    const std::string_view cache = optionValue(session.commandLine, "--cache-control", program);
    capture.cacheControl = cache == "all" ? "flush" : cache == "none" ? "none" : unknown;
    std::string_view clock = optionValue(session.commandLine, "--clock-control", program);
    if (clock.empty()) clock = session.clockControl;
    std::string mode(clock.substr(0, kLongest));
    for (char& c : mode)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool isWord = std::ranges::all_of(mode, [](char c) { return c >= 'a' && c <= 'z'; });
    capture.clockControl = mode.empty() || !isWord ? unknown : mode;
}

Error placed(Error error, std::string_view name) {
    error.where = std::string(name) + (error.where.empty() ? "" : ": " + error.where);
    return error;
}

}  // namespace

Result<Profile> importNcuReport(std::string_view bytes, std::string_view name,
                                const ImportOptions& options) {
    const ImportLimits& limits = options.limits;
    if (bytes.size() > limits.maxBytes)
        return Error{.code = ErrorCode::BadData,
                     .what = fmt::format("larger than {} bytes", limits.maxBytes),
                     .where = std::string(name),
                     .advice = "profile fewer launches or metrics"};
    ncufile::WireBudget budget(limits.maxFields);
    const auto file = ncufile::readReportFile(bytes, limits, budget);
    if (!file) return placed(file.error(), name);
    if (file->results.empty())
        return Error{.code = ErrorCode::BadData,
                     .what = "the report has no launches",
                     .where = std::string(name),
                     .advice = "profile a program that launches kernels"};
    const ReportHeader header(file->names);
    // A launch may have few metrics, but its row has a cell for every metric.
    if (header.header().columns.size() > 4 * limits.maxValues / file->results.size())
        return Error{.code = ErrorCode::BadData,
                     .what = fmt::format("{} launches and {} metrics are too many",
                                         file->results.size(), file->names.size()),
                     .where = std::string(name),
                     .advice = "profile fewer launches or metrics"};
    ImportOptions shown = options;
    if (shown.sourceVersion.empty()) shown.sourceVersion = versionNumber(file->session.ncuVersion);
    NcuProfileBuilder builder(shown);
    NcuReportRow row(header);
    LaunchResult launch;
    for (std::size_t i = 0; i < file->results.size(); ++i) {
        const auto& [message, process] = file->results[i];
        Result<void> ok = ncufile::readResult(message, limits, budget, launch);
        if (ok) ok = row.fill(launch, file->processes[process], limits);
        if (ok) ok = builder.add(row);
        if (!ok) {
            Error error = ok.error();
            error.where = fmt::format("{}: launch {}", name, i + 1);
            return error;
        }
    }
    Profile profile = builder.finish({&header.header()});
    describeCapture(file->session, baseName(untilNul(file->processes.front().name)),
                    profile.capture);
    for (Process& process : profile.processes) {
        process.host = untilNul(file->session.computer).substr(0, limits.maxCellBytes);
        process.driverVersion = driverVersion(file->session.cudaVersion);
    }
    if (!row.contradiction().empty())
        addImportNote(profile, "metric-repeated",
                      row.contradiction() + " has several values for one launch; the last counts",
                      {});
    if (file->rangeResults > 0)
        addImportNote(
            profile, "ranges-left-out",
            fmt::format("{} result{} of ranges {} not read", file->rangeResults,
                        file->rangeResults == 1 ? "" : "s", file->rangeResults == 1 ? "is" : "are"),
            {});
    return profile;
}

}  // namespace roofscope
