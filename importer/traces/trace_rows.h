// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "importer/traces/name_table.h"
#include "profile/model/profile.h"

/// The contents of a trace before they become a profile: one row per event, text numbers for texts,
/// times in nanoseconds on the trace's own clock.
namespace roofscope::traces {

enum class WorkKind : std::uint8_t { Kernel, Copy, Memset };

/// Work of the GPU: a kernel, copy or memset.
struct WorkRow {
    WorkKind kind = WorkKind::Kernel;
    bool timed = true;  ///< whether the times below are usable
    bool graphNode = false;
    std::uint32_t name = 0;
    std::uint32_t symbol = 0;               ///< text number of the kernel's raw name; 0: unknown
    std::uint32_t device = 0;               ///< number of the device in the trace
    std::optional<std::uint32_t> peer;      ///< target of a copy between GPUs
    std::uint64_t context = 0, stream = 0;  ///< numbers in the trace
    std::optional<std::uint64_t> correlation;
    TimeSpan time;
    Dim3 grid, block;
    std::optional<std::uint32_t> registers;
    std::optional<std::uint64_t>
        shared;  ///< bytes per block; includes `staticShared` if that is unknown
    std::optional<std::uint32_t> staticShared;  ///< bytes per block
    std::optional<std::uint64_t> bytes;         ///< bytes that a copy moved
};

/// A CUDA call on the CPU.
struct CallRow {
    std::uint32_t name = 0;
    std::uint32_t thread = 0;  ///< index into TraceRows::threads
    std::optional<std::uint64_t> correlation;
    TimeSpan time;
};

/// An operator, range or Python function on the CPU.
struct FrameRow {
    enum class Kind : std::uint8_t { Operator, Range, Python };
    Kind kind = Kind::Operator;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;  ///< index into TraceRows::threads
    std::uint32_t sizes = 0;   ///< text number of the input sizes
    TimeSpan time;
};

/// Time that the program lost to something else: loading code, the profiler's buffers.
struct OverheadRow {
    std::uint32_t name = 0;
    std::int64_t thread = 0;  ///< thread number of the operating system; 0: unknown
    TimeSpan time;
};

struct TraceThread {
    std::int64_t pid = 0, id = 0;
    std::string name;
};

/// A launch of a CUDA graph that was recorded as a whole.
struct WholeGraphRow {
    std::uint32_t device = 0;  ///< number of the device in the trace
    TimeSpan time;
};

/// The tool that recorded the trace.
enum class TraceSource : std::uint8_t { PyTorch, NsightSystems };

/// Counts of what could not be read or used. Each is reported once in the profile.
struct TraceLosses {
    std::uint64_t impossibleTimes = 0;  ///< GPU work: no number, negative, or far off
    std::uint64_t calls = 0, operators = 0,
                  ranges = 0;  ///< events of the CPU; Python functions count as operators
    std::uint64_t unsizedCopies = 0;
    std::uint64_t pageMoves = 0;    ///< moves of managed memory's pages, which are left out
    std::uint64_t wholeGraphs = 0;  ///< launches of graphs whose kernels were not recorded
    bool cuptiStopped = false;      ///< the profiler says that it ran out of memory

    [[nodiscard]] std::uint64_t& of(FrameRow::Kind kind) {
        return kind == FrameRow::Kind::Range ? ranges : operators;
    }
};

struct TraceRows {
    TraceSource source = TraceSource::PyTorch;
    NameTable names;
    std::vector<WorkRow> work;
    std::vector<CallRow> calls;
    std::vector<FrameRow> frames;
    std::vector<OverheadRow> overhead;
    std::vector<WholeGraphRow> wholeGraphs;
    std::vector<TraceThread> threads;
    std::map<std::uint32_t, Device> devices;  ///< by number in the trace
    std::optional<std::uint32_t> rank, worldSize;
    std::string hostName;
    std::optional<std::uint64_t> baseTime;  ///< time 0 of the trace, in nanoseconds since 1970
    std::uint32_t cuptiVersion = 0, driverVersion = 0;
    std::optional<TimeSpan> recorded;  ///< from the first to the last CPU event
    bool fractions = false;            ///< whether some time has a fraction of a microsecond
    bool hip = false;                  ///< whether an AMD GPU was recorded
    bool anyOperator = false;
    TraceLosses losses;
};

}  // namespace roofscope::traces
