// SPDX-License-Identifier: Apache-2.0
// Profile → JSON text. The format is described in docs/profile-format.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profile/codec/codec.h"
#include "profile/codec/codec_call_sites.h"
#include "profile/codec/codec_cpu_samples.h"
#include "profile/codec/codec_fields.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/codec_pace.h"
#include "profile/codec/codec_record.h"
#include "profile/codec/codec_table.h"
#include "profile/codec/codec_timeline.h"
#include "profile/codec/json_writer.h"
#include "profile/model/severity.h"

namespace roofscope {
namespace {

using json::Writer;

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
    captureFields(RecordWriter(w), capture);
    if (!capture.further.empty()) writeList(w, "further", capture.further, writeFurther);
    captureEndFields(RecordWriter(w), capture);
    if (capture.snap) {
        w.key("snap");
        w.open('{');
        snapFields(RecordWriter(w), *capture.snap);
        w.close('}');
    }
    w.close('}');
}

void writeProcess(Writer& w, const Process& process) {
    processFields(RecordWriter(w), process);
    if (process.timeline) writeTimelineParts(w, *process.timeline);
    if (process.clockZero) w.field("clock_zero_ns", std::to_string(*process.clockZero));
    if (process.run) {
        w.key("run");
        w.open('{');
        runFields(RecordWriter(w), *process.run);
        w.close('}');
    }
    if (process.cpuSamples) writeCpuSamples(w, *process.cpuSamples);
    if (process.pace) writePace(w, *process.pace);
}

void writeCeiling(Writer& w, const Ceiling& ceiling) {
    const bool bandwidth = ceiling.kind == Ceiling::Kind::Bandwidth;
    w.field("name", ceiling.name);
    w.field("kind", std::string_view(bandwidth ? "bandwidth" : "compute"));
    ceilingFields(RecordWriter(w), ceiling);
}

void writeDevice(Writer& w, const Device& device) {
    deviceNames(RecordWriter(w), device);
    w.key("compute_capability");
    w.open('[');
    w.value(static_cast<double>(device.computeMajor));
    w.value(static_cast<double>(device.computeMinor));
    w.close(']');
    deviceLimits(RecordWriter(w), device);
    w.key("peaks");
    w.open('{');
    for (const auto& [name, value] : device.peaks) w.field(name, value);
    w.close('}');
    if (!device.ceilings.empty()) writeList(w, "ceilings", device.ceilings, writeCeiling, false);
    if (!device.observed) return;
    w.key("observed");
    w.open('{');
    observedFields(RecordWriter(w), *device.observed);
    w.close('}');
}

void writeKernel(Writer& w, const Kernel& kernel) { kernelFields(RecordWriter(w), kernel); }

void writeIssue(Writer& w, const Issue& issue) {
    w.field("severity", nameOf(issue.severity));
    issueFields(RecordWriter(w), issue);
}

void writeLaunches(Writer& w, const std::vector<Launch>& launches, Columns columns) {
    w.key("launches", true);
    w.open('{');
    w.field("count", launches.size());
    TableWriter table(w, launches);
    if (columns == Columns::InFull) table.inFull();
    launchColumns(table);
    w.close('}');
}

/// Buffers and argument lists of launches; left out if none are known.
void writeBuffers(Writer& w, const Profile& profile) {
    if (!profile.buffers.empty()) {
        w.key("buffers", true);
        w.open('{');
        TableWriter table(w, profile.buffers, NoValues::Null);
        bufferColumns(table);
        w.close('}');
    }
    const ArgumentLists& lists = profile.argumentLists;
    if (lists.empty()) return;
    std::vector<double> lengths;
    for (std::size_t i = 0; i < lists.size(); ++i) lengths.push_back(double(lists[i].size()));
    w.key("argument_lists", true);
    w.open('{');
    writeColumn(w, "length", lengths, true);
    TableWriter table(w, lists.all());
    table.write("buffer", &BufferArgument::buffer, true);
    table.write("parameter", &BufferArgument::parameter, true);
    w.close('}');
}

void writeCounters(Writer& w, const CounterTable& counters) {
    w.key("counters", true);
    w.open('{');
    for (const auto& name : counters.names()) {
        CounterColumn column = counters.column(name);
        CounterTable settled(counters.rows());
        if (!column.sparse()) {  // may have become sparse only after it was stored densely
            settled.addColumn(name, column.all());
            column = settled.column(name);
        }
        bool none = true;  // all values may have been removed since
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

void writeRangeMeasurements(Writer& w, const Profile& profile, Columns columns) {
    w.key("range_measurements", true);
    w.open('{');
    TableWriter table(w, profile.rangeMeasurements, NoValues::Null);
    if (columns == Columns::InFull) table.inFull();
    rangeMeasurementColumns(table);
    writeCounters(w, profile.rangeCounters);
    w.close('}');
}

void writeSource(Writer& w, const SourcePass& source) {
    const auto& list = source.instructions;
    sourceFields(RecordWriter(w), source);
    TableWriter table(w, list, NoValues::Null);
    instructionColumns(table);
    if (std::ranges::any_of(list, [](const Instruction& i) { return !i.sass.empty(); })) {
        std::vector<std::string> sass;
        for (const Instruction& i : list) sass.push_back(i.sass);
        w.field("sass", sass);
    }
    writeCounters(w, source.counters);
    writeList(w, "texts", source.texts, [](Writer& writer, const SourceText& text) {
        sourceTextFields(RecordWriter(writer), text);
    });
}

void writeOverTime(Writer& w, const OverTime& trace) {
    overTimeFields(RecordWriter(w), trace);
    TableWriter(w, trace.ends).write("end_ns", nsFromSeconds, true);
    writeCounters(w, trace.counters);
}

}  // namespace

double nsFromSeconds(Seconds duration) {
    // Multiplying rounds: choose the neighbour that reads back as the same duration, if there is
    // one.
    const double ns = duration.value * 1e9;
    const double up = std::nextafter(ns, std::numeric_limits<double>::infinity());
    const double down = std::nextafter(ns, 0.0);
    for (const double candidate : {std::round(ns), ns, up, down}) {
        if (secondsFromNs(candidate).value == duration.value) return candidate;
    }
    return ns;
}

std::string formatProfile(const Profile& profile) {
    return formatProfile(profile, Columns::Short).text;
}

FormattedProfile formatProfile(const Profile& profile, Columns columns) {
    std::string out;
    const TextSink sink = [&out](std::string_view piece) { out += piece; };
    Writer w(sink);
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
    writeLaunches(w, profile.launches, columns);
    writeCounters(w, profile.counters);
    if (!profile.rangeMeasurements.empty()) writeRangeMeasurements(w, profile, columns);
    if (!profile.sources.empty()) writeList(w, "sources", profile.sources, writeSource);
    if (!profile.overTime.empty()) writeList(w, "over_time", profile.overTime, writeOverTime);
    if (!profile.callSites.empty()) writeList(w, "call_sites", profile.callSites, writeCallSite);
    if (!profile.timeline.empty()) writeTimeline(w, profile.timeline);
    writeList(w, "issues", profile.issues, writeIssue);
    w.close('}');
    w.finish();
    return {.text = std::move(out), .nodes = w.nodes()};
}

}  // namespace roofscope
