// SPDX-License-Identifier: Apache-2.0
// JSON text → Profile. The format is described in docs/profile-format.md.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "profile/codec/codec.h"
#include "profile/codec/codec_call_sites.h"
#include "profile/codec/codec_cpu_samples.h"
#include "profile/codec/codec_fields.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/codec_pace.h"
#include "profile/codec/codec_record.h"
#include "profile/codec/codec_table.h"
#include "profile/codec/codec_timeline.h"
#include "profile/codec/json_columns.h"
#include "profile/codec/json_cursor.h"
#include "profile/codec/plausible.h"
#include "profile/model/severity.h"
#include "profile/times/impossible_times.h"

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
    captureFields(RecordReader(at), capture);
    capture.further = readList<FurtherReading>(at, "further", readFurther);
    captureEndFields(RecordReader(at), capture);
    if (const auto snap = at.find("snap")) snapFields(RecordReader(*snap), capture.snap.emplace());
    return capture;
}

/// Stored as text: a double cannot hold nanoseconds since 1970 exactly.
std::uint64_t readClockZero(const Cursor& at) {
    const std::string text = at.text();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        at.fail("must be a text of digits below 2^64");
    return value;
}

Process readProcess(const Cursor& at, const ReadLimits& limits) {
    Process process;
    processFields(RecordReader(at), process);
    if (const auto parts = at.find("timeline")) process.timeline = readTimelineParts(*parts);
    if (const auto zero = at.find("clock_zero_ns")) process.clockZero = readClockZero(*zero);
    if (const auto run = at.find("run")) runFields(RecordReader(*run), process.run.emplace());
    if (const auto samples = at.find("cpu_samples"))
        process.cpuSamples = readCpuSamples(*samples, limits);
    if (const auto pace = at.find("pace")) process.pace = readPace(*pace, limits);
    return process;
}

/// Nullopt for a kind that a later minor version added.
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
    ceilingFields(RecordReader(at), ceiling);
    return ceiling;
}

Device readDevice(const Cursor& at) {
    Device device;
    deviceNames(RecordReader(at), device);
    if (const auto capability = at.find("compute_capability")) {
        std::vector<int> parts;
        capability->forEach([&](const Cursor& item) { parts.push_back(item.integer<int>()); });
        if (parts.size() != 2) capability->fail("must be [major, minor]");
        device.computeMajor = parts[0];
        device.computeMinor = parts[1];
    }
    deviceLimits(RecordReader(at), device);
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
    if (const auto observed = at.find("observed"))
        observedFields(RecordReader(*observed), device.observed.emplace());
    return device;
}

Kernel readKernel(const Cursor& at) {
    Kernel kernel;
    kernelFields(RecordReader(at), kernel);
    if (!at.find("symbol")) kernel.symbol = kernel.name;
    return kernel;
}

Issue readIssue(const Cursor& at) {
    Issue issue;
    std::string severity = "error";
    at.read("severity", severity);
    issue.severity = severityNamed(severity);
    issueFields(RecordReader(at), issue);
    return issue;
}

std::vector<Launch> readLaunches(const Cursor& at, const ReadLimits& limits) {
    const std::size_t rows = at.find("kernel") ? fullColumn(at, "kernel").size() : 0;
    std::uint64_t count = rows;
    at.read("count", count);
    if (count != rows) {
        at.fail(fmt::format("\"count\" is {} but \"kernel\" has {} values", count, rows));
    }
    if (rows > limits.maxLaunches)
        at.fail(fmt::format("more than {} launches", limits.maxLaunches));
    TableReader<Launch> table =
        rows > 0 ? TableReader<Launch>(at, "kernel") : TableReader<Launch>(at);
    launchColumns(table);
    return std::move(table.rows());
}

