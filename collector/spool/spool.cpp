// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/spool.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "collector/spool/column_line.h"
#include "collector/spool/spool_keys.h"
#include "profile/model/severity.h"

namespace roofscope::inject {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
}

Json numbers(std::span<const double> values) {
    Json array = Json::array();
    for (const double v : values) array.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
    return array;
}

/// Names come from the profiled program and need not be UTF-8: bad bytes become U+FFFD.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void SpoolWriter::process(const Process& p) {
    Json json{{"t", "process"},
              {"pid", p.pid},
              {"host", p.host},
              {"cupti_path", p.cuptiPath},
              {"cupti_version", p.cuptiVersion},
              {"driver_version", p.driverVersion}};
    for (const auto& [key, member] : spool::kProcessKeys) put(json, key, p.*member);
    line(dump(json));
}

void SpoolWriter::device(std::uint32_t id, const Device& d, std::uint32_t ordinal) {
    Json json{{"t", "device"},           {"id", id},         {"ordinal", ordinal},
              {"name", d.name},          {"chip", d.chip},   {"major", d.computeMajor},
              {"minor", d.computeMinor}, {"sms", d.smCount}, {"warp", d.warpSize}};
    for (const auto& [key, member] : spool::kDeviceKeys) put(json, key, d.*member);
    for (const auto& [key, member] : spool::kDeviceSizeKeys) put(json, key, d.*member);
    if (!d.uuid.empty()) json["uuid"] = d.uuid;
    if (d.smClockMax) json["sm_hz"] = d.smClockMax->value;
    if (d.memoryClockMax) json["memory_hz"] = d.memoryClockMax->value;
    line(dump(json));
}

void SpoolWriter::peaks(std::uint32_t device, std::span<const std::string> names,
                        std::span<const double> values) {
    Json json{{"t", "peaks"}, {"d", device}};
    Json& map = json["values"] = Json::object();
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
        if (std::isfinite(values[i])) map[names[i]] = values[i];
    line(dump(json));
}

void SpoolWriter::counters(std::uint32_t device, std::span<const std::string> names,
                           std::size_t passes) {
    vitalLine(dump({{"t", "counters"},
                    {"d", device},
                    {"passes", passes},
                    {"names", std::vector<std::string>(names.begin(), names.end())}}));
}

void SpoolWriter::kernel(std::uint32_t id, const Kernel& k) {
    Json json{{"t", "kernel"}, {"id", id}, {"name", k.name}, {"symbol", k.symbol}};
    for (const auto& [key, member] : spool::kKernelKeys) put(json, key, k.*member);
    vitalLine(dump(json));
}

void SpoolWriter::callSite(const SiteRecord& site) {
    Json json{{"t", "site"}, {"count", site.count}};
    put(json, "k", site.kernel);
    if (!site.kernel) json["call"] = site.call;
    if (!site.op.empty()) json["op"] = site.op;
    if (!site.sizes.empty()) json["sizes"] = site.sizes;
    if (!site.backward.empty()) json["backward"] = site.backward;
    if (!site.forward.file.empty())
        json["forward"] = {{"file", site.forward.file},
                           {"line", site.forward.line},
                           {"function", site.forward.function}};
    if (site.frames.empty()) {
        json["file"] = site.file;
        json["function"] = site.function;
        json["line"] = site.line;
        if (site.indirect) json["indirect"] = true;
    } else {
        for (const CodePlace& frame : site.frames)
            json["frames"].push_back({{"module", frame.module}, {"offset", frame.offset}});
    }
    for (const HostCopies& c : site.hostCopies)
        json["copied"].push_back({c.bytes, c.copies, c.read, c.repeated, c.distinct});
    line(dump(json));
}

void SpoolWriter::range(std::uint32_t id, const std::string& name) {
    vitalLine(dump({{"t", "range"}, {"id", id}, {"name", name}}));
}

