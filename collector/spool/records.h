// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "profile/model/profile.h"

/// The records of a spool, as plain structs shared by its writer (the injected library) and its
/// reader (`roofscope record`). Each key of the format is defined once, here, beside its member.
///
/// A spool holds the measurements of one process. It is a file of lines; each is a JSON object
/// whose "t" gives the type of the record (of this file or of timeline_records.h). The same build
/// writes and reads it, so the format has no version. An example: one launch with counters, and one
/// with times and the driver call that issued it:
///
///     {"t":"process","pid":7,"host":"node1","cupti_version":130001,"driver_version":13000}
///     {"t":"device","id":0,"ordinal":0,"name":"NVIDIA H200","chip":"GH100","sms":132,…}
///     {"t":"kernel","id":0,"name":"scale(float*)","symbol":"_Z5scalePf","registers":32}
///     {"t":"range","id":0,"name":"step"}
///     {"t":"counters","d":0,"passes":2,"names":["a.sum","b.sum"]}
///     {"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"o":8,"r":0}
///     {"t":"values","n":0,"d":0,"v":[1.5,null]}
///     {"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"counted":false,"corr":5}
///     {"t":"calls","rows":2,"k":[0,1],"th":0,"b":[950,80],"l":[10,500],"c":[5,1]}
///     {"t":"times","rows":1,"c":5,"b":1000,"l":300,"x":1,"s":7}
///     {"t":"end"}
///
/// - Ids refer to earlier lines: "k":0 is the kernel whose line has "id":0. They are per process.
///   "n" is the sequence number of a launch in its process: without gaps, and failed launches
///   count.
/// - A key is left out if its value is the default (0, empty, unknown).
/// - A counter without a value is null, in its position.
/// - Records that come by the thousand are tables: "rows" and one column per member. A column of
///   equal numbers is written as that one number. A growing column holds the first number, then
///   each number's difference from the previous one: above, the calls began at 950 and at 1030.
/// - Times are nanoseconds since 1970, in CUPTI's time.
///
/// Each record passes its keys to a visitor, which writes them (writer/line_writer.h) or reads and
/// checks them (reader/line_reader.h). `line(key, member)` is always present; `line.ifAny(key,
/// member)` only if the value is not the default. To add a value, add a member and its key here.
namespace roofscope::spool {

template <class T, class Model>
concept Is = std::same_as<std::remove_const_t<T>, Model>;

// Types of the profile used in records: arrays of their members, or objects.

void elements(auto& array, Is<Dim3> auto& extents) {
    array(extents.x);
    array(extents.y);
    array(extents.z);
}

void elements(auto& array, Is<LaunchShape> auto& shape) {
    array(shape.grid);
    array(shape.block);
}

void elements(auto& array, Is<BufferArgument> auto& argument) {
    array(argument.buffer);
    array(argument.parameter);
}

void elements(auto& array, Is<HostCopies> auto& copies) {
    array(copies.bytes);
    array(copies.copies);
    array(copies.read);
    array(copies.repeated);
    array(copies.distinct);
    array(copies.inTurn);
}

void fields(auto& line, Is<CodeLine> auto& place) {
    line("file", place.file);
    line("line", place.line);
    line("function", place.function);
}

void fields(auto& line, Is<CodePlace> auto& place) {
    line("module", place.module);
    line("offset", place.offset);
}

// Records that others refer to by id.

struct ProcessRecord {
    static constexpr const char* kType = "process";
    Process process;

    static void fields(auto& line, auto& record) {
        auto& p = record.process;
        line("pid", p.pid);
        line.ifAny("host", p.host);
        line.ifAny("cupti_path", p.cuptiPath);
        line.ifAny("cupti_version", p.cuptiVersion);
        line.ifAny("driver_version", p.driverVersion);
        line.ifAny("rank", p.rank);
        line.ifAny("local_rank", p.localRank);
        line.ifAny("world_size", p.worldSize);
    }
};

struct DeviceRecord {
    static constexpr const char* kType = "device";
    std::uint32_t id = 0;
    std::optional<std::uint32_t> ordinal;  ///< CUDA's device number
    Device device;