std::vector<Buffer> readBuffers(const Cursor& at, const ReadLimits& limits) {
    TableReader<Buffer> table(at, "bytes", limits);
    bufferColumns(table);
    return std::move(table.rows());
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

/// The limits, and how many counter values have been read so far.
struct CellBudget {
    const ReadLimits& limits;
    std::uint64_t cells = 0;
};

CounterTable readCounters(const Cursor& root, std::size_t rows, CellBudget& budget) {
    const ReadLimits& limits = budget.limits;
    std::uint64_t& cells = budget.cells;
    CounterTable table(rows);
    const auto counters = root.find("counters");
    if (!counters) return table;
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
            // Move the column out of the tree, which is not read again: copies of all columns would
            // be the largest use of memory while reading.
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

void readRangeMeasurements(const Cursor& at, CellBudget& budget, Profile& profile) {
    TableReader<RangeMeasurement> table(at, "range", budget.limits);
    rangeMeasurementColumns(table);
    profile.rangeMeasurements = std::move(table.rows());
    profile.rangeCounters = readCounters(at, profile.rangeMeasurements.size(), budget);
}

SourcePass readSource(const Cursor& at, CellBudget& budget) {
    SourcePass source;
    sourceFields(RecordReader(at), source);
    TableReader<Instruction> table(at, "offset");
    instructionColumns(table);
    source.instructions = std::move(table.rows());
    const std::size_t rows = source.instructions.size();
    std::vector<std::string> sass;
    at.read("sass", sass);
    if (!sass.empty() && sass.size() != rows)
        at.fail(fmt::format("\"sass\" has {} values but \"offset\" has {}", sass.size(), rows));
    for (std::size_t i = 0; i < sass.size(); ++i) source.instructions[i].sass = std::move(sass[i]);
    source.counters = readCounters(at, rows, budget);
    source.texts = readList<SourceText>(at, "texts", [](const Cursor& item) {
        SourceText text;
        sourceTextFields(RecordReader(item), text);
        return text;
    });
    return source;
}

OverTime readOverTime(const Cursor& at, CellBudget& budget) {
    OverTime trace;
    overTimeFields(RecordReader(at), trace);
    const Numbers& ends = fullColumn(at, "end_ns");
    trace.ends.resize(ends.size());
    readColumn(at, "end_ns", ends.size(), "must not be negative",
               [&](std::size_t row, double value) {
                   if (value >= 0) trace.ends[row] = secondsFromNs(value);
                   return value >= 0;
               });
    trace.counters = readCounters(at, ends.size(), budget);
    return trace;
}

/// Frees a part of the tree after it was read: the whole tree takes as much memory as the profile.
void drop(json::Node& tree, std::string_view key) {
    if (auto* const members = std::get_if<json::Members>(&tree.value))
        for (json::Member& member : *members)
            if (member.name == key) member.value = json::Node();
}

/// Empties the large parts of `tree` while reading them.
Profile readTree(json::Node& tree, const ReadLimits& limits) {
    const Cursor root(tree);
    readHeader(root);
    Profile profile;
    CellBudget budget{.limits = limits};
    if (const auto capture = root.find("capture")) profile.capture = readCapture(*capture);
    profile.processes = readList<Process>(
        root, "processes", [&](const Cursor& item) { return readProcess(item, limits); });
    profile.devices = readList<Device>(root, "devices", readDevice);
    profile.kernels = readList<Kernel>(root, "kernels", readKernel);
    root.read("ranges", profile.ranges);
    if (const auto buffers = root.find("buffers")) profile.buffers = readBuffers(*buffers, limits);
    if (const auto lists = root.find("argument_lists"))
        profile.argumentLists = readArgumentLists(*lists);
    drop(tree, "argument_lists");
    if (const auto launches = root.find("launches")) {
        profile.launches = readLaunches(*launches, limits);
    }
    drop(tree, "launches");
    profile.counters = readCounters(root, profile.launches.size(), budget);
    drop(tree, "counters");
    if (const auto measured = root.find("range_measurements"))
        readRangeMeasurements(*measured, budget, profile);
    profile.sources = readList<SourcePass>(
        root, "sources", [&](const Cursor& item) { return readSource(item, budget); });
    profile.overTime = readList<OverTime>(
        root, "over_time", [&](const Cursor& item) { return readOverTime(item, budget); });
    profile.callSites = readList<CallSite>(root, "call_sites", readCallSite);
    if (const auto timeline = root.find("timeline"))
        profile.timeline = readTimeline(*timeline, limits);
    profile.issues = readList<Issue>(root, "issues", readIssue);
    dropImplausible(profile);
    return profile;
}

/// Advice for files of another kind, which users pass more often than damaged profiles.
constexpr const char* kProfileAdvice =
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
            error.advice = kProfileAdvice;
            return error;
        }
        Profile profile = readTree(*tree, limits);
        if (const auto valid = validateProfile(profile, name); !valid.ok()) return valid.error();
        dropImpossibleTimes(profile);
        return profile;
    } catch (const BadValue& bad) {
        return Error{.code = ErrorCode::BadData,
                     .what = bad.what,
                     .where = place(bad.pointer),
                     .advice = bad.pointer.empty() ? kProfileAdvice : ""};
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
