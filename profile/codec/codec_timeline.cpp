// SPDX-License-Identifier: Apache-2.0
// Timeline tables can have millions of rows. Starts are stored as the difference from the row
// before, so that most numbers have few digits. Repeating names and kinds are stored once.
#include "profile/codec/codec_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "profile/codec/codec_record.h"
#include "profile/codec/codec_table.h"
#include "profile/codec/json_columns.h"

namespace roofscope {
namespace {

using json::BadValue;
using json::Cursor;
using json::kMissing;
using json::Numbers;
using json::Writer;

constexpr std::array<std::pair<const char*, TransferKind>, 7> kTransferKinds{{
    {"host-to-device", TransferKind::HostToDevice},
    {"device-to-host", TransferKind::DeviceToHost},
    {"on-device", TransferKind::OnDevice},
    {"between-devices", TransferKind::BetweenDevices},
    {"host-to-host", TransferKind::HostToHost},
    {"memset", TransferKind::Memset},
    {"other", TransferKind::Other},
}};
static_assert(kTransferKinds.size() == static_cast<std::size_t>(TransferKind::Other) + 1);
constexpr std::array<std::pair<const char*, MemoryKind>, 5> kMemoryKinds{{
    {"unknown", MemoryKind::Unknown},
    {"pageable", MemoryKind::Pageable},
    {"pinned", MemoryKind::Pinned},
    {"device", MemoryKind::Device},
    {"managed", MemoryKind::Managed},
}};
constexpr std::array<std::pair<const char*, CallKind>, 9> kCallKinds{{
    {"launch", CallKind::Launch},
    {"graph-launch", CallKind::GraphLaunch},
    {"wait", CallKind::Wait},
    {"transfer", CallKind::Transfer},
    {"allocate", CallKind::Allocate},
    {"free", CallKind::Free},
    {"load", CallKind::Load},
    {"graph", CallKind::Graph},
    {"other", CallKind::Other},
}};

template <class Enum, std::size_t N>
std::string_view nameOf(const std::array<std::pair<const char*, Enum>, N>& names, Enum value) {
    return std::ranges::find(names, value, &std::pair<const char*, Enum>::second)->first;
}

/// Returns `otherwise` for a name that a later minor version added.
template <class Enum, std::size_t N>
Enum valueOf(const std::array<std::pair<const char*, Enum>, N>& names, const Cursor& at,
             std::string_view key, Enum otherwise) {
    std::string text;
    at.read(key, text);
    for (const auto& [name, value] : names)
        if (text == name) return value;
    return otherwise;
}

/// The facts of a copy that repeat, stored once per combination.
using TransferFacts = std::tuple<TransferKind, MemoryKind, MemoryKind>;
TransferFacts factsOf(const Transfer& t) { return {t.kind, t.source, t.target}; }

void threadFields(auto record, auto& thread) {
    record("process", thread.process);
    record("id", thread.id);
    record.ifAny("name", thread.name);
    record.ifAny("worker", thread.worker);
}

/// All columns of copies except their kinds, which are stored by index.
void transferColumns(auto& table) {
    table.column("process", &Transfer::process);
    table.column("device", &Transfer::device);
    table.column("peer", &Transfer::peer);
    table.column("stream", &Transfer::stream);
    table.column("bytes", &Transfer::bytes);
    table.times();
    table.flag("from_graph", &Transfer::fromGraph);
}

/// All columns of calls except the work that they issue.
void callColumns(auto& table) {
    table.first("name", &Call::name);
    table.column("thread", &Call::thread);
    table.times();
}

/// All columns of ranges except their span on the GPU.
void rangeColumns(auto& table) {
    table.first("range", &RangeSpan::range);
    table.column("thread", &RangeSpan::thread);
    table.times();
}

void profilerColumns(auto& table) {
    table.first("process", &ProfilerSpan::process);
    table.times();
}

void untimedColumns(auto& table) {
    table.first("process", &UntimedWork::process);
    table.column("device", &UntimedWork::device);
    table.column("launch", &UntimedWork::launch);
    table.times();
}

void writeTransfers(Writer& w, const std::vector<Transfer>& transfers) {
    std::vector<TransferFacts> kinds;
    const auto indexOf = [&](const Transfer& t) {
        const auto found = std::ranges::find(kinds, factsOf(t));
        if (found != kinds.end()) return found - kinds.begin();
        kinds.push_back(factsOf(t));
        return static_cast<std::ptrdiff_t>(kinds.size()) - 1;
    };
    for (const Transfer& t : transfers) (void)indexOf(t);
    writeList(w, "transfer_kinds", kinds, [](Writer& writer, const TransferFacts& facts) {
        writer.field("kind", nameOf(kTransferKinds, std::get<0>(facts)));
        writer.field("source", nameOf(kMemoryKinds, std::get<1>(facts)));
        writer.field("target", nameOf(kMemoryKinds, std::get<2>(facts)));
    });
    w.key("transfers", true);
    w.open('{');
    TableWriter table(w, transfers);
    table.write("kind", indexOf, true);
    transferColumns(table);
    w.close('}');
}

std::vector<Transfer> readTransfers(const Cursor& timeline, const Cursor& at,
                                    const ReadLimits& limits) {
    const auto kinds = readList<TransferFacts>(timeline, "transfer_kinds", [](const Cursor& item) {
        return TransferFacts(valueOf(kTransferKinds, item, "kind", TransferKind::Other),
                             valueOf(kMemoryKinds, item, "source", MemoryKind::Unknown),
                             valueOf(kMemoryKinds, item, "target", MemoryKind::Unknown));
    });
    TableReader<Transfer> table(at, "kind", limits);
    const Numbers& kind = json::fullColumn(at, "kind");
    for (std::size_t row = 0; row < kind.size(); ++row) {
        const auto index = json::wholeAt<std::uint32_t>(at, "kind", kind, row);
        if (index >= kinds.size())
            throw BadValue{fmt::format("{}/kind/{}", at.pointer(), row),
                           fmt::format("refers to entry {} of \"transfer_kinds\", which has {}",
                                       index, kinds.size())};
        Transfer& t = table.rows()[row];
        std::tie(t.kind, t.source, t.target) = kinds[index];
    }
    transferColumns(table);
    return std::move(table.rows());
}

void writeCalls(Writer& w, const std::vector<Call>& calls) {
    w.key("calls", true);
    w.open('{');
    TableWriter table(w, calls);
    callColumns(table);
    std::int64_t before = 0;  // calls issue work mostly in row order: small deltas
    table.write("work_delta", [&](const Call& call) {
        if (!call.work) return kMissing;
        return static_cast<double>(*call.work - std::exchange(before, std::int64_t{*call.work}));
    });
    w.close('}');
}

std::vector<Call> readCalls(const Cursor& at, const ReadLimits& limits) {
    TableReader<Call> table(at, "name", limits);
    callColumns(table);
    std::int64_t now = 0;
    table.read("work_delta", "must add up to an index of 0 to 2^32 - 1",
               [&](Call& call, double value) {
                   const auto delta = Cursor::toInteger<std::int64_t>(value);
                   if (!delta) return false;
                   now += *delta;
                   if (now < 0 || now > std::int64_t{0xffffffff}) return false;
                   call.work = static_cast<std::uint32_t>(now);
                   return true;
               });
    return std::move(table.rows());
}

void writeRanges(Writer& w, const std::vector<RangeSpan>& ranges) {
    w.key("ranges", true);
    w.open('{');
    TableWriter table(w, ranges);
    rangeColumns(table);
    table.write("gpu_after_push_ns", [](const RangeSpan& r) {
        return r.gpu ? static_cast<double>(r.gpu->start - r.time.start) : kMissing;
    });
    table.write("gpu_duration_ns", [](const RangeSpan& r) {
        return r.gpu ? static_cast<double>(r.gpu->length()) : kMissing;
    });
    w.close('}');
}

std::vector<RangeSpan> readRanges(const Cursor& at, const ReadLimits& limits) {
    TableReader<RangeSpan> table(at, "range", limits);
    rangeColumns(table);
    table.read("gpu_after_push_ns", Cursor::rangeMessage<Nanoseconds>(),
               [](RangeSpan& span, double value) {
                   const auto after = Cursor::toInteger<Nanoseconds>(value);
                   if (!after) return false;
                   const Nanoseconds start = span.time.start + *after;
                   span.gpu = TimeSpan{start, start};
                   return start > -kLatest && start < kLatest;
               });
    table.lengths("gpu_duration_ns", [](RangeSpan& r) { return r.gpu ? &*r.gpu : nullptr; });
    return std::move(table.rows());
}

}  // namespace

void writeTimelineParts(Writer& w, const TimelineParts& parts) {
    w.key("timeline");
    w.open('[');
    for (const auto& [name, part] : kTimelineParts)
        if (parts.*part) w.value(std::string_view(name));
    w.close(']');
}

TimelineParts readTimelineParts(const Cursor& at) {
    TimelineParts parts;
    at.forEach([&](const Cursor& item) {
        const std::string text = item.text();
        for (const auto& [name, part] : kTimelineParts)
            if (text == name) parts.*part = true;
    });
    return parts;
}

void writeTimeline(Writer& w, const Timeline& timeline) {
    w.key("timeline", true);
    w.open('{');
    writeList(w, "threads", timeline.threads, [](Writer& writer, const Thread& thread) {
        threadFields(RecordWriter(writer), thread);
    });
    writeList(w, "call_names", timeline.callNames, [](Writer& writer, const CallName& name) {
        writer.field("name", name.name);
        writer.field("kind", nameOf(kCallKinds, name.kind));
    });
    if (!timeline.transfers.empty()) writeTransfers(w, timeline.transfers);
    if (!timeline.calls.empty()) writeCalls(w, timeline.calls);
    if (!timeline.ranges.empty()) writeRanges(w, timeline.ranges);
    if (!timeline.profiler.empty()) {
        w.key("profiler", true);
        w.open('{');
        TableWriter table(w, timeline.profiler);
        profilerColumns(table);
        w.close('}');
    }
    if (!timeline.untimed.empty()) {
        w.key("untimed", true);
        w.open('{');
        TableWriter table(w, timeline.untimed);
        untimedColumns(table);
        w.close('}');
    }
    w.close('}');
}

Timeline readTimeline(const Cursor& at, const ReadLimits& limits) {
    Timeline timeline;
    timeline.threads = readList<Thread>(at, "threads", [](const Cursor& item) {
        Thread thread;
        threadFields(RecordReader(item), thread);
        return thread;
    });
    timeline.callNames = readList<CallName>(at, "call_names", [](const Cursor& item) {
        CallName name;
        item.read("name", name.name);
        name.kind = valueOf(kCallKinds, item, "kind", CallKind::Other);
        return name;
    });
    if (const auto transfers = at.find("transfers"))
        timeline.transfers = readTransfers(at, *transfers, limits);
    if (const auto calls = at.find("calls")) timeline.calls = readCalls(*calls, limits);
    if (const auto ranges = at.find("ranges")) timeline.ranges = readRanges(*ranges, limits);
    if (const auto profiler = at.find("profiler")) {
        TableReader<ProfilerSpan> table(*profiler, "process", limits);
        profilerColumns(table);
        timeline.profiler = std::move(table.rows());
    }
    if (const auto untimed = at.find("untimed")) {
        TableReader<UntimedWork> table(*untimed, "process", limits);
        untimedColumns(table);
        timeline.untimed = std::move(table.rows());
    }
    return timeline;
}

}  // namespace roofscope
