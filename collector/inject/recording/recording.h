// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/calls/state_lock.h"
#include "collector/inject/launches/argument_log.h"
#include "collector/inject/launches/graph_table.h"
#include "collector/inject/launches/kernel_table.h"
#include "collector/inject/launches/late_writer.h"
#include "collector/inject/launches/launch_filter.h"
#include "collector/inject/launches/launch_turns.h"
#include "collector/inject/launches/pace_log.h"
#include "collector/inject/measuring/measurement_parts.h"
#include "collector/inject/measuring/measuring.h"
#include "collector/inject/ranges/range_names.h"
#include "collector/inject/recording/run_times.h"

namespace roofscope::inject {

/// One recording of this process: what is known about the program, how it is measured, and the
/// locks for both. The callback handlers work with it (LaunchRecorder, GraphFollower,
/// RangeRecorder). All members are used with `state` held, unless they say otherwise.
///
/// A timing measurement does not interfere with launches. Others serialise them (CUPTI serialises
/// kernels anyway): a thread holds its turn from entry to exit of a launch call, so that results
/// come in the order of launches. A thread that waits too long launches without a turn, and an
/// issue says so. Take a turn before locking the state, never after.
class Recording {
public:
    /// `late`: the process may already have used CUDA.
    Recording(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
              std::string folder, const RunConfiguration& configuration, OpenCounters openCounters,
              bool late);

    /// Begins measuring.
    void start();
    /// Changes to another mode if the current measurement asks for it.
    void proceed();
    /// Ends the current measurement and begins another one. False if that is not possible now: the
    /// calling thread is launching, another one takes too long to launch, or a stream is captured.
    bool goOn(const RunConfiguration::Mode& mode);
    /// `on`: stops recording launches and what the CPU does; times of earlier launches still come.
    /// Otherwise, launches are recorded again.
    void hold(bool on);
    /// Writes everything and the end line. With `interrupted`, this thread is inside one of our
    /// callbacks, and perhaps inside CUPTI, whose locks stay locked. Then there is no end line.
    void finish(bool interrupted);

    /// cudaProfilerStart and cudaProfilerStop.
    void profilerSwitched(bool on);
    void contextEnds(CUcontext handle);
    /// A module was loaded. Reports if its kernels launch other kernels, which cannot be seen. May
    /// be called from any thread.
    void codeLoaded(std::span<const std::uint8_t> cubin);
    /// Modules are unloaded: the driver may reuse their function handles.
    void codeUnloaded();
    /// The program wrote to memory by a call that is not a launch; `address`, if known, tells
    /// where. May be called from any thread, without a lock.
    void written(std::optional<CUdeviceptr> address);
    /// A call that allocates or frees memory begins or returns. May be called from
    /// any thread, without a lock.
    void allocating(const FollowedCall& call, bool entering);
    /// The program has waited for the GPU: what is pending may be delivered.
    void idle(CUcontext handle);
    /// Writes a context to the spool, because copies may use it although no kernel does. May
    /// be called from any thread.
    void noteContext(CUcontext handle);
    /// Reports an issue, once. May be called from any thread.
    void report(const Issue& issue);

    const CuptiApi& cupti;
    const DriverApi& driver;
    SpoolWriter& spool;
    const bool late;
    const bool keepsAutotuning;     ///< launches of autotuning are recorded
    std::atomic<bool> done{false};  ///< finish() was called: nothing more is recorded
    /// A CUDA graph was created or launched while CUPTI was in the process. Static, because graphs
    /// outlive a recording.
    static inline std::atomic<bool> usesGraphs{false};
    StateLock state;
    LaunchTurns turns;

    IssueLog issues;
    ContextTable contexts;
    KernelTable kernels;
    GraphTable graphs;
    LaunchFilter filter;
    RangeNames rangeNames;
    std::uint64_t nextSequence = 0;  ///< sequence number of the next launch
    std::uint64_t autotuningLaunches = 0,
                  unchosenLaunches = 0;  ///< left out of the profile

    // May be used from any thread, unless their classes say otherwise.
    StreamCaptures captures;
    ArgumentLog arguments;
    LateWriter writer;
    GpuWaits waits;
    PaceLog pace;
    PinnedMemory pinned;
    CallTimes callTimes;
    TimelineLog timeline;
    MeasuredRanges ranges;
    CacheFlushes flushes;
    MeasurementParts parts;
    Measuring measuring;
    RunTimes run;

private:
    void makeUp(const MissedEvents::News& news);
    /// Code was unloaded: forgets what is known about functions of its modules, whose memory is
    /// freed.
    void forgetCode();
    /// Forgets a context that was destroyed, without calling CUPTI for it.
    void abandon(CUcontext handle);
    void replace(const RunConfiguration::Mode& mode);

    std::atomic<bool> m_launchesFromKernels{false};  ///< the issue about this was written
    bool m_timed = false;                            ///< some measurement took times
    std::atomic<bool> m_timing{false};               ///< the current measurement takes times
};

}  // namespace roofscope::inject
