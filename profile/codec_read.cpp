// SPDX-License-Identifier: Apache-2.0
// JSON text → Profile. The format is described in docs/profile-format.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "profile/codec.h"
#include "profile/codec_call_sites.h"
#include "profile/codec_internal.h"
#include "profile/codec_timeline.h"
#include "profile/json_columns.h"
#include "profile/json_cursor.h"
#include "profile/plausible.h"
#include "profile/severity.h"

namespace roofscope {
namespace {

using json::BadValue;
using json::constantOf;
using json::Cursor;
using json::fullColumn;
using json::Numbers;
using json::readColumn;
using json::wholeAt;

void readHeader(const Cursor& root) {
    const auto format = root.node().as<json::Members>() ? root.find("format") : std::nullopt;
    if (!format || !format->node().as<std::string>() || format->text() != kFormatName) {
        throw BadValue{"", "this is not a roofscope profile"};
    }
    const auto schema = root.find("schema");
    if (!schema) root.fail("\"schema\" is missing");
    const auto* version = schema->node().as<Numbers>();
    if (version == nullptr || version->empty()) schema->wrongType("[major, minor]");
    const double major = version->front();
    const auto isVersion = [](double v) { return v >= 0 && v == std::floor(std::min(v, 1e6)); };
    if (major < 1 || version->size() > 2 || !std::ranges::all_of(*version, isVersion))
        schema->fail("must be a whole major version from 1 and a whole minor one from 0");
    if (major > kSchemaVersion) throw NewerSchema{static_cast<int>(std::min(major, 1e6))};
}

template <class T, class Read>
std::vector<T> readList(const Cursor& root, std::string_view key, Read read) {
    std::vector<T> list;
    if (const auto at = root.find(key)) {
        std::size_t count = 0;  // a list that grows takes up to twice its memory
        at->forEach([&](const Cursor&) { ++count; });
        list.reserve(count);
        at->forEach([&](const Cursor& item) { list.push_back(read(item)); });
    }
    return list;
}

FurtherReading readFurther(const Cursor& at) {
    FurtherReading reading;
    at.read("groups", reading.groups);
    at.read("passes", reading.passes);
    if (const auto launches = at.find("launches"))
        launches->forEach([&](const Cursor& launch) {
            reading.launches.push_back(launch.integer<std::uint32_t>());
        });
    return reading;
}

Capture readCapture(const Cursor& at) {
    Capture capture;
    at.read("tool", capture.tool);
    at.read("tool_version", capture.toolVersion);
    at.read("created_utc", capture.createdUtc);
    at.read("origin", capture.origin);
    at.read("strategy", capture.strategy);
    at.read("groups", capture.groups);
    at.read("counters", capture.counters);
    at.read("filters", capture.filters);
    at.read("per_kernel", capture.perKernel);
    at.read("passes", capture.passes);
    at.read("timing_runs", capture.timingRuns);
    capture.further = readList<FurtherReading>(at, "further", readFurther);
    at.read("cache_control", capture.cacheControl);
    at.read("clock_control", capture.clockControl);
    at.read("command", capture.command);
    at.read("exit_code", capture.exitCode);
    at.read("term_signal", capture.termSignal);
    return capture;
}

/// A text, because nanoseconds since 1970 are beyond what a double holds.
std::uint64_t readClockZero(const Cursor& at) {
    const std::string text = at.text();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        at.fail("must be a text of digits below 2^64");
    return value;
}

Process readProcess(const Cursor& at) {
    Process process;
    at.read("pid", process.pid);
    at.read("host", process.host);
    at.read("rank", process.rank);
    at.read("local_rank", process.localRank);
    at.read("world_size", process.worldSize);
    at.read("cupti_path", process.cuptiPath);
    at.read("cupti_version", process.cuptiVersion);
    at.read("driver_version", process.driverVersion);
    at.read("launches_seen", process.launchesSeen);
    at.read("launches_autotuning", process.autotuningLaunches);
    at.read("launches_not_chosen", process.unchosenLaunches);
    at.read("ended_cleanly", process.endedCleanly);
    std::optional<double> traced;
    at.read("traced_launch_ns", traced);
    if (traced && *traced < 0) at.find("traced_launch_ns")->fail("must not be negative");
    if (traced) process.tracedLaunch = secondsFromNs(*traced);
    at.read("pinned_bytes", process.pinnedBytes);
    if (const auto parts = at.find("timeline")) process.timeline = readTimelineParts(*parts);
    if (const auto zero = at.find("clock_zero_ns")) process.clockZero = readClockZero(*zero);
    return process;
}

std::optional<Hertz> readClock(const Cursor& at, std::string_view key) {
    std::optional<double> hertz;
    at.read(key, hertz);
    if (!hertz) return std::nullopt;
    if (*hertz < 0) at.find(key)->fail("must not be negative");
    return Hertz{*hertz};
}

/// Nothing for a kind that a later minor version adds.
std::optional<Ceiling> readCeiling(const Cursor& at) {
    Ceiling ceiling;
    std::string kind;
    at.read("name", ceiling.name);
    at.read("kind", kind);
    if (kind.empty()) at.fail("\"kind\" is missing");
    if (kind != "bandwidth" && kind != "compute") return std::nullopt;
    ceiling.kind = kind == "bandwidth" ? Ceiling::Kind::Bandwidth : Ceiling::Kind::Compute;
    const std::string suffix = rateSuffix(ceiling.kind);
    if (!at.find("burst" + suffix)) at.fail("\"burst" + suffix + "\" is missing");
    at.read("burst" + suffix, ceiling.burst);
    at.read("burst_median" + suffix, ceiling.burstMedian);
    at.read("sustained" + suffix, ceiling.sustained);
    at.read("theoretical" + suffix, ceiling.theoretical);
    std::optional<double> spread;
    at.read("spread_ratio", spread);
    if (spread) ceiling.spread = Ratio{*spread};
    at.read("buffer_bytes", ceiling.bufferBytes);
    at.read("method", ceiling.method);
    at.read("measured_utc", ceiling.measuredUtc);
    ceiling.sustainedSmClock = readClock(at, "sustained_sm_clock_hz");
    at.read("throttled", ceiling.throttled);
    at.read("throttle_reasons", ceiling.throttleReasons);
    return ceiling;
}

ObservedClocks readObserved(const Cursor& at) {
    ObservedClocks observed;
    at.read("samples", observed.samples);
    observed.smLowest = readClock(at, "sm_clock_lowest_hz");
    observed.smHighest = readClock(at, "sm_clock_highest_hz");
    observed.memoryLowest = readClock(at, "memory_clock_lowest_hz");
    observed.memoryHighest = readClock(at, "memory_clock_highest_hz");
    at.read("held_back_samples", observed.throttledSamples);
    at.read("held_back_by", observed.throttledBy);
    at.read("temperature_highest_c", observed.temperatureHighestC);
    at.read("power_highest_w", observed.powerHighestW);
    return observed;
}

Device readDevice(const Cursor& at) {
    Device device;
    at.read("name", device.name);
    at.read("uuid", device.uuid);
    at.read("chip", device.chip);
    if (const auto capability = at.find("compute_capability")) {
        std::vector<int> parts;
        capability->forEach([&](const Cursor& item) { parts.push_back(item.integer<int>()); });
        if (parts.size() != 2) capability->fail("must be [major, minor]");
        device.computeMajor = parts[0];
        device.computeMinor = parts[1];
    }
    at.read("sm_count", device.smCount);
    at.read("warp_size", device.warpSize);
    at.read("max_threads_per_sm", device.maxThreadsPerSm);
    at.read("max_threads_per_block", device.maxThreadsPerBlock);
    at.read("max_blocks_per_sm", device.maxBlocksPerSm);
    at.read("registers_per_sm", device.registersPerSm);
    at.read("shared_per_sm_bytes", device.sharedPerSmBytes);
    at.read("shared_per_block_optin_bytes", device.sharedPerBlockOptinBytes);
    at.read("shared_reserved_per_block_bytes", device.sharedReservedPerBlockBytes);
    at.read("l2_bytes", device.l2Bytes);
    at.read("memory_bytes", device.memoryBytes);
    device.smClockMax = readClock(at, "sm_clock_max_hz");
    device.memoryClockMax = readClock(at, "memory_clock_max_hz");
    if (const auto peaks = at.find("peaks")) {
        for (const auto& entry : peaks->members()) {
            if (!entry.value.isNull()) device.peaks[entry.name] = peaks->member(entry).number();
        }
    }
    if (const auto ceilings = at.find("ceilings")) {
        ceilings->forEach([&](const Cursor& item) {
            if (auto ceiling = readCeiling(item)) device.ceilings.push_back(std::move(*ceiling));
        });
    }
    if (const auto observed = at.find("observed")) device.observed = readObserved(*observed);
    return device;
}

Kernel readKernel(const Cursor& at) {
    Kernel kernel;
    at.read("name", kernel.name);
    kernel.symbol = kernel.name;
    at.read("symbol", kernel.symbol);
    at.read("registers_per_thread", kernel.registersPerThread);
    at.read("static_shared_bytes", kernel.staticSharedBytes);
    at.read("local_bytes_per_thread", kernel.localBytesPerThread);
    at.read("max_threads_per_block", kernel.maxThreadsPerBlock);
    at.read("ptx_version", kernel.ptxVersion);
    at.read("binary_version", kernel.binaryVersion);
    return kernel;
}

Issue readIssue(const Cursor& at) {
    Issue issue;
    std::string severity = "error";
    at.read("severity", severity);
    issue.severity = severityNamed(severity);
    at.read("source", issue.source);
    at.read("code", issue.code);
    at.read("message", issue.message);
    at.read("advice", issue.advice);
    return issue;
}

class LaunchReader {
public:
    LaunchReader(const Cursor& at, std::vector<Launch>& launches)
        : m_at(at), m_launches(launches) {}

