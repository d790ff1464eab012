// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "collector/spool/cpu_records.h"
#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/profile.h"

namespace roofscope::inject {

// The injected library uses the records of the spool under their short names.
using spool::CallTime;
using spool::KernelTime;
using spool::LaunchFacts;
using spool::OverTimeRecord;
using spool::RangeBegin;
using spool::RangeFacts;
using spool::SampleRecord;
using spool::SiteRecord;
using spool::SourceRecord;
using spool::TransferTime;

/// Writes the measurements of one process line by line (see records.h) to its own file while it
/// runs, so that a crash or _exit loses none. `roofscope record` turns the spools of a run into one
/// profile (collector/spool/reader/spool_reader.h).
///
/// Lines are written at once and in order, except those of launch(), arguments(), buffer(), calls
/// and ranges. These wait for flush() or for the next line of another kind, because a program
/// launches ten thousand times a second and each write takes microseconds. Launches, calls and
/// ranges wait as structs and become text only when they are written, so that another thread can do
/// that work instead of the threads that launch.
///
/// Write errors are not thrown: before the next line that can be written, another line says how
/// many were lost. Thread-safe. A signal handler that ends the process while a line is being
/// written loses only that line and those after it.
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
    /// `ordinal` is CUDA's device number.
    void device(std::uint32_t id, const Device& device, std::uint32_t ordinal = 0);
    void peaks(std::uint32_t device, std::span<const std::string> names,
               std::span<const double> values);
    /// The counters of all following `values` lines of this device, which
    /// hold values in this order.
    void counters(std::uint32_t device, std::span<const std::string> names, std::size_t passes);
    void kernel(std::uint32_t id, const Kernel& kernel);
    void range(std::uint32_t id, const std::string& name);
    /// Only queued: call flush() or flushIfDue() before the launch returns.
    void launch(std::uint64_t sequence, const LaunchFacts& launch);
    /// A buffer that later launches may have as an argument. Only queued.
    void buffer(std::uint32_t id, const Buffer& buffer);
    /// The buffers passed to a launch, in the order of its parameters. Only queued.
    void arguments(std::uint64_t sequence, std::span<const BufferArgument> list);
    /// A graph is launched whose kernels are unknown.
    void oldGraph(const spool::OldGraphRecord& launch);
    /// Removes a launch that failed or ran nothing.
    void retract(std::uint64_t sequence);
    /// Launches before `sequence` were missed; how many is unknown.
    void launchesMissed(std::uint64_t sequence);
    /// Counter values of a launch; NaN = missing.
    void values(std::uint64_t sequence, std::uint32_t device, std::span<const double> values);
    /// When kernels ran, in any order. Call it after their launches.
    void times(std::span<const KernelTime> times);
    /// This process counts first (CountFirstMode). Call it before its launches.
    void countsFirst();
    /// Counting ended after `spent`; launches from here on are timed. `now` is in the time of the
    /// clock that all processes share; `loop` is CountingFirst::loop().
    void timesNow(std::chrono::duration<double> spent, std::chrono::steady_clock::time_point now,
                  std::uint64_t loop);
    /// Which parts of the timeline are recorded. Call it before any of them is written.
    void timeline(const TimelineParts& parts);
    /// Copies and memsets, in any order.
    void transfers(std::span<const TransferTime> transfers);
    /// `worker`: it is the first one of a forked process.
    void thread(std::uint32_t id, std::int64_t systemId, const std::string& name,
                bool worker = false);
    void callName(std::uint32_t id, const char* name, CallKind kind);
    /// A call, whose name and thread were written before. Only queued.
    void call(const CallTime& call);
    /// Begin and end of an NVTX range. Only queued.
    void rangeBegan(const RangeBegin& range);
    void rangeLeft(std::uint64_t span, std::uint64_t atNs);
    void profilerSwitched(bool on, std::uint64_t atNs);
    /// When launch calls came.
    void pace(std::span<const spool::PaceRow> rows);
    void callSite(const SiteRecord& site);
    /// The stacks that samples of the CPU refer to; then the samples.
    void cpuStacks(const spool::CpuStacksRecord& stacks);
    void cpuSamples(std::span<const spool::CpuSampleRow> samples);
    void overTime(const OverTimeRecord& record);
    void source(const SourceRecord& source);
    void samples(const SampleRecord& samples);
    /// An NVTX range ended. Call it after its launches.
    void rangeEnded(const RangeFacts& range);
    /// The counters of all following `rangeValues` lines of this device.
    void rangeCounters(std::uint32_t device, std::span<const std::string> names);
    /// Counter values of a range that ended; NaN = missing.
    void rangeValues(const RangeFacts& range, std::span<const double> values);
    void issue(const Issue& issue);
    /// Writes what is queued.
    void flush();
    /// Writes what is queued if the last write was kMostDelay ago or if there is much to
    /// write. For timing runs: a killed program loses the launches since then, but it
    /// loses their times in any case.
    void flushIfDue();
    /// Whether another thread calls flush() regularly. flushIfDue() then writes nothing unless
    /// that thread is far behind.
    void setFlushedByOtherThread(bool yes) { m_elsewhere = yes; }
    /// Whether flush() has anything to write.
    [[nodiscard]] bool hasQueuedLines() const { return m_hasQueuedLines; }
    static constexpr std::chrono::milliseconds kMostDelay{10};
    void run(const spool::RunRecord& run);
    using Totals = spool::EndRecord;
    /// The last line. A spool without it is from a process that crashed or was killed.
    void end(const Totals& totals);
    void end() { end(Totals()); }

private:
    /// Guards some of the members below.
    struct Lock {
        std::timed_mutex mutex;
        std::atomic<pthread_t> owner{};  ///< thread that holds the mutex; 0: none
    };
    /// Holds such a lock; false if it was not free in time, or if this thread holds it already.
    class Turn;
    /// Records that wait as structs, not as text.
    struct Queue {
        std::vector<spool::LaunchRecord> launches;
        std::vector<CallTime> calls;
        std::vector<RangeBegin> begun;
        std::vector<spool::RangeLeft> left;
        [[nodiscard]] std::size_t size() const {
            return launches.size() + calls.size() + begun.size() + left.size();
        }
        void clear();
    };
    /// Calls `add` with the locked queue.
    template <class Add>
    void enqueue(const Add& add);
    /// Appends whole lines to what waits, and calls `then` with m_writing held.
    template <class Then>
    void append(const std::string& lines, const Then& then);
    /// Writes whole lines at once.
    void writeNow(const std::string& lines);
    /// Keeps whole lines for the next flush().
    void wait(const std::string& lines);
    /// Writes a line that other lines depend on. It is written again until that succeeds.
    void writeEssential(const std::string& line);
    template <class Record>
    void writeNow(const Record& record);
    template <class Record>
    void wait(const Record& record);
    template <class Record>
    void writeEssential(const Record& record);
    void writeWaiting();  ///< with m_writing held
    void gather();        ///< turns the queue into lines; with m_writing held
    /// Returns how many bytes were written.
    [[nodiscard]] std::size_t write(const std::string& text) const;
    std::string m_name;
    Lock m_queueing;  ///< guards the queue; held only briefly
    Queue m_queue;
    std::atomic<std::size_t> m_queued{0};       ///< size of the queue
    std::atomic<bool> m_elsewhere{false};       ///< setFlushedByOtherThread()
    std::atomic<bool> m_hasQueuedLines{false};  ///< in the queue or in m_waiting
    /// Lines that could not be queued because the lock was not free; to be added to m_lost.
    std::atomic<std::size_t> m_dropped{0};
    Lock m_writing;    ///< guards the members below
    Queue m_gathered;  ///< kept to reuse its memory
    std::string m_waiting;
    /// Lines of writeEssential(), from the first that may not have been written.
    std::string m_essential;
    std::size_t m_lost = 0;  ///< lines that could not be written since the last success
    std::chrono::steady_clock::time_point m_lastWrite;
    [[nodiscard]] bool stillOurs() const;
    int m_file = -1;
    dev_t m_device = 0;  ///< with m_inode: identifies the file that was opened as m_file
    ino_t m_inode = 0;
};

}  // namespace roofscope::inject
