// SPDX-License-Identifier: Apache-2.0
// Profile → JSON text. The format is described in docs/profile-format.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "profile/codec.h"
#include "profile/codec_call_sites.h"
#include "profile/codec_internal.h"
#include "profile/codec_timeline.h"
#include "profile/json_writer.h"
#include "profile/severity.h"

namespace roofscope {
namespace {

using json::kMissing;
using json::Writer;

class LaunchWriter {
public:
    LaunchWriter(Writer& writer, const std::vector<Launch>& launches)
        : m_writer(writer), m_launches(launches), m_values(launches.size()) {}

    /// `get` gives NaN for a launch that has no such value; a column of them is left out.
    template <class Get>
    void column(std::string_view key, Get get, bool alwaysArray = false) {
        std::ranges::transform(m_launches, m_values.begin(), get);
        if (!alwaysArray && std::ranges::all_of(m_values, [](double v) { return std::isnan(v); })) {
            return;
        }
        writeColumn(m_writer, key, m_values, alwaysArray);
    }

private:
    Writer& m_writer;
    const std::vector<Launch>& m_launches;
    std::vector<double> m_values;
};

template <class T>
double orMissing(const std::optional<T>& value) {
    return value ? static_cast<double>(*value) : kMissing;
}

template <class T>
void writeList(Writer& w, std::string_view key, const std::vector<T>& list,
               void (*writeItem)(Writer&, const T&)) {
    w.key(key, true);
    w.open('[');
    for (const auto& item : list) {
        w.open('{');
        writeItem(w, item);
        w.close('}');
    }
    w.close(']');
}

void writeFurther(Writer& w, const FurtherReading& reading) {
    w.field("groups", reading.groups);
    w.key("launches");
    w.open('[');
    for (const std::uint32_t launch : reading.launches) w.value(static_cast<double>(launch));
    w.close(']');
    if (reading.passes > 0) w.field("passes", reading.passes);
}

void writeCapture(Writer& w, const Capture& capture) {
    w.key("capture", true);
    w.open('{');
    w.field("tool", capture.tool);
    w.field("tool_version", capture.toolVersion);
    w.field("created_utc", capture.createdUtc);
    w.field("origin", capture.origin);
    w.field("strategy", capture.strategy);
    w.field("groups", capture.groups);
    if (!capture.counters.empty()) w.field("counters", capture.counters);
    if (!capture.filters.empty()) w.field("filters", capture.filters);
    if (capture.perKernel) w.field("per_kernel", *capture.perKernel);
    w.field("passes", capture.passes);
    if (capture.timingRuns > 0) w.field("timing_runs", capture.timingRuns);
    if (!capture.further.empty()) writeList(w, "further", capture.further, writeFurther);
    w.field("cache_control", capture.cacheControl);
    w.field("clock_control", capture.clockControl);
    w.field("command", capture.command);
    w.field("exit_code", capture.exitCode);
    w.field("term_signal", capture.termSignal);
    w.close('}');
}

void writeProcess(Writer& w, const Process& process) {
    w.field("pid", process.pid);
    w.field("host", process.host);
    w.field("rank", process.rank);
    w.field("local_rank", process.localRank);
    w.field("world_size", process.worldSize);
    w.field("cupti_path", process.cuptiPath);
    w.field("cupti_version", process.cuptiVersion);
    w.field("driver_version", process.driverVersion);
    w.field("launches_seen", process.launchesSeen);
    if (process.autotuningLaunches) w.field("launches_autotuning", *process.autotuningLaunches);
    if (process.unchosenLaunches) w.field("launches_not_chosen", *process.unchosenLaunches);
    w.field("ended_cleanly", process.endedCleanly);
    if (process.tracedLaunch) w.field("traced_launch_ns", nsFromSeconds(*process.tracedLaunch));
    if (process.pinnedBytes) w.field("pinned_bytes", *process.pinnedBytes);
    if (process.timeline) writeTimelineParts(w, *process.timeline);
    if (process.clockZero) w.field("clock_zero_ns", std::to_string(*process.clockZero));
}

void writeCeiling(Writer& w, const Ceiling& ceiling) {
    const bool bandwidth = ceiling.kind == Ceiling::Kind::Bandwidth;
    const auto rate = [&](std::string_view key, const std::optional<double>& value) {
        w.field(std::string(key) + rateSuffix(ceiling.kind), value);
    };
    w.field("name", ceiling.name);
    w.field("kind", std::string_view(bandwidth ? "bandwidth" : "compute"));
    rate("burst", ceiling.burst);
    rate("burst_median", ceiling.burstMedian);
    rate("sustained", ceiling.sustained);
    if (ceiling.spread) w.field("spread_ratio", ceiling.spread->value);
    rate("theoretical", ceiling.theoretical);
    w.field("buffer_bytes", ceiling.bufferBytes);
    w.field("method", ceiling.method);
    w.field("measured_utc", ceiling.measuredUtc);
    if (ceiling.sustainedSmClock) w.field("sustained_sm_clock_hz", ceiling.sustainedSmClock->value);
    w.field("throttled", ceiling.throttled);
    if (!ceiling.throttleReasons.empty()) w.field("throttle_reasons", ceiling.throttleReasons);
}

void writeObserved(Writer& w, const ObservedClocks& observed) {
    const auto clock = [&](std::string_view key, const std::optional<Hertz>& hertz) {
        if (hertz) w.field(key, hertz->value);
    };
    w.field("samples", observed.samples);
    clock("sm_clock_lowest_hz", observed.smLowest);
    clock("sm_clock_highest_hz", observed.smHighest);
    clock("memory_clock_lowest_hz", observed.memoryLowest);
    clock("memory_clock_highest_hz", observed.memoryHighest);
    w.field("held_back_samples", observed.throttledSamples);
    if (!observed.throttledBy.empty()) w.field("held_back_by", observed.throttledBy);
    w.field("temperature_highest_c", observed.temperatureHighestC);
    w.field("power_highest_w", observed.powerHighestW);
}

void writeDevice(Writer& w, const Device& device) {
    w.field("name", device.name);
    if (!device.uuid.empty()) w.field("uuid", device.uuid);
    w.field("chip", device.chip);
    w.key("compute_capability");
    w.open('[');
    w.value(static_cast<double>(device.computeMajor));
    w.value(static_cast<double>(device.computeMinor));
    w.close(']');
    w.field("sm_count", device.smCount);
    w.field("warp_size", device.warpSize);
    w.field("max_threads_per_sm", device.maxThreadsPerSm);
    w.field("max_threads_per_block", device.maxThreadsPerBlock);
    w.field("max_blocks_per_sm", device.maxBlocksPerSm);
    w.field("registers_per_sm", device.registersPerSm);
    w.field("shared_per_sm_bytes", device.sharedPerSmBytes);
    w.field("shared_per_block_optin_bytes", device.sharedPerBlockOptinBytes);
    w.field("shared_reserved_per_block_bytes", device.sharedReservedPerBlockBytes);
    w.field("l2_bytes", device.l2Bytes);
    w.field("memory_bytes", device.memoryBytes);
    if (device.smClockMax) w.field("sm_clock_max_hz", device.smClockMax->value);
    if (device.memoryClockMax) w.field("memory_clock_max_hz", device.memoryClockMax->value);
    w.key("peaks");
    w.open('{');
    for (const auto& [name, value] : device.peaks) w.field(name, value);
    w.close('}');
    if (!device.ceilings.empty()) {
        w.key("ceilings");
        w.open('[');
        for (const Ceiling& ceiling : device.ceilings) {
            w.open('{');
            writeCeiling(w, ceiling);
            w.close('}');
        }
        w.close(']');
    }
    if (!device.observed) return;
    w.key("observed");
    w.open('{');
    writeObserved(w, *device.observed);
    w.close('}');
}

void writeKernel(Writer& w, const Kernel& kernel) {
    w.field("name", kernel.name);
    w.field("symbol", kernel.symbol);
    w.field("registers_per_thread", kernel.registersPerThread);
    w.field("static_shared_bytes", kernel.staticSharedBytes);
    w.field("local_bytes_per_thread", kernel.localBytesPerThread);
    w.field("max_threads_per_block", kernel.maxThreadsPerBlock);
    w.field("ptx_version", kernel.ptxVersion);
    w.field("binary_version", kernel.binaryVersion);
}

void writeIssue(Writer& w, const Issue& issue) {
    w.field("severity", nameOf(issue.severity));
    w.field("source", issue.source);
    w.field("code", issue.code);
    w.field("message", issue.message);
    w.field("advice", issue.advice);
}

void writeLaunches(Writer& w, const std::vector<Launch>& launches) {
    w.key("launches", true);
    w.open('{');
    w.field("count", launches.size());
    LaunchWriter columns(w, launches);
    columns.column(
        "kernel", [](const Launch& l) { return double(l.kernel); }, true);
    columns.column("device", [](const Launch& l) { return double(l.device); });
    columns.column("process", [](const Launch& l) { return double(l.process); });
    columns.column("stream", [](const Launch& l) { return double(l.stream); });
    columns.column("grid_x", [](const Launch& l) { return double(l.grid.x); });
    columns.column("grid_y", [](const Launch& l) { return double(l.grid.y); });
    columns.column("grid_z", [](const Launch& l) { return double(l.grid.z); });
    columns.column("block_x", [](const Launch& l) { return double(l.block.x); });
    columns.column("block_y", [](const Launch& l) { return double(l.block.y); });
    columns.column("block_z", [](const Launch& l) { return double(l.block.z); });
    columns.column("cluster_x",
                   [](const Launch& l) { return l.cluster ? double(l.cluster->x) : kMissing; });
    columns.column("cluster_y",
                   [](const Launch& l) { return l.cluster ? double(l.cluster->y) : kMissing; });
    columns.column("cluster_z",
                   [](const Launch& l) { return l.cluster ? double(l.cluster->z) : kMissing; });
    columns.column("dynamic_shared_bytes",
                   [](const Launch& l) { return double(l.dynamicSharedBytes); });
    columns.column("resident_blocks_per_sm",
                   [](const Launch& l) { return orMissing(l.residentBlocksPerSm); });
    columns.column("range", [](const Launch& l) { return orMissing(l.range); });
    columns.column("duration_ns", [](const Launch& l) {
        return l.duration ? nsFromSeconds(*l.duration) : kMissing;
    });
    columns.column("start_ns",
                   [](const Launch& l) { return l.start ? nsFromSeconds(*l.start) : kMissing; });
    columns.column("from_graph", [](const Launch& l) { return l.fromGraph ? 1.0 : 0.0; });
    if (std::ranges::any_of(launches, &Launch::afterSync))
        columns.column("after_sync", [](const Launch& l) { return l.afterSync ? 1.0 : 0.0; });
    columns.column("arguments", [](const Launch& l) { return orMissing(l.arguments); });
    columns.column("stated_bytes", [](const Launch& l) { return orMissing(l.declaredBytes); });
    w.close('}');
}

template <class T, class Get>
std::vector<double> numbersOf(const T& items, Get get) {
    std::vector<double> values;
    values.reserve(items.size());
    for (const auto& item : items) values.push_back(double(get(item)));
    return values;
}

/// What launches were given; left out when that is not known of any.
void writeBuffers(Writer& w, const Profile& profile) {
    if (!profile.buffers.empty()) {
        w.key("buffers", true);
        w.open('{');
        const auto column = [&](std::string_view key, auto member, bool alwaysArray = false) {
            writeColumn(w, key,
                        numbersOf(profile.buffers, [&](const Buffer& b) { return b.*member; }),
                        alwaysArray);
        };
        column("bytes", &Buffer::bytes, true);
        column("allocation", &Buffer::allocation);
        column("offset_bytes", &Buffer::offsetBytes);
        w.close('}');
    }
    const ArgumentLists& lists = profile.argumentLists;
    if (lists.empty()) return;
    std::vector<double> lengths;
    for (std::size_t i = 0; i < lists.size(); ++i) lengths.push_back(double(lists[i].size()));
    w.key("argument_lists", true);
    w.open('{');
    writeColumn(w, "length", lengths, true);
    writeColumn(w, "buffer", numbersOf(lists.all(), [](const auto& a) { return a.buffer; }), true);
    writeColumn(w, "parameter", numbersOf(lists.all(), [](const auto& a) { return a.parameter; }),
                true);
    w.close('}');
}

void writeCounters(Writer& w, const CounterTable& counters) {
    w.key("counters", true);
    w.open('{');
    for (const auto& name : counters.names()) {
        CounterColumn column = counters.column(name);
        CounterTable settled(counters.rows());
        if (!column.sparse()) {  // it may have been held so while the table was short
            settled.addColumn(name, column.all());
            column = settled.column(name);
        }
        bool none = true;  // of few values all may have been taken away
        column.forEach([&](std::size_t, double) { none = false; });
        if (!column.sparse() || none) {
            writeColumn(w, name, column.all());
            continue;
        }
        w.key(name, true);
        w.open('{');
        w.key("rows");
        w.open('[');
        column.forEach([&](std::size_t row, double) { w.value(static_cast<double>(row)); });
        w.close(']');
        w.key("values");
        w.open('[');
        column.forEach([&](std::size_t, double value) { w.value(value); });
        w.close(']');
        w.close('}');
    }
    w.close('}');
}

void writeRangeMeasurements(Writer& w, const Profile& profile) {
    const auto& list = profile.rangeMeasurements;
    w.key("range_measurements", true);
    w.open('{');
    const auto column = [&](std::string_view key, auto get, bool alwaysArray = false) {
        writeColumn(w, key, numbersOf(list, get), alwaysArray);
    };
    column(
        "range", [](const RangeMeasurement& m) { return m.range; }, true);
    column("process", [](const RangeMeasurement& m) { return m.process; });
    column("device", [](const RangeMeasurement& m) { return m.device; });
    column("ordinal", [](const RangeMeasurement& m) { return m.ordinal; });
    column("depth", [](const RangeMeasurement& m) { return m.depth; });
    column("launches", [](const RangeMeasurement& m) { return orMissing(m.launches); });
    column("work", [](const RangeMeasurement& m) { return orMissing(m.work); });
    column("duration_ns", [](const RangeMeasurement& m) {
        return m.duration ? nsFromSeconds(*m.duration) : kMissing;
    });
    column("busy_ns",
           [](const RangeMeasurement& m) { return m.busy ? nsFromSeconds(*m.busy) : kMissing; });
    writeCounters(w, profile.rangeCounters);
    w.close('}');
}

void writeSource(Writer& w, const SourcePass& source) {
    const auto& list = source.instructions;
    w.field("kernel", source.kernel);
    w.field("launch", source.launch);
    w.field("files", source.files);
    const auto column = [&](std::string_view key, auto get, bool alwaysArray = false) {
        writeColumn(w, key, numbersOf(list, get), alwaysArray);
    };
    column(
        "offset", [](const Instruction& i) { return i.offset; }, true);
    column("file", [](const Instruction& i) { return orMissing(i.file); });
    column("line", [](const Instruction& i) { return i.line; });
    if (std::ranges::any_of(list, [](const Instruction& i) { return !i.sass.empty(); })) {
        std::vector<std::string> sass;
        for (const Instruction& i : list) sass.push_back(i.sass);
        w.field("sass", sass);
    }
    writeCounters(w, source.counters);
    w.key("texts", true);
    w.open('[');
    for (const SourceText& text : source.texts) {
        w.open('{');
        w.field("file", text.file);
        w.field("first_line", text.firstLine);
        w.field("lines", text.lines);
        w.close('}');
    }
    w.close(']');
}

void writeOverTime(Writer& w, const OverTime& trace) {
    w.field("kernel", trace.kernel);
    w.field("launch", trace.launch);
    writeColumn(w, "end_ns",
                numbersOf(trace.ends, [](const Seconds& end) { return nsFromSeconds(end); }), true);
    writeCounters(w, trace.counters);
}

}  // namespace

double nsFromSeconds(Seconds duration) {
    // Multiplying rounds: take the neighbour that reads back as the same duration, if there is one.
    const double ns = duration.value * 1e9;
    const double up = std::nextafter(ns, std::numeric_limits<double>::infinity());
    const double down = std::nextafter(ns, 0.0);
    for (const double candidate : {std::round(ns), ns, up, down}) {
        if (secondsFromNs(candidate).value == duration.value) return candidate;
    }
    return ns;
}

std::string formatProfile(const Profile& profile) {
    std::string out;
    Writer w(out);
    w.open('{');
    w.key("format", false);
    w.value(kFormatName);
    w.key("schema");
    w.open('[');
    w.value(static_cast<double>(kSchemaVersion));
    w.value(static_cast<double>(kSchemaMinor));
    w.close(']');
    writeCapture(w, profile.capture);
    writeList(w, "processes", profile.processes, writeProcess);
    writeList(w, "devices", profile.devices, writeDevice);
    writeList(w, "kernels", profile.kernels, writeKernel);
    w.key("ranges", true);
    w.open('[');
    for (const auto& range : profile.ranges) w.value(std::string_view(range));
    w.close(']');
    writeBuffers(w, profile);
    writeLaunches(w, profile.launches);
    writeCounters(w, profile.counters);
    if (!profile.rangeMeasurements.empty()) writeRangeMeasurements(w, profile);
    if (!profile.sources.empty()) writeList(w, "sources", profile.sources, writeSource);
    if (!profile.overTime.empty()) writeList(w, "over_time", profile.overTime, writeOverTime);
    if (!profile.callSites.empty()) writeList(w, "call_sites", profile.callSites, writeCallSite);
    if (!profile.timeline.empty()) writeTimeline(w, profile.timeline);
    writeList(w, "issues", profile.issues, writeIssue);
    w.close('}');
    out += '\n';
    return out;
}

}  // namespace roofscope