    static void fields(auto& line, auto& record) {
        auto& d = record.device;
        line("id", record.id);
        line.ifAny("ordinal", record.ordinal);
        line("name", d.name);
        line.ifAny("chip", d.chip);
        line.ifAny("major", d.computeMajor);
        line.ifAny("minor", d.computeMinor);
        line.ifAny("sms", d.smCount);
        line.ifAny("warp", d.warpSize, 32U);
        line.ifAny("threads_per_sm", d.maxThreadsPerSm);
        line.ifAny("threads_per_block", d.maxThreadsPerBlock);
        line.ifAny("blocks_per_sm", d.maxBlocksPerSm);
        line.ifAny("registers_per_sm", d.registersPerSm);
        line.ifAny("shared_per_sm", d.sharedPerSmBytes);
        line.ifAny("shared_optin", d.sharedPerBlockOptinBytes);
        line.ifAny("shared_reserved", d.sharedReservedPerBlockBytes);
        line.ifAny("l2", d.l2Bytes);
        line.ifAny("memory", d.memoryBytes);
        line.ifAny("uuid", d.uuid);
        line.ifAny("sm_hz", d.smClockMax);
        line.ifAny("memory_hz", d.memoryClockMax);
    }
};

/// Device::peaks of a device from an earlier line.
struct PeaksRecord {
    static constexpr const char* kType = "peaks";
    std::uint32_t device = 0;
    std::map<std::string, double> values;

    static void fields(auto& line, auto& record) {
        line("d", record.device);
        line("values", record.values);
    }
};

/// The counters of all following ValuesRecords of this device, which hold values in this order.
struct CountersRecord {
    static constexpr const char* kType = "counters";
    std::uint32_t device = 0, passes = 0;
    std::vector<std::string> names;

    static void fields(auto& line, auto& record) {
        line("d", record.device);
        line.ifAny("passes", record.passes);
        line("names", record.names);
    }
};

struct KernelRecord {
    static constexpr const char* kType = "kernel";
    std::uint32_t id = 0;
    Kernel kernel;

    static void fields(auto& line, auto& record) {
        auto& k = record.kernel;
        line("id", record.id);
        line("name", k.name);
        line("symbol", k.symbol);
        line.ifAny("registers", k.registersPerThread);
        line.ifAny("shared", k.staticSharedBytes);
        line.ifAny("local", k.localBytesPerThread);
        line.ifAny("threads", k.maxThreadsPerBlock);
        line.ifAny("ptx", k.ptxVersion);
        line.ifAny("binary", k.binaryVersion);
    }
};

/// An NVTX range, by its path.
struct RangeRecord {
    static constexpr const char* kType = "range";
    std::uint32_t id = 0;
    std::string name;

    static void fields(auto& line, auto& record) {
        line("id", record.id);
        line("name", record.name);
    }
};

/// A buffer that later launches may have as an argument.
struct BufferRecord {
    static constexpr const char* kType = "buffer";
    std::uint32_t id = 0;
    Buffer buffer;

    static void fields(auto& line, auto& record) {
        line("id", record.id);
        line("allocation", record.buffer.allocation);
        line("offset", record.buffer.offsetBytes);
        line("bytes", record.buffer.bytes);
    }
};

// Launches and their measurements.

/// What is known about a launch when it is issued.
struct LaunchFacts {
    std::uint32_t kernel = 0, device = 0, stream = 0;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    std::optional<std::uint32_t> residentBlocksPerSm;
    std::optional<std::uint32_t> range;
    bool fromGraph = false;
    bool afterSync = false;  ///< its thread has synchronized with the GPU since its previous launch
    bool counted = true;     ///< false: deliberately left without counters
    std::optional<std::uint32_t> correlation;  ///< its KernelTime has the same one, in a timing run
};

struct LaunchRecord {
    static constexpr const char* kType = "launch";
    std::uint64_t sequence = 0;
    LaunchFacts facts;

    static void fields(auto& line, auto& record) {
        auto& f = record.facts;
        line("n", record.sequence);
        line("k", f.kernel);
        line("d", f.device);
        line("s", f.stream);
        line("g", f.grid);
        line("b", f.block);
        line.ifAny("c", f.cluster);
        line.ifAny("m", f.dynamicSharedBytes);
        line.ifAny("o", f.residentBlocksPerSm);
        line.ifAny("r", f.range);
        line.ifAny("graph", f.fromGraph);
        line.ifAny("sync", f.afterSync);
        line.ifAny("counted", f.counted, true);
        line.ifAny("corr", f.correlation);
    }
};

/// The launch of a CUDA graph that is older than the recording: which kernels it runs is known only
/// by their times, which have the same correlation id.
struct OldGraphRecord {
    static constexpr const char* kType = "old-graph";
    std::uint32_t device = 0, stream = 0;
    std::optional<std::uint32_t> range;
    bool afterSync = false;  ///< as in LaunchFacts
    std::uint32_t correlation = 0;

