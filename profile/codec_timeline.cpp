// SPDX-License-Identifier: Apache-2.0
// Tables of a million rows and more: starts are stored as the distance from the row before, so that
// most numbers have a few digits; what repeats (names, kinds) is stored once.
#include "profile/codec_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

#include "profile/json_columns.h"

namespace roofscope {
namespace {

using json::BadValue;
using json::Cursor;
using json::kMissing;
using json::Numbers;
using json::Writer;

/// Beyond this a double skips whole numbers; 104 days.
constexpr Nanoseconds kLatest = Nanoseconds{1} << 53;

template <class Enum>
using Names = std::span<const std::pair<const char*, Enum>>;

constexpr std::array<std::pair<const char*, TransferKind>, 7> kTransferKinds{{
    {"host-to-device", TransferKind::HostToDevice},
    {"device-to-host", TransferKind::DeviceToHost},
    {"on-device", TransferKind::OnDevice},
    {"between-devices", TransferKind::BetweenDevices},
    {"host-to-host", TransferKind::HostToHost},
    {"memset", TransferKind::Memset},
    {"other", TransferKind::Other},
}};
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

/// `otherwise` for what a later minor version adds.
template <class Enum, std::size_t N>
Enum valueOf(const std::array<std::pair<const char*, Enum>, N>& names, const Cursor& at,
             std::string_view key, Enum otherwise) {
    std::string text;
    at.read(key, text);
    for (const auto& [name, value] : names)
        if (text == name) return value;
    return otherwise;
}

/// The facts of a copy that repeat.
using TransferFacts = std::tuple<TransferKind, MemoryKind, MemoryKind>;
TransferFacts factsOf(const Transfer& t) { return {t.kind, t.source, t.target}; }

/// A table's columns.
template <class Row>
class TableWriter {
public:
    TableWriter(Writer& writer, const std::vector<Row>& rows)
        : m_writer(writer), m_rows(rows), m_values(rows.size()) {}

    /// `get` gives NaN where a row has no such value; a column of them is left out.
    template <class Get>
    void column(std::string_view key, Get get, bool alwaysArray = false) {
        std::ranges::transform(m_rows, m_values.begin(), [&](const Row& row) {
            return static_cast<double>(std::invoke(get, row));
        });
        if (!alwaysArray && std::ranges::all_of(m_values, [](double v) { return std::isnan(v); }))
            return;
        json::writeColumn(m_writer, key, m_values, alwaysArray);
    }
    template <class Get>
    void optional(std::string_view key, Get get) {
        column(key, [&](const Row& row) {
            const auto value = std::invoke(get, row);
            return value ? static_cast<double>(*value) : kMissing;
        });
    }
    void times() {
        Nanoseconds before = 0;
        column("start_delta_ns", [&](const Row& row) {
            return static_cast<double>(row.time.start - std::exchange(before, row.time.start));
        });
        column("duration_ns", [](const Row& row) { return row.time.length(); });
    }

private:
    Writer& m_writer;
    const std::vector<Row>& m_rows;
    std::vector<double> m_values;
};

template <class Row>
class TableReader {
public:
    /// `first` is the column that is always written in full: its length is the number of rows.
    TableReader(const Cursor& at, std::string_view first, const ReadLimits& limits)
        : m_at(at), m_rows(json::fullColumn(at, first).size()) {
        if (m_rows.size() > limits.maxLaunches)
            at.fail(fmt::format("more than {} rows", limits.maxLaunches));
        const Numbers& values = json::fullColumn(at, first);
        for (std::size_t row = 0; row < values.size(); ++row)
            if (std::isnan(values[row]))
                throw BadValue{fmt::format("{}/{}/{}", at.pointer(), first, row),
                               "must be a number, not null"};
    }