    template <class Integer, class Set>
    void integers(std::string_view key, Set set) const {
        readColumn(m_at, key, m_launches.size(), Cursor::rangeMessage<Integer>(),
                   [&](std::size_t row, double value) {
                       const auto whole = Cursor::toInteger<Integer>(value);
                       if (whole) set(m_launches[row], *whole);
                       return whole.has_value();
                   });
    }
    void extents(std::string_view key, Dim3& (*dim)(Launch&)) const {
        constexpr std::array kAxes{&Dim3::x, &Dim3::y, &Dim3::z};
        for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
            integers<std::uint32_t>(
                fmt::format("{}_{}", key, "xyz"[axis]),
                [&](Launch& launch, std::uint32_t value) { dim(launch).*kAxes[axis] = value; });
        }
    }

private:
    const Cursor& m_at;
    std::vector<Launch>& m_launches;
};

std::vector<Launch> readLaunches(const Cursor& at, const ReadLimits& limits) {
    // The kernel column is always written out in full: the memory for launches is bounded by what
    // was read and not by a number that the file states.
    const auto kernel = at.find("kernel");
    std::size_t rows = 0;
    if (kernel) {
        const auto* values = kernel->node().as<Numbers>();
        if (values == nullptr) kernel->wrongType("an array of numbers");
        rows = values->size();
        for (std::size_t row = 0; row < rows; ++row) {
            if (std::isnan((*values)[row])) {
                throw BadValue{fmt::format("/launches/kernel/{}", row),
                               "must be a number, not null"};
            }
        }
    }
    std::uint64_t count = rows;
    at.read("count", count);
    if (count != rows) {
        at.fail(fmt::format("\"count\" is {} but \"kernel\" has {} values", count, rows));
    }
    if (rows > limits.maxLaunches)
        at.fail(fmt::format("more than {} launches", limits.maxLaunches));

    std::vector<Launch> launches(rows);
    const LaunchReader read(at, launches);
    using U32 = std::uint32_t;
    read.integers<U32>("kernel", [](Launch& l, U32 v) { l.kernel = v; });
    read.integers<U32>("device", [](Launch& l, U32 v) { l.device = v; });
    read.integers<U32>("process", [](Launch& l, U32 v) { l.process = v; });
    read.integers<U32>("stream", [](Launch& l, U32 v) { l.stream = v; });
    read.extents("grid", [](Launch& l) -> Dim3& { return l.grid; });
    read.extents("block", [](Launch& l) -> Dim3& { return l.block; });
    read.extents("cluster", [](Launch& l) -> Dim3& {
        if (!l.cluster) l.cluster.emplace();
        return *l.cluster;
    });
    read.integers<std::uint64_t>("dynamic_shared_bytes",
                                 [](Launch& l, std::uint64_t v) { l.dynamicSharedBytes = v; });
    read.integers<U32>("resident_blocks_per_sm",
                       [](Launch& l, U32 v) { l.residentBlocksPerSm = v; });
    read.integers<U32>("range", [](Launch& l, U32 v) { l.range = v; });
    read.integers<U32>("arguments", [](Launch& l, U32 v) { l.arguments = v; });
    read.integers<std::uint64_t>("stated_bytes",
                                 [](Launch& l, std::uint64_t v) { l.declaredBytes = v; });
    readColumn(at, "duration_ns", rows, "must not be negative", [&](std::size_t row, double value) {
        if (value >= 0) launches[row].duration = secondsFromNs(value);
        return value >= 0;
    });
    readColumn(at, "start_ns", rows, "must not be negative", [&](std::size_t row, double value) {
        if (value >= 0) launches[row].start = secondsFromNs(value);
        return value >= 0;
    });
    readColumn(at, "from_graph", rows, "must be 0 or 1", [&](std::size_t row, double value) {
        launches[row].fromGraph = value == 1;
        return value == 0 || value == 1;
    });
    readColumn(at, "after_sync", rows, "must be 0 or 1", [&](std::size_t row, double value) {
        launches[row].afterSync = value == 1;
        return value == 0 || value == 1;
    });
    return launches;
}

std::vector<Buffer> readBuffers(const Cursor& at) {
    const Numbers& bytes = fullColumn(at, "bytes");
    std::vector<Buffer> buffers(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        buffers[i].bytes = wholeAt<std::uint64_t>(at, "bytes", bytes, i);
    const auto integers = [&]<class Integer>(std::string_view key, Integer Buffer::*member) {
        readColumn(at, key, buffers.size(), Cursor::rangeMessage<Integer>(),
                   [&](std::size_t row, double value) {
                       const auto whole = Cursor::toInteger<Integer>(value);
                       if (whole) buffers[row].*member = *whole;
                       return whole.has_value();
                   });
    };
    integers("allocation", &Buffer::allocation);
    integers("offset_bytes", &Buffer::offsetBytes);
    return buffers;
}

ArgumentLists readArgumentLists(const Cursor& at) {
    const Numbers& lengths = fullColumn(at, "length");
    const Numbers& buffers = fullColumn(at, "buffer");
    const Numbers& parameters = fullColumn(at, "parameter");
    if (buffers.size() != parameters.size())
        at.fail(fmt::format("\"buffer\" has {} values but \"parameter\" has {}", buffers.size(),
                            parameters.size()));
    ArgumentLists lists;
    std::vector<BufferArgument> list;
    std::size_t next = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto length = wholeAt<std::uint32_t>(at, "length", lengths, i);
        if (length > buffers.size() - next)
            at.fail(fmt::format("\"length\" asks for more than the {} values of \"buffer\"",
                                buffers.size()));
        list.clear();
        for (const std::size_t end = next + length; next < end; ++next)
            list.push_back(
                {.buffer = wholeAt<std::uint32_t>(at, "buffer", buffers, next),
                 .parameter = wholeAt<std::uint32_t>(at, "parameter", parameters, next)});
        lists.add(list);
    }
    if (next != buffers.size())
        at.fail(fmt::format("\"length\" accounts for {} of the {} values of \"buffer\"", next,
                            buffers.size()));
    return lists;
}

/// {"rows": [3, 8], "values": [1.5, 2]}: only these rows have a value.
void readSparseCounter(const Cursor& column, const std::string& name, CounterTable& table) {
    const Numbers& rows = fullColumn(column, "rows");
    const Numbers& values = fullColumn(column, "values");
    if (rows.size() != values.size())
        column.fail(fmt::format("\"rows\" has {} values but \"values\" has {}", rows.size(),
                                values.size()));
    std::vector<std::uint32_t> measured(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        measured[i] = wholeAt<std::uint32_t>(column, "rows", rows, i);
        if (measured[i] >= table.rows())
            column.fail(fmt::format("row {} of {} rows", measured[i], table.rows()));
        if (i > 0 && measured[i] <= measured[i - 1]) column.fail("\"rows\" must ascend");
    }
    table.addSparseColumn(name, std::move(measured), values);
}

CounterTable readCounters(const Cursor& root, std::size_t rows, const ReadLimits& limits) {
    CounterTable table(rows);
    const auto counters = root.find("counters");
    if (!counters) return table;
    std::size_t cells = 0;
    const auto checkCells = [&] {
        if (cells > limits.maxCells)
            counters->fail(fmt::format("more than {} values", limits.maxCells));
    };
    for (const auto& entry : counters->members()) {
        const Cursor column = counters->member(entry);
        if (column.node().as<json::Members>() && column.find("rows")) {
            readSparseCounter(column, entry.name, table);
            cells += table.column(entry.name).count();
            checkCells();
            continue;
        }
        bool isConstant = false;
        std::vector<double> values;
        const auto all = constantOf(column, isConstant);
        if (isConstant && !all) {
            table.addSparseColumn(entry.name, {}, {});
            continue;
        }
        cells += rows;
        checkCells();
        if (isConstant) {
            values.assign(rows, all->number());
        } else if (const auto* numbers = column.node().as<Numbers>()) {
            if (numbers->size() != rows) {
                column.fail(fmt::format("has {} values for {} rows", numbers->size(), rows));
            }
            // The tree belongs to the reader, who comes here once: a copy of each column would be
            // what reading takes most memory for.
            values = std::move(const_cast<Numbers&>(*numbers));
        } else {
            column.forEach([](const Cursor& item) {
                if (!item.node().isNull()) (void)item.number();
            });
            column.wrongType("an array of numbers");
        }
        table.addColumn(entry.name, std::move(values));
    }
    return table;
}

void readRangeMeasurements(const Cursor& at, const ReadLimits& limits, Profile& profile) {
    const Numbers& ranges = fullColumn(at, "range");
    auto& list = profile.rangeMeasurements;
    list.resize(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i)
        list[i].range = wholeAt<std::uint32_t>(at, "range", ranges, i);
    const auto integers = [&]<class Integer>(std::string_view key, Integer, auto member) {
        readColumn(at, key, list.size(), Cursor::rangeMessage<Integer>(),
                   [&](std::size_t row, double value) {
                       const auto whole = Cursor::toInteger<Integer>(value);
                       if (whole) list[row].*member = *whole;
                       return whole.has_value();
                   });
    };
    integers("process", std::uint32_t{}, &RangeMeasurement::process);
    integers("device", std::uint32_t{}, &RangeMeasurement::device);
    integers("ordinal", std::uint32_t{}, &RangeMeasurement::ordinal);
    integers("depth", std::uint32_t{}, &RangeMeasurement::depth);
    integers("launches", std::uint64_t{}, &RangeMeasurement::launches);
    integers("work", std::uint64_t{}, &RangeMeasurement::work);
    const auto times = [&](std::string_view key, auto member) {
        readColumn(at, key, list.size(), "must not be negative",
                   [&](std::size_t row, double value) {
                       if (value >= 0) list[row].*member = secondsFromNs(value);
                       return value >= 0;
                   });
    };
    times("duration_ns", &RangeMeasurement::duration);
    times("busy_ns", &RangeMeasurement::busy);
    profile.rangeCounters = readCounters(at, list.size(), limits);
}

SourcePass readSource(const Cursor& at, const ReadLimits& limits) {
    SourcePass source;
    at.read("kernel", source.kernel);
    at.read("launch", source.launch);
    at.read("files", source.files);
    const Numbers& offsets = fullColumn(at, "offset");
    source.instructions.resize(offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i)
        source.instructions[i].offset = wholeAt<std::uint32_t>(at, "offset", offsets, i);
    const auto integers = [&](std::string_view key, auto set) {
        readColumn(at, key, offsets.size(), Cursor::rangeMessage<std::uint32_t>(),
                   [&](std::size_t row, double value) {
                       const auto whole = Cursor::toInteger<std::uint32_t>(value);
                       if (whole) set(source.instructions[row], *whole);
                       return whole.has_value();
                   });
    };
    integers("file", [](Instruction& i, std::uint32_t v) { i.file = v; });
    integers("line", [](Instruction& i, std::uint32_t v) { i.line = v; });
    std::vector<std::string> sass;
    at.read("sass", sass);
    if (!sass.empty() && sass.size() != offsets.size())
        at.fail(fmt::format("\"sass\" has {} values but \"offset\" has {}", sass.size(),
                            offsets.size()));
    for (std::size_t i = 0; i < sass.size(); ++i) source.instructions[i].sass = std::move(sass[i]);
    source.counters = readCounters(at, offsets.size(), limits);
    source.texts = readList<SourceText>(at, "texts", [](const Cursor& item) {
        SourceText text;
        item.read("file", text.file);
        item.read("first_line", text.firstLine);
        item.read("lines", text.lines);
        return text;
    });
    return source;
}

OverTime readOverTime(const Cursor& at, const ReadLimits& limits) {
    OverTime trace;
    at.read("kernel", trace.kernel);
    at.read("launch", trace.launch);
    const Numbers& ends = fullColumn(at, "end_ns");
    trace.ends.resize(ends.size());
    readColumn(at, "end_ns", ends.size(), "must not be negative",
               [&](std::size_t row, double value) {
                   if (value >= 0) trace.ends[row] = secondsFromNs(value);
                   return value >= 0;
               });
    trace.counters = readCounters(at, ends.size(), limits);
    return trace;
}

Profile readTree(const json::Node& tree, const ReadLimits& limits) {
    const Cursor root(tree);
    readHeader(root);
    Profile profile;
    if (const auto capture = root.find("capture")) profile.capture = readCapture(*capture);
    profile.processes = readList<Process>(root, "processes", readProcess);
    profile.devices = readList<Device>(root, "devices", readDevice);
    profile.kernels = readList<Kernel>(root, "kernels", readKernel);
    root.read("ranges", profile.ranges);
    if (const auto buffers = root.find("buffers")) profile.buffers = readBuffers(*buffers);
    if (const auto lists = root.find("argument_lists"))
        profile.argumentLists = readArgumentLists(*lists);
    if (const auto launches = root.find("launches")) {
        profile.launches = readLaunches(*launches, limits);
    }
    profile.counters = readCounters(root, profile.launches.size(), limits);
    if (const auto measured = root.find("range_measurements"))
        readRangeMeasurements(*measured, limits, profile);
    profile.sources = readList<SourcePass>(
        root, "sources", [&](const Cursor& item) { return readSource(item, limits); });
    profile.overTime = readList<OverTime>(
        root, "over_time", [&](const Cursor& item) { return readOverTime(item, limits); });
    profile.callSites = readList<CallSite>(root, "call_sites", readCallSite);
    if (const auto timeline = root.find("timeline"))
        profile.timeline = readTimeline(*timeline, limits);
    profile.issues = readList<Issue>(root, "issues", readIssue);
    dropImplausible(profile);
    return profile;
}

/// For files of another kind, which are given more often than damaged profiles.
constexpr const char* kWhatAProfileIs =
    "a profile is what `roofscope record` writes; `roofscope import` makes one of an .ncu-rep or a "
    "CSV of Nsight Compute";

}  // namespace