    static void fields(auto& line, auto& record) {
        line("d", record.device);
        line("s", record.stream);
        line.ifAny("r", record.range);
        line.ifAny("sync", record.afterSync);
        line("corr", record.correlation);
    }
};

/// The buffers passed to a launch, in the order of its parameters.
struct ArgumentsRecord {
    static constexpr const char* kType = "arguments";
    std::uint64_t sequence = 0;
    std::vector<BufferArgument> list;

    static void fields(auto& line, auto& record) {
        line("n", record.sequence);
        line("l", record.list);
    }
};

/// Removes a launch that failed or ran nothing.
struct RetractRecord {
    static constexpr const char* kType = "retract";
    std::uint64_t sequence = 0;

    static void fields(auto& line, auto& record) { line("n", record.sequence); }
};

/// Launches before this one were missed; how many is unknown.
struct MissedRecord {
    static constexpr const char* kType = "missed";
    std::uint64_t sequence = 0;

    static void fields(auto& line, auto& record) { line("n", record.sequence); }
};

/// Counter values of a launch; NaN = missing.
struct ValuesRecord {
    static constexpr const char* kType = "values";
    std::uint64_t sequence = 0;
    std::uint32_t device = 0;
    std::vector<double> values;

    static void fields(auto& line, auto& record) {
        line("n", record.sequence);
        line("d", record.device);
        line("v", record.values);
    }
};

/// This process counts first and times later (CountFirstMode). Written before its launches.
struct CountsFirstRecord {
    static constexpr const char* kType = "counts-first";
    static void fields(auto&, auto&) {}
};

/// Counting has ended: the launches after this line are timed.
struct TimesNowRecord {
    static constexpr const char* kType = "times-now";
    double spent = 0;        ///< seconds that counting took
    double at = 0;           ///< when it ended: seconds of the clock that all processes share
    std::uint64_t loop = 0;  ///< CountingFirst::loop()

    static void fields(auto& line, auto& record) {
        line("spent", record.spent);
        line("at", record.at);
        line("loop", record.loop);
    }
};

/// Counters per instruction of one launch.
struct SourceRecord {
    static constexpr const char* kType = "source";
    struct Row {
        std::uint32_t offset = 0;           ///< bytes from the function's start
        std::optional<std::uint32_t> file;  ///< index into files; absent: unknown
        std::uint32_t line = 0;
        std::vector<double> values;  ///< one per metric, NaN missing

        static void elements(auto& array, auto& row) {
            array(row.offset);
            array(row.file);
            array(row.line);
            array(row.values);
        }
    };
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::string cubin;     ///< file in the spool's folder; empty if the code is unknown
    std::string function;  ///< name of the kernel in the cubin
    std::vector<std::string> metrics, files;
    std::vector<Row> rows;

    static void fields(auto& line, auto& record) {
        line("n", record.sequence);
        line("k", record.kernel);
        line.ifAny("cubin", record.cubin);
        line.ifAny("function", record.function);
        line("metrics", record.metrics);
        line("files", record.files);
        line("rows", record.rows);
    }
};

/// Warp stall samples of one launch, per instruction.
struct SampleRecord {
    static constexpr const char* kType = "samples";
    struct Row {
        std::uint32_t offset = 0;            ///< bytes from the function's start
        std::vector<std::uint64_t> samples;  ///< one per stall reason

        static void elements(auto& array, auto& row) {
            array(row.offset);
            array(row.samples);
        }
    };
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::vector<std::string> reasons;  ///< "smsp__pcsamp_warps_issue_stalled_…"
    /// Sorted by offset; instructions without samples are left out.
    std::vector<Row> rows;

    static void fields(auto& line, auto& record) {
        line("n", record.sequence);
        line("k", record.kernel);
        line("reasons", record.reasons);
        line("rows", record.rows);
    }
};

/// Counters of a GPU in intervals over the time of one launch.
struct OverTimeRecord {
    static constexpr const char* kType = "over-time";
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::vector<std::uint64_t> ends;  ///< when each interval ended, ns since the start of the first
    std::vector<std::string> counters;
    std::vector<std::vector<double>> columns;  ///< one per counter, a value per interval

    static void fields(auto& line, auto& record) {
        line("n", record.sequence);
        line("k", record.kernel);
        line("end", record.ends);
        line("names", record.counters);
        line("v", record.columns);
    }
};

// Ranges that are measured as a whole.

/// One occurrence of an NVTX range on one device. Written when it ends, after its launches.
struct RangeFacts {
    static constexpr const char* kType = "range-end";
    std::uint32_t range = 0, device = 0;
    /// Number of this occurrence among those of the range in the process.
    std::uint32_t ordinal = 0;
    std::uint32_t depth = 0;
    std::optional<std::uint64_t> launches, work;  ///< as in RangeMeasurement
    /// Sequence numbers of the launches that were issued in it; `end` is excluded.
    std::uint64_t begin = 0, end = 0;