    /// `set(row, value)`; false: out of range.
    template <class Integer, class Set>
    void integers(std::string_view key, Set set) {
        json::readColumn(m_at, key, m_rows.size(), Cursor::rangeMessage<Integer>(),
                         [&](std::size_t row, double value) {
                             const auto whole = Cursor::toInteger<Integer>(value);
                             if (whole) set(m_rows[row], *whole);
                             return whole.has_value();
                         });
    }
    template <class Integer>
    void integers(std::string_view key, Integer Row::*member) {
        integers<Integer>(key, [member](Row& row, Integer value) { row.*member = value; });
    }
    template <class Integer>
    void integers(std::string_view key, std::optional<Integer> Row::*member) {
        integers<Integer>(key, [member](Row& row, Integer value) { row.*member = value; });
    }
    void times() {
        Nanoseconds now = 0;
        std::size_t next = 0;
        json::readColumn(m_at, "start_delta_ns", m_rows.size(),
                         "adds up to a time beyond 2^53 ns, or is no whole number",
                         [&](std::size_t row, double value) {
                             const auto delta = Cursor::toInteger<Nanoseconds>(value);
                             if (!delta || row != next++) return false;
                             now += *delta;
                             m_rows[row].time = {now, now};
                             return now > -kLatest && now < kLatest;
                         });
        if (next != m_rows.size()) m_at.fail("\"start_delta_ns\" lacks values");
        std::size_t ends = 0;
        lengths("duration_ns", [&](Row& row) {
            ++ends;
            return &row.time;
        });
        if (ends != m_rows.size()) m_at.fail("\"duration_ns\" lacks values");
    }
    /// `span(row)`: what gets its end; null: it has no start.
    template <class Span>
    void lengths(std::string_view key, Span span) {
        json::readColumn(m_at, key, m_rows.size(),
                         "must be a whole number that ends before 2^53 ns",
                         [&](std::size_t row, double value) {
                             const auto length = Cursor::toInteger<std::uint64_t>(value);
                             TimeSpan* target = span(m_rows[row]);
                             if (!length || !target) return false;
                             target->end = target->start + static_cast<Nanoseconds>(*length);
                             return target->end < kLatest;
                         });
    }
    std::vector<Row>& rows() { return m_rows; }

private:
    const Cursor& m_at;
    std::vector<Row> m_rows;
};

void writeTransfers(Writer& w, const std::vector<Transfer>& transfers) {
    std::vector<TransferFacts> kinds;
    const auto indexOf = [&](const Transfer& t) {
        const auto found = std::ranges::find(kinds, factsOf(t));
        if (found != kinds.end()) return found - kinds.begin();
        kinds.push_back(factsOf(t));
        return static_cast<std::ptrdiff_t>(kinds.size()) - 1;
    };
    for (const Transfer& t : transfers) (void)indexOf(t);
    w.key("transfer_kinds", true);
    w.open('[');
    for (const auto& [kind, source, target] : kinds) {
        w.open('{');
        w.field("kind", nameOf(kTransferKinds, kind));
        w.field("source", nameOf(kMemoryKinds, source));
        w.field("target", nameOf(kMemoryKinds, target));
        w.close('}');
    }
    w.close(']');
    w.key("transfers", true);
    w.open('{');
    TableWriter table(w, transfers);
    table.column("kind", indexOf, true);
    table.column("process", &Transfer::process);
    table.column("device", &Transfer::device);
    table.optional("peer", &Transfer::peer);
    table.column("stream", &Transfer::stream);
    table.column("bytes", &Transfer::bytes);
    table.times();
    table.column("from_graph", &Transfer::fromGraph);
    w.close('}');
}

std::vector<Transfer> readTransfers(const Cursor& timeline, const Cursor& at,
                                    const ReadLimits& limits) {
    std::vector<TransferFacts> kinds;
    if (const auto list = timeline.find("transfer_kinds"))
        list->forEach([&](const Cursor& item) {
            kinds.emplace_back(valueOf(kTransferKinds, item, "kind", TransferKind::Other),
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
    table.integers("process", &Transfer::process);
    table.integers("device", &Transfer::device);
    table.integers("peer", &Transfer::peer);
    table.integers("stream", &Transfer::stream);
    table.integers("bytes", &Transfer::bytes);
    table.times();
    json::readColumn(at, "from_graph", table.rows().size(), "must be 0 or 1",
                     [&](std::size_t row, double value) {
                         table.rows()[row].fromGraph = value == 1;
                         return value == 0 || value == 1;
                     });
    return std::move(table.rows());
}

void writeCalls(Writer& w, const std::vector<Call>& calls) {
    w.key("calls", true);
    w.open('{');
    TableWriter table(w, calls);
    table.column("name", &Call::name, true);
    table.column("thread", &Call::thread);
    table.times();
    std::int64_t before = 0;  // calls issue work in the order of its rows
    table.column("work_delta", [&](const Call& call) {
        if (!call.work) return kMissing;
        return static_cast<double>(*call.work - std::exchange(before, std::int64_t{*call.work}));
    });
    w.close('}');
}

std::vector<Call> readCalls(const Cursor& at, const ReadLimits& limits) {
    TableReader<Call> table(at, "name", limits);
    table.integers("name", &Call::name);
    table.integers("thread", &Call::thread);
    table.times();
    std::int64_t now = 0;
    json::readColumn(at, "work_delta", table.rows().size(),
                     "must add up to an index of 0 to 2^32 - 1",
                     [&](std::size_t row, double value) {
                         const auto delta = Cursor::toInteger<std::int64_t>(value);
                         if (!delta) return false;
                         now += *delta;
                         if (now < 0 || now > std::int64_t{0xffffffff}) return false;
                         table.rows()[row].work = static_cast<std::uint32_t>(now);
                         return true;
                     });
    return std::move(table.rows());
}

void writeRanges(Writer& w, const std::vector<RangeSpan>& ranges) {
    w.key("ranges", true);
    w.open('{');
    TableWriter table(w, ranges);
    table.column("range", &RangeSpan::range, true);
    table.column("thread", &RangeSpan::thread);
    table.times();
    table.column("gpu_after_push_ns", [](const RangeSpan& r) {
        return r.gpu ? static_cast<double>(r.gpu->start - r.time.start) : kMissing;
    });
    table.column("gpu_duration_ns", [](const RangeSpan& r) {
        return r.gpu ? static_cast<double>(r.gpu->length()) : kMissing;
    });
    w.close('}');
}

std::vector<RangeSpan> readRanges(const Cursor& at, const ReadLimits& limits) {
    TableReader<RangeSpan> table(at, "range", limits);
    table.integers("range", &RangeSpan::range);
    table.integers("thread", &RangeSpan::thread);
    table.times();
    json::readColumn(at, "gpu_after_push_ns", table.rows().size(),
                     Cursor::rangeMessage<Nanoseconds>(), [&](std::size_t row, double value) {
                         const auto after = Cursor::toInteger<Nanoseconds>(value);
                         RangeSpan& span = table.rows()[row];
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
    w.key("threads", true);
    w.open('[');
    for (const Thread& thread : timeline.threads) {
        w.open('{');
        w.field("process", thread.process);
        w.field("id", thread.id);
        if (!thread.name.empty()) w.field("name", thread.name);
        w.close('}');
    }
    w.close(']');
    w.key("call_names", true);
    w.open('[');
    for (const CallName& name : timeline.callNames) {
        w.open('{');
        w.field("name", name.name);
        w.field("kind", nameOf(kCallKinds, name.kind));
        w.close('}');
    }
    w.close(']');
    if (!timeline.transfers.empty()) writeTransfers(w, timeline.transfers);
    if (!timeline.calls.empty()) writeCalls(w, timeline.calls);
    if (!timeline.ranges.empty()) writeRanges(w, timeline.ranges);
    if (!timeline.profiler.empty()) {
        w.key("profiler", true);
        w.open('{');
        TableWriter table(w, timeline.profiler);
        table.column("process", &ProfilerSpan::process, true);
        table.times();
        w.close('}');
    }
    w.close('}');
}

Timeline readTimeline(const Cursor& at, const ReadLimits& limits) {
    Timeline timeline;
    if (const auto threads = at.find("threads"))
        threads->forEach([&](const Cursor& item) {
            Thread thread;
            item.read("process", thread.process);
            item.read("id", thread.id);
            item.read("name", thread.name);
            timeline.threads.push_back(std::move(thread));
        });
    if (const auto names = at.find("call_names"))
        names->forEach([&](const Cursor& item) {
            CallName name;
            item.read("name", name.name);
            name.kind = valueOf(kCallKinds, item, "kind", CallKind::Other);
            timeline.callNames.push_back(std::move(name));
        });
    if (const auto transfers = at.find("transfers"))
        timeline.transfers = readTransfers(at, *transfers, limits);
    if (const auto calls = at.find("calls")) timeline.calls = readCalls(*calls, limits);
    if (const auto ranges = at.find("ranges")) timeline.ranges = readRanges(*ranges, limits);
    if (const auto profiler = at.find("profiler")) {
        TableReader<ProfilerSpan> table(*profiler, "process", limits);
        table.integers("process", &ProfilerSpan::process);
        table.times();
        timeline.profiler = std::move(table.rows());
    }
    return timeline;
}

}  // namespace roofscope
