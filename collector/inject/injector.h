// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/calls/call_log.h"
#include "collector/inject/calls/call_times.h"
#include "collector/inject/calls/copied_contents.h"
#include "collector/inject/calls/missed_events.h"
#include "collector/inject/calls/pinned_memory.h"
#include "collector/inject/launches/argument_log.h"
#include "collector/inject/launches/counting_first.h"
#include "collector/inject/launches/graph_table.h"
#include "collector/inject/launches/kernel_table.h"
#include "collector/inject/launches/launch_choice.h"
#include "collector/inject/launches/launch_tracker.h"
#include "collector/inject/launches/launch_turns.h"
#include "collector/inject/python/call_sites.h"
#include "collector/inject/ranges/nvtx_events.h"
#include "collector/inject/ranges/nvtx_stack.h"
#include "collector/inject/ranges/range_tracker.h"
#include "collector/inject/sessions/activity_timer.h"
#include "collector/inject/sessions/cache_flush.h"
#include "collector/inject/sessions/cupti_session.h"
#include "collector/inject/sessions/over_time_session.h"
#include "collector/inject/sessions/sampling_session.h"
#include "collector/inject/sessions/source_session.h"
#include "collector/inject/threads/background.h"
#include "collector/spool/spool.h"

namespace roofscope::inject {

/// What the injected library does in the profiled process: receives CUPTI's callbacks, keeps one
/// launch tracker per CUDA context, and writes the spool. Created once, and alive until the process
/// ends; or, where a process measures its own functions, once for each call that is measured.
///
/// Nothing here throws across a callback, ends the host, or writes to its output. A timing run
/// leaves launches as they are. While counters are read, launches are serialised (CUPTI serialises
/// kernels anyway): from entry to exit of a launch call the thread holds its turn (`m_turns`), so
/// that the order of ranges is the order of launches. A thread that waits too long launches without
/// a turn, and an issue says so.
class Injector {
public:
    /// Subscribes to CUPTI. Every failure becomes an issue in the spool; the program runs on. Does
    /// nothing without a run configuration and a writable spool: nobody would read the data of a
    /// process that outlives its run, starts after it, or lacks its environment or permissions.
    /// Tests pass their own `openCounters`.
    using OpenCounters = std::function<Result<std::unique_ptr<CounterSession>>(
        const CuptiApi&, CUcontext, CUdevice, const RunConfiguration&, const Device&,
        const ReportIssue&)>;
    static void attach(OpenCounters openCounters = CuptiSession::open);
    /// Records this process from now on into `folder`, which holds the run configuration. The
    /// process may have used CUDA before. Only one recording at a time. Error: nothing is recorded.
    static Result<void> begin(const std::string& folder, OpenCounters open = CuptiSession::open);
    /// Ends a recording that begin() began: everything is written, and the process is as it was
    /// before. Call it when the GPU has finished the work to be measured.
    static void end();
    /// Whether the environment names a folder with a run configuration that can be read.
    [[nodiscard]] static bool configured();
    /// The injector of this process; nullptr before attach(), without a run configuration, and in
    /// forked children.
    static Injector* instance();

