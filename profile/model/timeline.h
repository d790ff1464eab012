// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What a timing run saw besides kernels: copies and memsets on the GPU, calls on the CPU, and NVTX
/// ranges with both ends. Uses the same clock as Launch::start.
namespace roofscope {

/// Nanoseconds on the clock of Launch::start. Zero is the start of the first timed launch; earlier
/// times are negative. Integers, so that sums add up exactly.
using Nanoseconds = std::int64_t;

/// A half-open interval of time: `end` is excluded.
struct TimeSpan {
    Nanoseconds start = 0, end = 0;  ///< start <= end
    [[nodiscard]] Nanoseconds length() const { return end - start; }
    auto operator<=>(const TimeSpan&) const = default;
};

/// Which tables of the timeline a process recorded in full. A table that is not recorded is
/// unknown, not empty: draw no conclusions from missing rows.
struct TimelineParts {
    bool copies = false;       ///< copies and memsets
    bool waits = false;        ///< calls in which the CPU waits for the GPU
    bool launches = false;     ///< calls that launch kernels and CUDA graphs
    bool allocations = false;  ///< calls that allocate and free memory
    bool loads = false;        ///< calls that load code
    bool graphs = false;       ///< calls that capture, instantiate and update CUDA graphs
    bool ranges = false;       ///< both ends of NVTX ranges
    bool operator==(const TimelineParts&) const = default;
};

/// The names of the parts in files, each with its member. This is the only list of them.
inline constexpr std::array<std::pair<const char*, bool TimelineParts::*>, 7> kTimelineParts{{
    {"copies", &TimelineParts::copies},
    {"waits", &TimelineParts::waits},
    {"launches", &TimelineParts::launches},
    {"allocations", &TimelineParts::allocations},
    {"loads", &TimelineParts::loads},
    {"graphs", &TimelineParts::graphs},
    {"ranges", &TimelineParts::ranges},
}};

/// What a copy engine or a driver kernel did to memory.
enum class TransferKind {
    HostToDevice,
    DeviceToHost,
    OnDevice,        ///< from a GPU to itself
    BetweenDevices,  ///< peer copies
    HostToHost,
    Memset,
    Other
};

/// The memory of one side of a copy.
enum class MemoryKind { Unknown, Pageable, Pinned, Device, Managed };

/// One copy or memset, as the GPU did it.
struct Transfer {
    TransferKind kind = TransferKind::Other;
    MemoryKind source = MemoryKind::Unknown;  ///< Unknown for a memset
    MemoryKind target = MemoryKind::Unknown;
    std::uint32_t process = 0;          ///< index into Profile::processes
    std::uint32_t device = 0;           ///< index into Profile::devices: the one that executed it
    std::optional<std::uint32_t> peer;  ///< the other device of BetweenDevices, when it is known
    std::uint32_t stream = 0;           ///< as Launch::stream
    std::uint64_t bytes = 0;
    TimeSpan time;
    bool fromGraph = false;  ///< node of a CUDA graph launch
    bool operator==(const Transfer&) const = default;
};

/// What a call of the CUDA runtime or driver is for.
enum class CallKind {
    Launch,       ///< launches a kernel
    GraphLaunch,  ///< launches a CUDA graph
    Wait,         ///< waits for a stream, an event or a device
    Transfer,     ///< copies or sets memory; synchronous ones wait, too
    Allocate,     ///< device, pinned or managed memory
    Free,
    Load,   ///< loads code: modules, libraries, lazy loading of a function
    Graph,  ///< captures, instantiates or updates a CUDA graph
    Other
};

/// A CUDA function; stored once, however often it is called.
struct CallName {
    std::string name;  ///< "cudaStreamSynchronize": the outermost, as the program called it
    CallKind kind = CallKind::Other;
    bool operator==(const CallName&) const = default;
};

/// A thread that made calls or pushed ranges.
struct Thread {
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::int64_t id = 0;        ///< from the operating system
    std::string name;           ///< as the program named it; empty when unknown
    /// It is the first thread of a process that `process` has forked: `id` is that process's. Only
    /// samples of the CPU refer to it.
    bool worker = false;
    bool operator==(const Thread&) const = default;
};

/// One call on the CPU, from its entry to its return.
struct Call {
    std::uint32_t name = 0;    ///< index into Timeline::callNames
    std::uint32_t thread = 0;  ///< index into Timeline::threads
    TimeSpan time;
    /// The work it issued: an index into Timeline::transfers if its kind is Transfer, else into
    /// Profile::launches (for a graph the first node). Absent if unknown.
    std::optional<std::uint32_t> work;
    bool operator==(const Call&) const = default;
};

/// One occurrence of an NVTX range.
struct RangeSpan {
    std::uint32_t range = 0;   ///< index into Profile::ranges (a path)
    std::uint32_t thread = 0;  ///< index into Timeline::threads
    /// From its push to its pop. A range that was never popped ends with its process.
    TimeSpan time;
    /// From the start of the first to the end of the last GPU work issued within the range. Absent
    /// if there was none, or if unknown.
    std::optional<TimeSpan> gpu;
    bool operator==(const RangeSpan&) const = default;
};

/// A span between cudaProfilerStart and cudaProfilerStop (or the end of the process).
struct ProfilerSpan {
    std::uint32_t process = 0;  ///< index into Profile::processes
    TimeSpan time;
    bool operator==(const ProfilerSpan&) const = default;
};

/// GPU work without a time of its own: its recorded time was impossible, or it was not recorded
/// kernel by kernel. It ran at some moment within `time`.
struct UntimedWork {
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::uint32_t device = 0;   ///< index into Profile::devices
    TimeSpan time;
    std::optional<std::uint32_t> launch = {};  ///< index into Profile::launches; absent for a copy
    bool operator==(const UntimedWork&) const = default;
};

/// The timeline of all processes; Process::timeline says what each of them recorded. Rows are in no
/// particular order.
struct Timeline {
    std::vector<Thread> threads;
    std::vector<CallName> callNames;
    std::vector<Transfer> transfers;
    std::vector<Call> calls;
    std::vector<RangeSpan> ranges;
    std::vector<ProfilerSpan> profiler;
    std::vector<UntimedWork> untimed;
    [[nodiscard]] bool empty() const {
        return threads.empty() && callNames.empty() && transfers.empty() && calls.empty() &&
               ranges.empty() && profiler.empty() && untimed.empty();
    }
    bool operator==(const Timeline&) const = default;
};

}  // namespace roofscope