void SpoolWriter::addLaunch(std::uint64_t sequence, const LaunchFacts& l, std::string& text) {
    // Numbers only, and ten thousand times a second: not by way of a JSON tree.
    const auto add = [end = std::back_inserter(text)](auto format, const auto&... values) {
        fmt::format_to(end, format, values...);
    };
    const auto dim = [&](const char* key, const Dim3& d) {
        add(FMT_STRING(R"(,"{}":[{},{},{}])"), key, d.x, d.y, d.z);
    };
    add(FMT_STRING(R"({{"t":"launch","n":{},"k":{},"d":{},"s":{})"), sequence, l.kernel, l.device,
        l.stream);
    dim("g", l.grid);
    dim("b", l.block);
    if (l.cluster) dim("c", *l.cluster);
    if (l.dynamicSharedBytes) add(FMT_STRING(R"(,"m":{})"), l.dynamicSharedBytes);
    if (l.residentBlocksPerSm) add(FMT_STRING(R"(,"o":{})"), *l.residentBlocksPerSm);
    if (l.range) add(FMT_STRING(R"(,"r":{})"), *l.range);
    if (l.fromGraph) text += R"(,"graph":true)";
    if (l.afterSync) text += R"(,"sync":true)";
    if (!l.counted) text += R"(,"counted":false)";
    if (l.correlation) add(FMT_STRING(R"(,"corr":{})"), *l.correlation);
    text += "}\n";
}

void SpoolWriter::buffer(std::uint32_t id, const Buffer& b) {
    wait(dump({{"t", "buffer"},
               {"id", id},
               {"allocation", b.allocation},
               {"offset", b.offsetBytes},
               {"bytes", b.bytes}}) +
         '\n');
}

void SpoolWriter::arguments(std::uint64_t sequence, std::span<const BufferArgument> list) {
    std::string text;
    const auto end = std::back_inserter(text);
    fmt::format_to(end, FMT_STRING(R"({{"t":"arguments","n":{},"l":[)"), sequence);
    for (const BufferArgument& argument : list)
        fmt::format_to(end, FMT_STRING("{}[{},{}]"), &argument == list.data() ? "" : ",",
                       argument.buffer, argument.parameter);
    wait(text + "]}\n");
}

void SpoolWriter::retract(std::uint64_t sequence) {
    vitalLine(dump({{"t", "retract"}, {"n", sequence}}));
}

void SpoolWriter::launchesMissed(std::uint64_t sequence) {
    vitalLine(dump({{"t", "missed"}, {"n", sequence}}));
}

void SpoolWriter::values(std::uint64_t sequence, std::uint32_t device,
                         std::span<const double> values) {
    line(dump({{"t", "values"}, {"n", sequence}, {"d", device}, {"v", numbers(values)}}));
}

void SpoolWriter::times(std::span<const KernelTime> times) {
    std::string lines;
    std::vector<KernelTime> plain;  // not of graphs
    for (const KernelTime& time : times) {
        if (time.node == 0) {
            plain.push_back(time);
            continue;
        }
        if (!lines.empty()) lines += '\n';
        lines += fmt::format(
            R"({{"t":"time","c":{},"b":{},"e":{},"x":{},"s":{},"node":{},"k":{},"g":[{},{},{}]}})",
            time.correlation, time.startNs, time.endNs, time.context, time.stream, time.node,
            dump(Json(time.symbol)), time.grid.x, time.grid.y, time.grid.z);
    }
    if (!plain.empty()) {
        const auto of = [&](auto member) {
            return [&plain, member](std::size_t i) { return std::int64_t{plain[i].*member}; };
        };
        if (!lines.empty()) lines += '\n';
        lines += ColumnLine("times", plain.size())
                     .growing("c", of(&KernelTime::correlation))
                     .times(plain)
                     .column("x", of(&KernelTime::context))
                     .column("s", of(&KernelTime::stream))
                     .text();
    }
    line(lines);
}

void SpoolWriter::countsFirst() { vitalLine(dump({{"t", "counts-first"}})); }

void SpoolWriter::timesNow(std::chrono::duration<double> spent,
                           std::chrono::steady_clock::time_point now, std::uint64_t loop) {
    const std::chrono::duration<double> at = now.time_since_epoch();
    vitalLine(
        dump({{"t", "times-now"}, {"spent", spent.count()}, {"at", at.count()}, {"loop", loop}}));
}

void SpoolWriter::timeline(const TimelineParts& parts) {
    Json json{{"t", "timeline"}};
    for (const auto& [name, member] : kTimelineParts) json[name] = parts.*member;
    vitalLine(dump(json));
}

