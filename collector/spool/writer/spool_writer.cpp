// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/writer/spool_writer.h"

#include <cmath>

#include "collector/spool/writer/line_writer.h"

namespace roofscope::inject {

using namespace spool;

namespace {

template <class Record>
std::string lineOf(const Record& record) {
    constexpr std::size_t kUsual = 256;
    std::string line;
    line.reserve(kUsual);
    appendLine(line, record);
    return line;
}

template <class T>
std::vector<T> listOf(std::span<const T> values) {
    return {values.begin(), values.end()};
}

}  // namespace

template <class Record>
void SpoolWriter::writeNow(const Record& record) {
    writeNow(lineOf(record));
}

template <class Record>
void SpoolWriter::wait(const Record& record) {
    wait(lineOf(record));
}

template <class Record>
void SpoolWriter::writeEssential(const Record& record) {
    writeEssential(lineOf(record));
}

void SpoolWriter::process(const Process& process) { writeNow(ProcessRecord{process}); }

void SpoolWriter::device(std::uint32_t id, const Device& device, std::uint32_t ordinal) {
    writeNow(DeviceRecord{.id = id, .ordinal = ordinal, .device = device});
}

void SpoolWriter::peaks(std::uint32_t device, std::span<const std::string> names,
                        std::span<const double> values) {
    PeaksRecord peaks{.device = device};
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
        if (std::isfinite(values[i])) peaks.values[names[i]] = values[i];
    writeNow(peaks);
}

void SpoolWriter::counters(std::uint32_t device, std::span<const std::string> names,
                           std::size_t passes) {
    writeEssential(CountersRecord{
        .device = device, .passes = static_cast<std::uint32_t>(passes), .names = listOf(names)});
}

void SpoolWriter::kernel(std::uint32_t id, const Kernel& kernel) {
    writeEssential(KernelRecord{.id = id, .kernel = kernel});
}

void SpoolWriter::callSite(const SiteRecord& site) { writeNow(site); }

void SpoolWriter::cpuStacks(const CpuStacksRecord& stacks) { writeNow(stacks); }

void SpoolWriter::cpuSamples(std::span<const CpuSampleRow> samples) {
    std::string lines;
    appendTable(lines, samples);
    writeNow(lines);
}

void SpoolWriter::pace(std::span<const PaceRow> rows) {
    std::string lines;
    appendTable(lines, rows);
    writeNow(lines);
}

void SpoolWriter::range(std::uint32_t id, const std::string& name) {
    writeEssential(RangeRecord{.id = id, .name = name});
}

void SpoolWriter::buffer(std::uint32_t id, const Buffer& buffer) {
    wait(BufferRecord{.id = id, .buffer = buffer});
}

void SpoolWriter::arguments(std::uint64_t sequence, std::span<const BufferArgument> list) {
    wait(ArgumentsRecord{.sequence = sequence, .list = listOf(list)});
}

void SpoolWriter::oldGraph(const OldGraphRecord& launch) { wait(launch); }

void SpoolWriter::retract(std::uint64_t sequence) { writeEssential(RetractRecord{sequence}); }

void SpoolWriter::launchesMissed(std::uint64_t sequence) { writeEssential(MissedRecord{sequence}); }

void SpoolWriter::values(std::uint64_t sequence, std::uint32_t device,
                         std::span<const double> values) {
    writeNow(ValuesRecord{.sequence = sequence, .device = device, .values = listOf(values)});
}

void SpoolWriter::times(std::span<const KernelTime> times) {
    std::string lines;
    std::vector<KernelTime> plain;  // not graph nodes
    for (const KernelTime& time : times)
        if (time.node == 0)
            plain.push_back(time);
        else
            appendLine(lines, NodeTimeRecord{time});
    appendTable(lines, plain);
    writeNow(lines);
}

void SpoolWriter::countsFirst() { writeEssential(CountsFirstRecord()); }

void SpoolWriter::timesNow(std::chrono::duration<double> spent,
                           std::chrono::steady_clock::time_point now, std::uint64_t loop) {
    const std::chrono::duration<double> at = now.time_since_epoch();
    writeEssential(TimesNowRecord{.spent = spent.count(), .at = at.count(), .loop = loop});
}

void SpoolWriter::timeline(const TimelineParts& parts) { writeEssential(TimelineRecord{parts}); }

void SpoolWriter::transfers(std::span<const TransferTime> transfers) {
    std::string lines;
    appendTable(lines, transfers);
    writeNow(lines);
}

void SpoolWriter::thread(std::uint32_t id, std::int64_t systemId, const std::string& name,
                         bool worker) {
    writeEssential(ThreadRecord{.id = id, .systemId = systemId, .name = name, .worker = worker});
}

void SpoolWriter::callName(std::uint32_t id, const char* name, CallKind kind) {
    writeEssential(CallNameRecord{.id = id, .name = {.name = name, .kind = kind}});
}

void SpoolWriter::profilerSwitched(bool on, std::uint64_t atNs) {
    writeNow(ProfilerRecord{.on = on, .atNs = atNs});
}

void SpoolWriter::source(const SourceRecord& source) { writeNow(source); }

void SpoolWriter::samples(const SampleRecord& samples) { writeNow(samples); }

void SpoolWriter::overTime(const OverTimeRecord& record) { writeNow(record); }

void SpoolWriter::rangeEnded(const RangeFacts& range) { writeNow(range); }

void SpoolWriter::rangeCounters(std::uint32_t device, std::span<const std::string> names) {
    writeEssential(RangeCountersRecord{.device = device, .names = listOf(names)});
}

void SpoolWriter::rangeValues(const RangeFacts& range, std::span<const double> values) {
    writeNow(RangeValuesRecord{.range = range.range,
                               .device = range.device,
                               .ordinal = range.ordinal,
                               .values = listOf(values)});
}

void SpoolWriter::issue(const Issue& issue) { writeNow(IssueRecord{issue}); }

void SpoolWriter::run(const RunRecord& run) { writeNow(run); }

void SpoolWriter::end(const Totals& totals) { writeNow(totals); }

}  // namespace roofscope::inject
