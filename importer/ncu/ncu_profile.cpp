// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu/ncu_profile.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "importer/import_note.h"
#include "profile/codec/plausible.h"

namespace roofscope {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kUnusedSlot = kNoSlot - 1;

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

/// Whether a cell begins like a number and so should be one.
bool looksLikeNumber(std::string_view cell) {
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '-' || cell.front() == '+'))
        cell.remove_prefix(1);
    return !cell.empty() && cell.front() >= '0' && cell.front() <= '9';
}

Error tooMuch(std::string what, std::string advice) {
    return Error{.code = ErrorCode::BadData, .what = std::move(what), .advice = std::move(advice)};
}

}  // namespace

NcuProfileBuilder::NcuProfileBuilder(const ImportOptions& options) : m_limits(options.limits) {
    Capture& capture = m_profile.capture;
    capture.toolVersion = options.toolVersion;
    capture.origin = "imported";
    capture.strategy = "imported from Nsight Compute";
    if (!options.sourceVersion.empty()) capture.strategy += " " + options.sourceVersion;
    // ncu locks clocks and flushes caches by default, but the export does not say whether it did.
    capture.cacheControl = capture.clockControl = "not in the export";
}

Result<void> NcuProfileBuilder::add(const NcuRow& row) {
    const std::size_t index = m_profile.launches.size();
    if (index == m_limits.maxLaunches)
        return tooMuch(fmt::format("more than {} launches", index), "export fewer launches");
    Launch launch = ncuLaunch(row);
    launch.device = deviceOf(row);
    launch.kernel = kernelOf(row);
    launch.process = processOf(row);
    launch.stream = streamOf(row, launch.process);
    if (const std::string range = row.range(); !range.empty()) {
        const auto [entry, isNew] =
            m_ranges.try_emplace(range, static_cast<std::uint32_t>(m_profile.ranges.size()));
        if (isNew) m_profile.ranges.push_back(range);
        launch.range = entry->second;
    }
    ++m_profile.processes[launch.process].launchesSeen;
    m_profile.launches.push_back(std::move(launch));
    if (!addCounters(row, index))
        return tooMuch(fmt::format("more than {} counter values", m_limits.maxValues),
                       "export fewer metrics or launches");
    if (const auto passes = row.count32("profiler__replayer_passes"))
        m_profile.capture.passes = std::max(m_profile.capture.passes, *passes);
    return {};
}

Profile NcuProfileBuilder::finish(const std::vector<const NcuHeader*>& headers) {
    const std::size_t rows = m_profile.launches.size();
    m_profile.counters = CounterTable(rows);
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        m_columns[i].resize(rows, kMissing);
        m_profile.counters.addColumn(std::move(m_names[i]), std::move(m_columns[i]));
    }
    noteSkippedColumns(headers);
    noteUnreadableCells();
    dropImplausible(m_profile);
    return std::move(m_profile);
}

std::uint32_t NcuProfileBuilder::deviceOf(const NcuRow& row) {
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
        if (const auto peak = row.numberAt(i); peak && *peak > 0)
            device.peaks.emplace(column.name, *peak);
    }
    // Many exports have no DRAM peak, but this, from which it follows.
    constexpr const char* kBusWidth = "device__attribute_global_memory_bus_width";
    if (const auto bits = row.number(kBusWidth); bits && *bits > 0)
        device.peaks.emplace(kBusWidth, *bits);
    return entry->second;
}

std::uint32_t NcuProfileBuilder::kernelOf(const NcuRow& row) {
    Kernel kernel = ncuKernel(row);
    const auto key = std::tuple(kernel.name, kernel.symbol, kernel.registersPerThread.value_or(0),
                                kernel.staticSharedBytes.value_or(0));
    const auto [entry, isNew] =
        m_kernels.try_emplace(key, static_cast<std::uint32_t>(m_profile.kernels.size()));
    if (isNew) m_profile.kernels.push_back(std::move(kernel));
    return entry->second;
}

std::uint32_t NcuProfileBuilder::processOf(const NcuRow& row) {
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

std::uint32_t NcuProfileBuilder::streamOf(const NcuRow& row, std::uint32_t process) {
    auto& streams = m_streams[process];
    // Stream numbers are only unique within a context.
    const auto key = std::pair(std::string(row.text("Context")), std::string(row.text("Stream")));
    return streams.try_emplace(key, static_cast<std::uint32_t>(streams.size())).first->second;
}

bool NcuProfileBuilder::addCounters(const NcuRow& row, std::size_t launch) {
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
        const auto value = row.numberAt(i);
        if (!value) {
            if (const std::string_view cell = row.textAt(i); looksLikeNumber(cell))
                if (m_unreadable++ == 0)
                    m_firstUnreadable =
                        fmt::format("\"{}\" in {}", shownColumnName(cell), header.columns[i].name);
            continue;
        }
        // Create a counter at the first number of a column, so that columns without numbers get
        // none.
        if (m_slots[i] == kUnusedSlot) {
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

void NcuProfileBuilder::note(std::string code, std::string message, std::string advice) {
    addImportNote(m_profile, std::move(code), std::move(message), std::move(advice));
}

void NcuProfileBuilder::noteUnreadableCells() {
    if (m_unreadable == 0) return;
    note("cell-unreadable",
         fmt::format("{} cell{} not be read as a number and count{} as missing: {}", m_unreadable,
                     m_unreadable == 1 ? " could" : "s could", m_unreadable == 1 ? "s" : "",
                     m_firstUnreadable),
         "give the file as ncu wrote it, with one decimal separator");
}

void NcuProfileBuilder::noteSkippedColumns(const std::vector<const NcuHeader*>& headers) {
    std::size_t unknown = 0, doubled = 0;
    std::string first, firstDoubled;
    for (const NcuHeader* header : headers)
        for (const NcuColumn& column : header->columns) {
            if (!column.isMetric()) continue;
            if (column.unreadable && !ncuUnitFactor(column)) {
                if (unknown++ == 0)
                    first = fmt::format("{} in \"{}\"", shownColumnName(column.name),
                                        shownColumnName(column.unit));
            } else if (column.unreadable) {
                if (doubled++ == 0) firstDoubled = shownColumnName(column.name);
            }
        }
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

}  // namespace roofscope
