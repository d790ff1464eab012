// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    bool autotuning = false;  ///< it is one of those that are left out
    bool anyRecorded = false, anyCounted = false;
    bool anyPeer = false;                         ///< a kernel waits for other processes
    std::optional<std::uint64_t> signature = {};  ///< of the last kernel, where that matters

    /// Whether it is one kernel by itself. Arguments of graph nodes are unknown, and during a
    /// capture the driver is not asked.
    [[nodiscard]] bool single() const {
        return !launched.fromGraph && launched.kernels.size() == 1 && !capturing;
    }
    void countNone() {
        for (Decision& decision : open.decisions) decision.choice.counted = false;
        anyCounted = false;
    }
};

/// A launch call that came back with success.
struct EndedLaunch {
    const OpenLaunch& open;
    CUcontext handle = nullptr;
    const KnownContext* context = nullptr;  ///< of the handle; nullptr: it is not known any more
};

/// One way of measuring launches: times, counters, samples. A process may have several, one after
/// the other (Measuring).
///
/// Life: start(), then wanted() when launches may be recorded; a begin() for each launch call with
/// end() or cancel() when it comes back; finish() and writeRest(), and stop() if the process goes
/// on. A launch call may end after finish(), if another thread made it: that does nothing. All
/// calls are made with the state of the recording locked, but for those that say otherwise. Nothing
/// may be thrown that leaves a launch half begun.
class LaunchMeasurement {
public:
    /// What it asks of its surroundings; never changes.
    struct Demands {
        /// Threads launch one after the other, so that the order of what is measured is known.
        bool turns = true;
        bool launches = true;      ///< launches are recorded; otherwise only ranges are
        bool signatures = false;   ///< choose() needs them
        bool symbols = false;      ///< OpenLaunch::symbol
        bool writesLater = false;  ///< lines of launches may wait to be written
        bool callSites = false;    ///< followed calls: called()
        bool code = false;         ///< what is loaded: codeLoaded()
        bool rounds = false;       ///< the program's outermost ranges: roundBegan()
        bool counters = false;     ///< counters of many launches are read
    };

    explicit LaunchMeasurement(const Demands& demands) : m_demands(demands) {}
    virtual ~LaunchMeasurement() = default;
    LaunchMeasurement(const LaunchMeasurement&) = delete;
    LaunchMeasurement& operator=(const LaunchMeasurement&) = delete;

    [[nodiscard]] const Demands& demands() const { return m_demands; }

    /// It is the one that launches meet from now on.
    virtual void start() {}
    /// Launches may be recorded from now on. Whatever costs every launch begins here. May be called
    /// several times.
    virtual void wanted() {}
    /// How the process is to go on instead, before the launch that is about to begin; empty: as it
    /// is. Called while the calling thread has its turn, or goes without.
    [[nodiscard]] virtual std::optional<RunConfiguration::Mode> next() { return {}; }
    /// Hands over what was measured of launches; nothing is measured any more.
    virtual void finish() {}
    /// After finish(): writes what it gathered besides. Without any lock when the process ends.
    virtual void writeRest() {}
    /// After that, if the process goes on: gives back what it switched on.
    virtual void stop() {}

    /// Whether the next launch of this signature is recorded and counted, once the selection of
    /// launches lets it through. Once for each.
    [[nodiscard]] virtual Choice choose(std::uint64_t signature) = 0;
    /// A launch is about to be issued. It may decide that none of it is counted. False: it need not
    /// end() here if nothing of it is recorded.
    virtual bool begin(BegunLaunch& launch) = 0;
    /// Whether CUPTI's times are to be joined to such a launch.
    [[nodiscard]] virtual bool times(const Choice& choice) const = 0;
    /// A kernel of the launch was written to the spool, under this number.
    virtual void recorded(std::uint32_t /*kernel*/) {}
    virtual void end(const EndedLaunch& /*launch*/) {}
    /// The driver refused the launch.
    virtual void cancel(CUcontext /*context*/) {}

    /// Whether the time that launch calls take is of interest. From any thread, without a lock.
    [[nodiscard]] virtual bool tracesCalls() const { return false; }
    /// A launch call took so long, without a lock.
    virtual void callTook(std::chrono::nanoseconds /*took*/) {}

    /// A context ends, while it can still be used.
    virtual void contextEnds(CUcontext /*context*/) {}
    /// A context was destroyed before anybody could act: CUPTI must not be called for it. Whether
    /// anything measured is lost with it.
    virtual bool contextLost(CUcontext /*context*/) { return false; }
    /// No launch is in progress, and none waits to be issued: what is pending may be handed over.
    virtual void idle(CUcontext /*context*/) {}
    /// Whether kernels of a graph that is created now can be measured when it is launched.
    [[nodiscard]] virtual bool readyForGraphs(CUcontext /*context*/) const { return true; }
    /// Makes it so. No other thread launches meanwhile.
    virtual void prepareForGraphs(const KnownContext& /*context*/) {}
    /// There are CUDA graphs.
    virtual void graphSeen() {}
    /// A kernel is launched that waits for other processes.
    virtual void peerSeen() {}
    /// The program began a range that no other encloses.
    virtual void roundBegan(const std::string& /*name*/) {}

    /// A followed call enters or comes back. From any thread, without a lock.
    virtual void called(const FollowedCall& /*call*/, CUpti_CallbackId /*id*/,
                        const CUpti_CallbackData& /*data*/) {}
    /// A module was loaded. From any thread, without a lock.
    virtual void codeLoaded(const void* /*cubin*/, std::size_t /*bytes*/) {}

private:
    Demands m_demands;
};

}  // namespace roofscope::inject
