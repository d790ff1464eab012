// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/inject/calls/followed_calls.h"
#include "collector/inject/launches/launched_kernels.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/sessions/context_table.h"

namespace roofscope::inject {

/// A launch call when its measurement begins: what it runs, and what was decided about it.
struct BegunLaunch {
    OpenLaunch& open;
    const KnownContext& context;
    const LaunchedKernels& launched;
    bool capturing = false;   ///< a stream is being captured
    bool autotuning = false;  ///< it is autotuning, which the selection leaves out
    bool anyRecorded = false, anyCounted = false;
    bool anyPeer = false;                         ///< a kernel waits for other processes
    std::optional<std::uint64_t> signature = {};  ///< of the last kernel, if that matters

    /// Whether the launch is a single kernel and the driver may be asked about it. Arguments of
    /// graph nodes are unknown, and the driver must not be asked during a capture.
    [[nodiscard]] bool single() const {
        return !launched.fromGraph && launched.kernels.size() == 1 && !capturing;
    }
    void countNone() {
        for (Decision& decision : open.decisions) decision.choice.counted = false;
        anyCounted = false;
    }
};

/// A launch call that returned successfully.
struct EndedLaunch {
    const OpenLaunch& open;
    CUcontext handle = nullptr;
    const KnownContext* context = nullptr;  ///< of the handle; nullptr: it is no longer known
};

/// One way of measuring launches: times, counters, samples. A process may use several, one
/// after the other (Measuring).
///
/// Order of calls: start(); wanted() when launches may be recorded; for each launch call begin(),
/// and when it returns end() or cancel(); finish() and writeRest(); stop() if the process goes on.
/// A launch call of another thread may end after finish(); end() then does nothing. All calls are
/// made with the recording's state locked, except where stated. No exception may leave a launch
/// half begun.
class LaunchMeasurement {
public:
    /// What the measurement needs from its surroundings; never changes.
    struct Demands {
        /// Threads launch one after the other, so that the order of what is measured is known.
        bool turns = true;
        bool launches = true;      ///< launches are recorded; otherwise only ranges are
        bool signatures = false;   ///< choose() needs them
        bool symbols = false;      ///< OpenLaunch::symbol
        bool writesLater = false;  ///< lines of launches may wait to be written
        bool callSites = false;    ///< called() gets followed calls
        bool sitesOnly = false;    ///< of a launch only the call site is needed
        bool code = false;         ///< codeLoaded() gets modules
        bool rounds = false;       ///< roundBegan() gets the program's outermost ranges
        bool counters = false;     ///< it reads counters of many launches
    };

    explicit LaunchMeasurement(const Demands& demands) : m_demands(demands) {}
    virtual ~LaunchMeasurement() = default;
    LaunchMeasurement(const LaunchMeasurement&) = delete;
    LaunchMeasurement& operator=(const LaunchMeasurement&) = delete;

    [[nodiscard]] const Demands& demands() const { return m_demands; }

    /// Whether all launches that this run is for were measured, so that the process may end soon.
    /// May be called from any thread, without a lock.
    [[nodiscard]] bool hasAll() const { return m_hasAll.load(std::memory_order_acquire); }
    /// After hasAll(): whether the process may end now. From any thread, without a lock.
    [[nodiscard]] virtual bool hasEnough() { return true; }

    /// From now on, launches are passed to this measurement.
    virtual void start() {}
    /// Launches may be recorded from now on. Start here whatever costs time at every launch. May be
    /// called several times.
    virtual void wanted() {}
    /// The mode that the process should change to before the launch that is about to begin; empty:
    /// no change. Called while the calling thread has its turn, or goes on without one.
    [[nodiscard]] virtual std::optional<RunConfiguration::Mode> next() { return {}; }
    /// Delivers the measurements of launches; nothing is measured after that.
    virtual void finish() {}
    /// Called after finish(): writes the remaining data. Called without any lock if the process
    /// ends.
    virtual void writeRest() {}
    /// Called after writeRest() if the process goes on: switches off what was switched on.
    virtual void stop() {}

    /// Whether the next launch of this signature is recorded and counted. Called once for each
    /// launch that the selection lets through.
    [[nodiscard]] virtual Choice choose(std::uint64_t signature) = 0;
    /// A launch is about to be issued. The measurement may decide not to count it. False: end()
    /// need not be called if nothing of the launch is recorded.
    virtual bool begin(BegunLaunch& launch) = 0;
    /// Whether such launches get times from CUPTI.
    [[nodiscard]] virtual bool times(const Choice& choice) const = 0;
    /// A kernel of the launch was written to the spool, under this number.
    virtual void recorded(std::uint32_t /*kernel*/, const LaunchShape& /*shape*/) {}
    virtual void end(const EndedLaunch& /*launch*/) {}
    /// The driver refused the launch.
    virtual void cancel(CUcontext /*context*/) {}

    /// Whether the durations of launch calls are wanted. Called from any thread, without a lock.
    [[nodiscard]] virtual bool tracesCalls() const { return false; }
    /// A launch call took this long. Called without a lock.
    virtual void callTook(std::chrono::nanoseconds /*took*/) {}

    /// A context is about to end, but can still be used.
    virtual void contextEnds(CUcontext /*context*/) {}
    /// A context was destroyed without contextEnds(): CUPTI must not be called for it. Returns
    /// whether measurements are lost with it.
    virtual bool contextLost(CUcontext /*context*/) { return false; }
    /// No launch is in progress or waits to be issued: pending results may be delivered.
    virtual void idle(CUcontext /*context*/) {}
    /// Whether kernels of a graph that is created now can be measured when it is launched.
    [[nodiscard]] virtual bool readyForGraphs(CUcontext /*context*/) const { return true; }
    /// Makes readyForGraphs() true. No other thread launches meanwhile.
    virtual void prepareForGraphs(const KnownContext& /*context*/) {}
    /// The program uses CUDA graphs.
    virtual void graphSeen() {}
    /// A kernel that waits for other processes is launched.
    virtual void peerSeen() {}
    /// The program began an outermost range.
    virtual void roundBegan(const std::string& /*name*/) {}

    /// A followed call begins or returns. Called from any thread, without a lock.
    virtual void called(const FollowedCall& /*call*/, CUpti_CallbackId /*id*/,
                        const CUpti_CallbackData& /*data*/) {}
    /// A module was loaded. Called from any thread, without a lock.
    virtual void codeLoaded(const void* /*cubin*/, std::size_t /*bytes*/) {}

protected:
    /// Makes hasAll() true.
    void setHasAll() { m_hasAll.store(true, std::memory_order_release); }

private:
    Demands m_demands;
    std::atomic<bool> m_hasAll{false};
};

}  // namespace roofscope::inject