Result<Profile> profileFromTree(Result<json::Node> tree, std::string_view name,
                                const ReadLimits& limits) {
    const auto place = [&](const std::string& inFile) {
        return inFile.empty() ? std::string(name) : fmt::format("{}: {}", name, inFile);
    };
    try {
        if (!tree.ok()) {
            Error error = tree.error();
            error.where = place(error.where);
            error.advice = kWhatAProfileIs;
            return error;
        }
        Profile profile = readTree(*tree, limits);
        if (const auto valid = validateProfile(profile, name); !valid.ok()) return valid.error();
        return profile;
    } catch (const BadValue& bad) {
        return Error{.code = ErrorCode::BadData,
                     .what = bad.what,
                     .where = place(bad.pointer),
                     .advice = bad.pointer.empty() ? kWhatAProfileIs : ""};
    } catch (const NewerSchema& newer) {
        return Error{
            .code = ErrorCode::BadData,
            .what = fmt::format("written by a newer roofscope (schema {}, this one reads {})",
                                newer.major, kSchemaVersion),
            .where = place("/schema"),
            .advice = "update roofscope"};
    } catch (const std::bad_alloc&) {
        return Error{.code = ErrorCode::Io,
                     .what = "not enough memory for this profile",
                     .where = std::string(name)};
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal, .what = error.what(), .where = std::string(name)};
    }
}

Result<Profile> parseProfile(std::string_view text, std::string_view name,
                             const ReadLimits& limits) {
    if (text.size() > limits.maxBytes) return tooLarge(name, limits);
    try {
        return profileFromTree(json::parse(text, limits), name, limits);
    } catch (const std::bad_alloc&) {
        return Error{.code = ErrorCode::Io,
                     .what = "not enough memory for this profile",
                     .where = std::string(name)};
    }
}

}  // namespace roofscope
