// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope::inject {

/// What is known about a launch when it is issued.
struct LaunchFacts {
    std::uint32_t kernel = 0, device = 0, stream = 0;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    std::optional<std::uint32_t> residentBlocksPerSm;
    std::optional<std::uint32_t> range;
    bool fromGraph = false;
    bool afterSync = false;  ///< its thread had waited for the GPU since its last launch
    bool counted = true;     ///< false: left without counters on purpose
    std::optional<std::uint32_t> correlation;  ///< joins it with its KernelTime, in a timing run
};

/// When one kernel ran.
struct KernelTime {
    std::uint32_t correlation = 0;  ///< of the launch call; all nodes of a graph launch share one
    std::uint64_t startNs = 0, endNs = 0;   ///< CUPTI's clock
    std::uint32_t context = 0, stream = 0;  ///< as CUPTI numbers them
    /// For a graph's node: its number, and what distinguishes it from the others. Otherwise 0 and
    /// empty.
    std::uint64_t node = 0;
    std::string symbol;
    Dim3 grid;
};

/// One copy or memset on the GPU.
struct TransferTime {
    TransferKind kind = TransferKind::Other;
    MemoryKind source = MemoryKind::Unknown, target = MemoryKind::Unknown;
    std::uint32_t device = 0;               ///< as CUDA numbers it
    std::optional<std::uint32_t> peer;      ///< the other one
    std::uint32_t context = 0, stream = 0;  ///< as CUPTI numbers them
    std::uint64_t bytes = 0;
    std::uint64_t startNs = 0, endNs = 0;  ///< CUPTI's clock
    std::uint32_t correlation = 0;         ///< of the call
    bool fromGraph = false;
};

/// One call of the driver.
struct CallTime {
    std::uint32_t name = 0, thread = 0;    ///< as the spool numbers them
    std::uint64_t startNs = 0, endNs = 0;  ///< CUPTI's clock
    std::uint32_t correlation = 0;         ///< joins it with what it issued
};

/// An NVTX range that began.
struct RangeBegin {
    std::uint64_t span = 0;  ///< its number: no other occurrence of any range has it
    std::uint32_t range = 0, thread = 0;
    std::uint64_t atNs = 0;  ///< CUPTI's clock
};

/// One occurrence of an NVTX range on one device, or what was measured of it.
struct RangeFacts {
    std::uint32_t range = 0, device = 0;
    std::uint32_t ordinal = 0;  ///< among those of this range in the process
    std::uint32_t depth = 0;
    std::optional<std::uint64_t> launches, work;  ///< as in RangeMeasurement
    /// Launches with these sequences, `end` excluded, were issued in it.
    std::uint64_t begin = 0, end = 0;
};

/// How often a line of the program launched a kernel, or called a function of CUDA.
struct SiteRecord {
    std::optional<std::uint32_t> kernel;
    std::string call;
    std::string file, function;
    std::uint32_t line = 0;
    bool indirect = false;
    std::string op, sizes, backward;  ///< as CallSite has them; empty: not known
    CodeLine forward;
    std::vector<CodePlace> frames;  ///< in place of file and line: compiled code, innermost first
    std::uint64_t count = 0;
    std::vector<HostCopies> hostCopies;  ///< of a function that copies to a GPU
};

/// Counters per instruction of one launch.
struct SourceRecord {
    struct Row {
        std::uint32_t offset = 0;  ///< bytes from the function's start
        std::int64_t file = -1;    ///< index into files; -1: unknown
        std::uint32_t line = 0;
        std::vector<double> values;  ///< one per metric, NaN missing
    };
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::string cubin;     ///< file in the spool's folder; empty: the code is not known
    std::string function;  ///< name of the kernel in the cubin
    std::vector<std::string> metrics, files;
    std::vector<Row> rows;
};

/// Samples of what warps waited for during one launch, per instruction.
struct SampleRecord {
    struct Row {
        std::uint32_t offset = 0;            ///< bytes from the function's start
        std::vector<std::uint64_t> samples;  ///< one per reason
    };
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::vector<std::string> reasons;  ///< "smsp__pcsamp_warps_issue_stalled_…"
    std::vector<Row> rows;             ///< by offset; what is not here was never seen
};