void SpoolWriter::transfers(std::span<const TransferTime> transfers) {
    const auto of = [&](auto member) {
        return [transfers, member](std::size_t i) {
            return static_cast<std::int64_t>(transfers[i].*member);
        };
    };
    constexpr std::int64_t kNone = -1;
    line(ColumnLine("transfers", transfers.size())
             .column("k", of(&TransferTime::kind))
             .column("from", of(&TransferTime::source))
             .column("to", of(&TransferTime::target))
             .column("d", of(&TransferTime::device))
             .column("peer",
                     [&](std::size_t i) {
                         return transfers[i].peer ? std::int64_t{*transfers[i].peer} : kNone;
                     })
             .column("x", of(&TransferTime::context))
             .column("s", of(&TransferTime::stream))
             .column("bytes", of(&TransferTime::bytes))
             .times(transfers)
             .growing("c", of(&TransferTime::correlation))
             .column("graph", of(&TransferTime::fromGraph))
             .text());
}

void SpoolWriter::thread(std::uint32_t id, std::int64_t systemId, const std::string& name) {
    vitalLine(dump({{"t", "thread"}, {"id", id}, {"tid", systemId}, {"name", name}}));
}

void SpoolWriter::callName(std::uint32_t id, const char* name, CallKind kind) {
    vitalLine(dump({{"t", "call-name"}, {"id", id}, {"name", name}, {"kind", kind}}));
}

void SpoolWriter::profilerSwitched(bool on, std::uint64_t atNs) {
    line(fmt::format(R"({{"t":"profiler","on":{},"at":{}}})", on, atNs));
}

void SpoolWriter::source(const SourceRecord& s) {
    Json rows = Json::array();
    for (const auto& row : s.rows)
        rows.push_back(Json::array({row.offset, row.file, row.line, numbers(row.values)}));
    line(dump({{"t", "source"},
               {"n", s.sequence},
               {"k", s.kernel},
               {"cubin", s.cubin},
               {"function", s.function},
               {"metrics", s.metrics},
               {"files", s.files},
               {"rows", std::move(rows)}}));
}

void SpoolWriter::samples(const SampleRecord& s) {
    Json rows = Json::array();
    for (const auto& row : s.rows) rows.push_back(Json::array({row.offset, row.samples}));
    line(dump({{"t", "samples"},
               {"n", s.sequence},
               {"k", s.kernel},
               {"reasons", s.reasons},
               {"rows", std::move(rows)}}));
}

void SpoolWriter::overTime(const OverTimeRecord& r) {
    Json columns = Json::array();
    for (const std::vector<double>& column : r.columns) columns.push_back(numbers(column));
    line(dump({{"t", "over-time"},
               {"n", r.sequence},
               {"k", r.kernel},
               {"end", r.ends},
               {"names", r.counters},
               {"v", std::move(columns)}}));
}

void SpoolWriter::rangeEnded(const RangeFacts& r) {
    Json json{{"t", "range-end"}, {"r", r.range},    {"d", r.device}, {"o", r.ordinal},
              {"depth", r.depth}, {"from", r.begin}, {"to", r.end}};
    put(json, "launches", r.launches);
    put(json, "work", r.work);
    line(dump(json));
}

void SpoolWriter::rangeCounters(std::uint32_t device, std::span<const std::string> names) {
    vitalLine(dump({{"t", "range-counters"},
                    {"d", device},
                    {"names", std::vector<std::string>(names.begin(), names.end())}}));
}

void SpoolWriter::rangeValues(const RangeFacts& r, std::span<const double> values) {
    line(dump({{"t", "range-values"},
               {"r", r.range},
               {"d", r.device},
               {"o", r.ordinal},
               {"v", numbers(values)}}));
}

void SpoolWriter::issue(const Issue& i) {
    line(dump({{"t", "issue"},
               {"severity", nameOf(i.severity)},
               {"source", i.source},
               {"code", i.code},
               {"message", i.message},
               {"advice", i.advice}}));
}

void SpoolWriter::end(const Totals& totals) {
    Json json{{"t", "end"},
              {"autotuning", totals.autotuningLaunches},
              {"not_chosen", totals.unchosenLaunches}};
    if (totals.tracedLaunch) json["traced_launch_ns"] = totals.tracedLaunch->count();
    if (totals.pinnedBytes) json["pinned_bytes"] = *totals.pinnedBytes;
    line(dump(json));
}

}  // namespace roofscope::inject