    static void fields(auto& line, auto& record) {
        line("r", record.range);
        line("d", record.device);
        line("o", record.ordinal);
        line("depth", record.depth);
        line("from", record.begin);
        line("to", record.end);
        line.ifAny("launches", record.launches);
        line.ifAny("work", record.work);
    }
};

/// The counters of all following RangeValuesRecords of this device.
struct RangeCountersRecord {
    static constexpr const char* kType = "range-counters";
    std::uint32_t device = 0;
    std::vector<std::string> names;

    static void fields(auto& line, auto& record) {
        line("d", record.device);
        line("names", record.names);
    }
};

/// Counter values of a range that ended; NaN = missing.
struct RangeValuesRecord {
    static constexpr const char* kType = "range-values";
    std::uint32_t range = 0, device = 0, ordinal = 0;
    std::vector<double> values;

    static void fields(auto& line, auto& record) {
        line("r", record.range);
        line("d", record.device);
        line("o", record.ordinal);
        line("v", record.values);
    }
};

// Call sites, problems, and the end of the spool.

/// How often a line of the program launched a kernel or called a CUDA function.
struct SiteRecord {
    static constexpr const char* kType = "site";
    std::optional<std::uint32_t> kernel;
    std::optional<LaunchShape> shape;  ///< as in CallSite
    std::string call;                  ///< name of the CUDA function; empty if there is a kernel
    std::string file, function;
    std::uint32_t line = 0;
    bool indirect = false;
    std::string op, sizes, backward;  ///< as in CallSite; empty if unknown
    CodeLine forward;
    /// For compiled code, instead of file and line; innermost first.
    std::vector<CodePlace> frames;
    std::uint64_t count = 0;
    std::vector<HostCopies> hostCopies;  ///< of a CUDA function that copies to a GPU

    static void fields(auto& line, auto& record) {
        line.ifAny("k", record.kernel);
        line.ifAny("shape", record.shape);
        line.ifAny("call", record.call);
        line("count", record.count);
        line.ifAny("op", record.op);
        line.ifAny("sizes", record.sizes);
        line.ifAny("backward", record.backward);
        line.ifAny("forward", record.forward);
        line.ifAny("file", record.file);
        line.ifAny("function", record.function);
        line.ifAny("line", record.line);
        line.ifAny("indirect", record.indirect);
        line.ifAny("frames", record.frames);
        line.ifAny("copied", record.hostCopies);
    }
};

struct IssueRecord {
    static constexpr const char* kType = "issue";
    Issue issue;

    static void fields(auto& line, auto& record) {
        auto& i = record.issue;
        line.ifAny("severity", i.severity, Severity::Error);
        line.ifAny("source", i.source);
        line.ifAny("code", i.code);
        line.ifAny("message", i.message);
        line.ifAny("advice", i.advice);
    }
};

/// How many lines before this one could not be written.
struct LostRecord {
    static constexpr const char* kType = "lost";
    std::uint64_t lines = 0;

    static void fields(auto& line, auto& record) { line("lines", record.lines); }
};

/// When the process ran (ProcessRun); 0 for a moment that was never reached.
struct RunRecord {
    static constexpr const char* kType = "run";
    std::uint64_t start = 0, end = 0, setupStart = 0, setupEnd = 0;
    std::uint64_t firstContext = 0, firstLaunch = 0, countedUntil = 0;

    static void fields(auto& line, auto& record) {
        line.time("from", record.start);
        line.time("to", record.end);
        line.time("setup_from", record.setupStart);
        line.time("setup_to", record.setupEnd);
        line.time("context", record.firstContext);
        line.time("launch", record.firstLaunch);
        line.time("counted_to", record.countedUntil);
    }
};

/// The last line, with totals. If it is missing, the process crashed or was killed.
struct EndRecord {
    static constexpr const char* kType = "end";
    std::optional<std::chrono::nanoseconds> tracedLaunch;  ///< median CPU time of a launch call
    /// Launches that were left out; absent if they were not counted.
    std::optional<std::uint64_t> autotuningLaunches = 0, unchosenLaunches = 0;
    std::optional<std::uint64_t> pinnedBytes;  ///< peak of the pinned host memory

    static void fields(auto& line, auto& record) {
        line.ifAny("autotuning", record.autotuningLaunches);
        line.ifAny("not_chosen", record.unchosenLaunches);
        line.ifAny("traced_launch_ns", record.tracedLaunch);
        line.ifAny("pinned_bytes", record.pinnedBytes);
    }
};

}  // namespace roofscope::spool