/// What the GPU did over the time of one launch.
struct OverTimeRecord {
    std::uint64_t sequence = 0;
    std::uint32_t kernel = 0;
    std::vector<std::uint64_t> ends;  ///< of the intervals, ns from the beginning of the first
    std::vector<std::string> counters;
    std::vector<std::vector<double>> columns;  ///< one per counter, a value per interval
};

/// Measurements of one process, written line by line (JSON) to its own file while it runs, so that
/// a crash or _exit loses none. `roofscope record` turns the spools of a run into one profile
/// (collector/run/spool/spool_reader.h).
///
/// Lines are written at once and in order, except those of launch(), arguments(), buffer(), calls
/// and ranges: they wait for flush() or the next other line, because a program launches ten
/// thousand times a second and each write costs microseconds. Launches, calls and ranges wait as
/// numbers and become text only then, so that the threads that launch can leave that to another
/// one. Write errors are not thrown: the next line that can be written is preceded by one that says
/// how many were lost. Thread-safe. A signal handler that ends the process while a line is written
/// loses only that line and what follows.
class SpoolWriter {
public:
    /// Creates FOLDER/<pid>-<time>.spool. Without a folder everything is dropped silently.
    explicit SpoolWriter(const std::string& folder);
    ~SpoolWriter();
    SpoolWriter(const SpoolWriter&) = delete;
    SpoolWriter& operator=(const SpoolWriter&) = delete;

    /// "<pid>-<time>": unique among the processes of a run, also after an exec.
    [[nodiscard]] const std::string& name() const { return m_name; }
    /// Whether its file could be created.
    [[nodiscard]] bool created() const { return m_file >= 0; }