    void onDriverApi(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void onResource(CUpti_CallbackId id, const CUpti_ResourceData& data);
    void onNvtx(CUpti_CallbackId id, const CUpti_NvtxData& data);
    /// Hands over everything and writes the end line; later callbacks are ignored.
    void finish();
    void pushRange(std::uintptr_t domain, std::string name);
    void popRange(std::uintptr_t domain);
    /// Reports that XLA was configured to use no CUDA graphs.
    void commandBuffersOff();
    [[nodiscard]] bool done() const { return m_done; }

private:
    struct Context {
        CUdevice handle = 0;
        std::uint32_t device = 0;   ///< as the spool numbers it
        std::uint32_t ordinal = 0;  ///< as CUDA numbers it
        Device facts;
        bool countersAsked = false;              ///< openCounters() was called
        std::unique_ptr<LaunchTracker> tracker;  ///< empty unless counters are read
        std::optional<CacheFlush> flush;         ///< only when the run configuration says so
    };

    /// How long a callback waits for m_state.
    static constexpr std::chrono::seconds kStateWait{2};

    Injector(std::string folder, RunConfiguration configuration, OpenCounters openCounters);
    /// Makes `injector` this process's injector. False if that is not possible.
    static bool install(Injector* injector);
    /// Only after CUPTI was loaded, whose own exit handlers must come later.
    static void finishAtExit();
    [[nodiscard]] bool canWrite() const { return m_spool.created(); }
    bool subscribe();
    /// Writes an issue because of which nothing is recorded in this process. Always false.
    bool refuse(const char* code, std::string message, std::string advice = {});
    /// The spool's first line: the process, its rank, driver and CUPTI.
    void noteProcess();
    /// Creates the parts that the mode of this run needs.
    void createParts();
    void enableCallbacks();
    [[nodiscard]] bool counting() const {
        return m_configuration.mode == RunConfiguration::Mode::Counters && !m_timesNow;
    }
    [[nodiscard]] bool timing() const {
        return m_configuration.mode == RunConfiguration::Mode::Timing || m_timesNow;
    }
    /// Whether launches that are not counted are timed, one by one.
    [[nodiscard]] bool timesOthers() const { return m_countingFirst || m_configuration.timeOthers; }
    /// Whether launches for which too much would have to be saved are not counted.
    [[nodiscard]] bool sparesMemory() const {
        return m_countingFirst || m_configuration.growMemory;
    }
    /// Whether the calls that allocate and free memory are followed, so that what the driver told
    /// about a buffer holds until then.
    [[nodiscard]] bool followsAllocations() const { return timing() || m_countingFirst; }
    [[nodiscard]] bool followsPinnedMemory() const { return timing() || sparesMemory(); }
    [[nodiscard]] bool inRanges() const {
        return m_configuration.mode == RunConfiguration::Mode::Ranges;
    }
    /// Whether launches of several threads take turns, so that the order of what is measured is
    /// known.
    [[nodiscard]] bool inTurn() const { return !timing() && !inRanges(); }
    /// What a launch call runs.
    struct Launched {
        std::span<const LaunchRequest> kernels;
        bool fromGraph = false;
        bool ordered = true;   ///< they run in this order
        bool complete = true;  ///< nothing else runs
    };
    void launchEntered(const CUpti_CallbackData& data, const Launched& launched);
    /// What was decided about the kernels of a launch call.
    struct Chosen {
        bool anyCounted = false, anyRecorded = false;
        bool anyPeer = false;                    ///< one waits for other processes
        std::optional<std::uint64_t> signature;  ///< of the last one, where that matters
    };
    [[nodiscard]] Chosen choose(const Launched& launched, const Context& context,
                                const NvtxStack& stack);
    void countNone(Chosen& chosen);
    void prepareCounters(LaunchTracker& tracker, const Launched& launched, const Context& context,
                         const NvtxStack& stack, Chosen& chosen);
    void noteLaunches(const CUpti_CallbackData& data, const Launched& launched,
                      const Context& context, const NvtxStack& stack, bool afterSync);
    /// Whether launches of this context inside these ranges are to be recorded, whatever their
    /// kernel. Reports once that autotuning is not.
    [[nodiscard]] bool ofInterest(const Context& context, const NvtxStack& stack);
    /// Whether launches inside these ranges are autotuning that is not recorded.
    [[nodiscard]] bool leftOutAsAutotuning(const NvtxStack& stack) const;
    void launchLeft(const CUpti_CallbackData& data);
    /// Notes what counting the launch took that the calling thread returns from.
    void noteCost(CountingCost::Duration took);
    /// Records how long the launch call took that the calling thread returns from.
    void launchTimed();
    /// What is known about a context; nullptr if the driver does not name its GPU.
    Context* context(CUcontext handle);
    /// Opens the counter session of a run with counters, unless that was tried before. Only when it
    /// is needed: an open session costs time at every launch, counted or not.
    void openCounters(CUcontext handle, Context& context);
    /// In a run that counts first: goes on without counters if enough was counted and the calling
    /// thread has its turn.
    void timeIfEnoughIsCounted();
    /// In such a run: whether repeating a launch would save more than the GPU has room for, or much
    /// of the host's memory.
    [[nodiscard]] bool tooMuchToSave() const;
    /// Reports that counters of a graph's kernels are lost.
    void graphOrderUnknown();
    /// Reports that a graph has kernels which are not known.
    void graphKernelsUnknown();
    /// Reports that a graph is older than the recording.
    void graphTooOld();
    /// Empties the L2 before a recorded launch, if the run configuration says so.
    void flushCaches(Context& context, CUstream stream, bool possible);
    std::uint32_t deviceId(CUdevice device);
    std::optional<std::uint32_t> rangeId(const std::string& path);
    [[nodiscard]] bool capturing(CUstream stream) const;
    void idle(CUcontext handle);
    /// Locks m_state, unless another thread holds it for too long, and first handles the events
    /// that were missed meanwhile.
    [[nodiscard]] std::unique_lock<std::timed_mutex> lockState();
    void catchUp();
    /// Forgets a context that was destroyed, without calling CUPTI for it.
    void abandon(CUcontext handle);
    /// An NVTX range with these marks ended on this thread.
    void endRange(const NvtxStack::Marks& marks);
    /// The same for the timeline.
    void beginSpan(NvtxStack& stack);
    void endSpan(std::uint64_t span);
    std::unique_ptr<RangeSession> openRangeSession(CUcontext handle);
    void countersRefused(const Error& error);
    /// Lets CUPTI time kernels from now on. False, with an issue, where it refuses.
    bool startTiming(const activity_timer::What& what);
    /// In a timing run: lets CUPTI time kernels from now on. Only when launches may be recorded:
    /// tracing costs a microsecond per launch.
    void startTracing();
    /// Lets another thread write from now on what a timing run leaves in the spool.
    void startBackground();
    /// Handles the entry and the exit of a driver call.
    void driverCalled(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void launchCalled(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void graphEntered(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void otherCalled(CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// A call may have copied from host memory to a GPU.
    void noteCopy(const FollowedCall& call, const CUpti_CallbackData& data);
    /// Memory is allocated or freed.
    void noteAllocation(const FollowedCall& call, const CUpti_CallbackData& data);
    /// What is known about the functions of modules is no longer so.
    void forgetHandles();
    /// Writes a context to the spool, because copies may use it although no kernel does.
    void noteContext(CUcontext handle);
    /// Adds a launch to the open measured ranges.
    void followLaunch(CUcontext handle, const Context& context, const Launched& launched,
                      const std::string& path);
    /// Writes down the buffers among the arguments of the calling thread's current launch.
    void recordArguments();
    /// A copy or memset succeeded: `address` is what it wrote to, if that is known.
    void memoryWritten(std::optional<CUdeviceptr> address);
    /// Makes sure that counters are on in the current context while a graph is captured,
    /// instantiated or changed: otherwise its kernels could not be measured.
    void prepareForGraphs();
    void issueOnce(const Issue& issue);
    /// Reports that a launch stopped waiting for its turn.
    void turnInVain(const LaunchTurns::Turn& turn);

    const CuptiApi* m_cupti = nullptr;
    const DriverApi* m_driver = nullptr;
    CUpti_SubscriberHandle m_subscriber = nullptr;
    int m_pid = 0;
    std::string m_folder;  ///< of the run configuration and the spool
    bool m_late = false;   ///< begin() was called, perhaps long after the program began
    std::string m_refused, m_refusedAdvice;  ///< why nothing is recorded
    OpenCounters m_openCounters;
    RunConfiguration m_configuration;
    SpoolWriter m_spool;
    std::optional<LaunchChoice> m_choice;
    std::optional<CountingFirst> m_countingFirst;  ///< only in a run that counts, then times
    std::atomic<bool> m_timesNow{false};           ///< such a run has counted enough
    std::optional<CallLog> m_calls;                ///< only where the CPU's calls are followed
    std::optional<KernelTable> m_kernels;          ///< with the next two: empty without a driver
    std::optional<GraphTable> m_graphs;
    std::optional<ArgumentLog> m_arguments;
    std::optional<CallSites> m_sites;            ///< only where call sites are noted
    std::optional<CopiedContents> m_contents;    ///< where m_sites is
    std::optional<SourceSession> m_source;       ///< only in a source run
    std::optional<SamplingSession> m_sampling;   ///< only in a run for stall samples
    std::optional<OverTimeSession> m_overTime;   ///< only in a run that samples launches over time
    std::optional<RangeTracker> m_rangeTracker;  ///< only where ranges are followed
    LaunchTurns m_turns;
    /// Guards the members below. Always locked with a time limit: the driver may call back while it
    /// holds locks of its own.
    std::timed_mutex m_state;
    MissedEvents m_missed;
    NvtxEvents m_nvtx;
    std::atomic<int> m_openCaptures{0};
    std::atomic<bool> m_done{false};  ///< finish() was called: nothing more is recorded
    bool m_tracing = false;           ///< startTracing() was called
    CallTimes m_callTimes;            ///< of launch calls that are traced
    std::uint64_t m_autotuningLaunches = 0, m_unchosenLaunches = 0;  ///< left out of the profile
    std::atomic<bool> m_waited{false};  ///< a thread waited for the GPU since the last launch
    std::atomic<bool> m_asked{false};   ///< or asked it to be done, even if it was
    std::uint64_t m_nextSequence = 0;
    std::map<CUcontext, Context> m_contexts;
    std::map<CUdevice, std::uint32_t> m_devices;
    std::unordered_map<std::string, std::uint32_t> m_ranges;
    std::map<std::pair<CUstream, std::uint64_t>, std::uint32_t> m_streams;  ///< with thread
    PinnedMemory m_pinned;  ///< only in a timing run
    std::map<std::string, bool> m_issued;
    /// In a timing run, writes what waits, so that the threads that launch need not.
    Background m_background;
};

}  // namespace roofscope::inject
