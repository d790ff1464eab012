// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/model/profile.h"

/// The records of a timing run: when kernels, copies, calls and ranges ran. See records.h.
namespace roofscope::spool {

/// Which parts of the timeline follow. Written before any of them.
struct TimelineRecord {
    static constexpr const char* kType = "timeline";
    TimelineParts parts;

    static void fields(auto& line, auto& record) {
        for (const auto& [name, part] : kTimelineParts) line(name, record.parts.*part);
    }
};

struct ThreadRecord {
    static constexpr const char* kType = "thread";
    std::uint32_t id = 0;
    std::int64_t systemId = 0;
    std::string name;
    bool worker = false;  ///< it is the first one of a forked process

    static void fields(auto& line, auto& record) {
        line("id", record.id);
        line("tid", record.systemId);
        line("name", record.name);
        line.ifAny("worker", record.worker);
    }
};

/// A CUDA function, which calls refer to by id.
struct CallNameRecord {
    static constexpr const char* kType = "call-name";
    std::uint32_t id = 0;
    CallName name;

    static void fields(auto& line, auto& record) {
        line("id", record.id);
        line("name", record.name.name);
        line.oneOf("kind", record.name.kind, CallKind::Other);
    }
};

/// When one kernel ran: a row of a table.
struct KernelTime {
    static constexpr const char* kType = "times";
    std::uint32_t correlation = 0;  ///< of the launch call; all nodes of a graph launch share one
    std::uint64_t startNs = 0, endNs = 0;
    std::uint32_t context = 0, stream = 0;  ///< as CUPTI numbers them
    /// Only for a graph node: its number, and what distinguishes it from the other
    /// nodes. Otherwise 0 and empty.
    std::uint64_t node = 0;
    std::string symbol;
    Dim3 grid;
    /// Further facts about a graph node. If the graph is older than the recording, this is their
    /// only source.
    Dim3 block;
    std::uint32_t registers = 0, staticShared = 0, dynamicShared = 0;

    /// For kernels that are not graph nodes.
    static void columns(auto& table) {
        table.growing("c", &KernelTime::correlation);
        table.spans("b", &KernelTime::startNs, "l", &KernelTime::endNs);
        table.column("x", &KernelTime::context);
        table.column("s", &KernelTime::stream);
    }
};

/// When a graph node ran: a line of its own.
struct NodeTimeRecord {
    static constexpr const char* kType = "time";
    KernelTime time;

    static void fields(auto& line, auto& record) {
        auto& t = record.time;
        line("c", t.correlation);
        line.time("b", t.startNs);
        line.time("e", t.endNs);
        line.ifAny("x", t.context);
        line.ifAny("s", t.stream);
        line.ifAny("k", t.symbol);
        line.ifAny("g", t.grid);
        line.ifAny("block", t.block);
        line.ifAny("r", t.registers);
        line.ifAny("m", t.staticShared);
        line.ifAny("d", t.dynamicShared);
    }
};

/// One copy or memset on the GPU: a row of a table.
struct TransferTime {
    static constexpr const char* kType = "transfers";
    TransferKind kind = TransferKind::Other;
    MemoryKind source = MemoryKind::Unknown, target = MemoryKind::Unknown;
    std::uint32_t device = 0;               ///< as CUDA numbers it
    std::optional<std::uint32_t> peer;      ///< the other device of a peer copy
    std::uint32_t context = 0, stream = 0;  ///< as CUPTI numbers them
    std::uint64_t bytes = 0;
    std::uint64_t startNs = 0, endNs = 0;
    std::uint32_t correlation = 0;  ///< of the call that issued it
    bool fromGraph = false;

    static void columns(auto& table) {
        table.oneOf("k", &TransferTime::kind, TransferKind::Other);
        table.oneOf("from", &TransferTime::source, MemoryKind::Managed);
        table.oneOf("to", &TransferTime::target, MemoryKind::Managed);
        table.column("d", &TransferTime::device);
        table.column("peer", &TransferTime::peer);
        table.column("x", &TransferTime::context);
        table.column("s", &TransferTime::stream);
        table.column("bytes", &TransferTime::bytes);
        table.spans("b", &TransferTime::startNs, "l", &TransferTime::endNs);
        table.growing("c", &TransferTime::correlation);
        table.column("graph", &TransferTime::fromGraph);
    }
};

/// One call of the driver: a row of a table.
struct CallTime {
    static constexpr const char* kType = "calls";
    std::uint32_t name = 0, thread = 0;  ///< ids of this spool
    std::uint64_t startNs = 0, endNs = 0;
    std::uint32_t correlation = 0;  ///< the work that it issued has the same one

    static void columns(auto& table) {
        table.column("k", &CallTime::name);
        table.column("th", &CallTime::thread);
        table.spans("b", &CallTime::startNs, "l", &CallTime::endNs);
        table.growing("c", &CallTime::correlation);
    }
};

/// The begin of an NVTX range: a row of a table.
struct RangeBegin {
    static constexpr const char* kType = "begun";
    std::uint64_t span = 0;  ///< unique id of this occurrence
    std::uint32_t range = 0, thread = 0;
    std::uint64_t atNs = 0;

    static void columns(auto& table) {
        table.growing("n", &RangeBegin::span);
        table.column("r", &RangeBegin::range);
        table.column("th", &RangeBegin::thread);
        table.times("b", &RangeBegin::atNs);
    }
};

/// The end of an NVTX range: a row of a table.
struct RangeLeft {
    static constexpr const char* kType = "left";
    std::uint64_t span = 0;
    std::uint64_t atNs = 0;

    static void columns(auto& table) {
        table.growing("n", &RangeLeft::span);
        table.times("e", &RangeLeft::atNs);
    }
};

/// So many launch calls had come when the next one began: a row of a table (PaceLog).
struct PaceRow {
    static constexpr const char* kType = "pace";
    bool alone = false;  ///< nothing of ours slowed the program down; false: it was traced
    std::uint64_t calls = 0;
    std::uint64_t atNs = 0;

    static void columns(auto& table) {
        table.column("alone", &PaceRow::alone);
        table.growing("n", &PaceRow::calls);
        table.times("b", &PaceRow::atNs);
    }
};

/// cudaProfilerStart and cudaProfilerStop.
struct ProfilerRecord {
    static constexpr const char* kType = "profiler";
    bool on = false;
    std::uint64_t atNs = 0;

    static void fields(auto& line, auto& record) {
        line("on", record.on);
        line.time("at", record.atNs);
    }
};

}  // namespace roofscope::spool