    void process(const Process& process);
    /// `ordinal` is CUDA's number of it.
    void device(std::uint32_t id, const Device& device, std::uint32_t ordinal = 0);
    void peaks(std::uint32_t device, std::span<const std::string> names,
               std::span<const double> values);
    /// The counters of all following `values` lines of this device, by position within the line.
    void counters(std::uint32_t device, std::span<const std::string> names, std::size_t passes);
    void kernel(std::uint32_t id, const Kernel& kernel);
    void range(std::uint32_t id, const std::string& name);
    /// Waits to be written: before the launch returns, flush() or flushIfDue().
    void launch(std::uint64_t sequence, const LaunchFacts& launch);
    /// A buffer that later launches may be given. Waits to be written.
    void buffer(std::uint32_t id, const Buffer& buffer);
    /// The buffers that a launch was given, in the order of its parameters. Waits to be written.
    void arguments(std::uint64_t sequence, std::span<const BufferArgument> list);
    /// Removes a launch that failed or ran nothing.
    void retract(std::uint64_t sequence);
    /// Launches were missed before `sequence`; how many is unknown.
    void launchesMissed(std::uint64_t sequence);
    /// Counter values of a launch; NaN = missing.
    void values(std::uint64_t sequence, std::uint32_t device, std::span<const double> values);
    /// When kernels ran, in any order; after their launches.
    void times(std::span<const KernelTime> times);
    /// This process counts first (RunConfiguration::countFirst). Before its launches.
    void countsFirst();
    /// It counts no more, after so much time spent on it: launches from here on are timed. `now` by
    /// the clock that all processes share; `loop`: CountingFirst::loop().
    void timesNow(std::chrono::duration<double> spent, std::chrono::steady_clock::time_point now,
                  std::uint64_t loop);
    /// Which parts of the timeline follow. Before any of them.
    void timeline(const TimelineParts& parts);
    /// Copies and memsets, in any order.
    void transfers(std::span<const TransferTime> transfers);
    void thread(std::uint32_t id, std::int64_t systemId, const std::string& name);
    void callName(std::uint32_t id, const char* name, CallKind kind);
    /// A call; its name and thread were written before. Waits to be written.
    void call(const CallTime& call);
    /// They also wait to be written.
    void rangeBegan(const RangeBegin& range);
    void rangeLeft(std::uint64_t span, std::uint64_t atNs);
    void profilerSwitched(bool on, std::uint64_t atNs);
    void callSite(const SiteRecord& site);
    void overTime(const OverTimeRecord& record);
    void source(const SourceRecord& source);
    void samples(const SampleRecord& samples);
    /// A range ended. After its launches.
    void rangeEnded(const RangeFacts& range);
    /// The counters of all following `rangeValues` lines of this device.
    void rangeCounters(std::uint32_t device, std::span<const std::string> names);
    /// Counter values of a range that ended; NaN = missing.
    void rangeValues(const RangeFacts& range, std::span<const double> values);
    void issue(const Issue& issue);
    /// Writes what waits.
    void flush();
    /// Writes what waits if the last write is kMostDelay ago or there is much to write. For timing
    /// runs: a killed program loses the launches since then; it loses their times in any case.
    void flushIfDue();
    /// Whether another thread calls flush() every now and then: flushIfDue() then writes nothing
    /// unless that thread is far behind.
    void writtenElsewhere(bool yes) { m_elsewhere = yes; }
    /// Whether there is anything for flush() to write.
    [[nodiscard]] bool anythingWaits() const { return m_anythingWaits; }
    static constexpr std::chrono::milliseconds kMostDelay{10};
    /// Totals for the last line.
    struct Totals {
        std::optional<std::chrono::nanoseconds> tracedLaunch;  ///< median CPU time of a launch call
        std::uint64_t autotuningLaunches = 0, unchosenLaunches = 0;  ///< that were left out
        std::optional<std::uint64_t> pinnedBytes;  ///< the most that was held at one time
    };
    /// The last line: a spool without it is from a process that crashed or was killed.
    void end(const Totals& totals);
    void end() { end(Totals()); }

private:
    /// Guards some of the members below.
    struct Lock {
        std::timed_mutex mutex;
        std::atomic<pthread_t> owner{};  ///< of the mutex; 0: none
    };
    /// Holds such a lock; false if it could not be had in time.
    class Turn;
    /// What waits as numbers.
    struct Queue {
        std::vector<std::pair<std::uint64_t, LaunchFacts>> launches;  ///< with their sequences
        std::vector<CallTime> calls;
        std::vector<RangeBegin> begun;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> left;  ///< span, when
        [[nodiscard]] std::size_t size() const {
            return launches.size() + calls.size() + begun.size() + left.size();
        }
        void clear();
    };
    /// Lets `add` put something into the queue.
    template <class Add>
    void enqueue(const Add& add);
    void line(const std::string& text);
    /// Text of whole lines that waits for the next flush().
    void wait(const std::string& text);
    /// A line that others depend on: it is repeated until it could be written.
    void vitalLine(const std::string& text);
    void writeWaiting();  ///< with m_writing held
    /// Adds the line of a launch.
    static void addLaunch(std::uint64_t sequence, const LaunchFacts& launch, std::string& text);
    void gather();  ///< turns the queue into lines; with m_writing held
    /// Returns how many bytes could be written.
    [[nodiscard]] std::size_t write(const std::string& text) const;
    std::string m_name;
    Lock m_queueing;  ///< guards the queue; held for moments only
    Queue m_queue;
    std::atomic<std::size_t> m_queued{0};      ///< its size
    std::atomic<bool> m_elsewhere{false};      ///< writtenElsewhere()
    std::atomic<bool> m_anythingWaits{false};  ///< in the queue or in m_waiting
    std::atomic<std::size_t> m_dropped{0};     ///< lines that got no turn, to be added to m_lost
    Lock m_writing;                            ///< guards what follows
    Queue m_gathered;                          ///< its memory is used again
    std::string m_waiting;
    std::string m_vital;     ///< such lines, from the first that may not have been written
    std::size_t m_lost = 0;  ///< lines that could not be written since the last success
    std::chrono::steady_clock::time_point m_lastWrite;
    [[nodiscard]] bool stillOurs() const;
    int m_file = -1;
    dev_t m_device = 0;  ///< with m_inode: which file m_file was when it was opened
    ino_t m_inode = 0;
};

}  // namespace roofscope::inject
