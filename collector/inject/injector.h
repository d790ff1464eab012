// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/recording/graph_follower.h"
#include "collector/inject/recording/launch_recorder.h"
#include "collector/inject/recording/range_recorder.h"
#include "collector/inject/recording/recording.h"
#include "collector/inject/sessions/cupti_session.h"
#include "collector/inject/subscription.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// The injected library in the profiled process: subscribes to CUPTI and passes its callbacks to
/// their handlers. Normally created once; it lives until the process ends. A process that measures
/// its own functions creates one for each measured call.
///
/// Nothing here throws across a callback, ends the host, or writes to its output.
class Injector {
public:
    using OpenCounters = inject::OpenCounters;

    /// Subscribes to CUPTI. Every failure becomes an issue in the spool, and the program runs on.
    /// Does nothing without a run configuration and a writable spool, because nobody would read the
    /// data: the process outlives its run, started after it, or lacks its environment or
    /// permissions. Tests pass their own `openCounters`.
    static void attach(OpenCounters openCounters = CuptiSession::open);
    /// Records this process into `folder` from now on; the folder holds the run configuration.
    /// The process may have used CUDA before. Only one recording at a time. An error means
    /// that nothing is recorded.
    static Result<void> begin(const std::string& folder, OpenCounters open = CuptiSession::open);
    /// Like begin(), but launches are only counted until goOn() is called with the returned mode:
    /// the run configuration's, which must be a TimingMode. The caller must end the recording
    /// before the process ends.
    static Result<TimingMode> beginResting(const std::string& folder);
    /// Ends a recording that begin() began: writes everything and leaves the process as it was
    /// before. Call it after the GPU has finished the work to be measured.
    static void end();
    /// Like end(), and makes CUPTI leave the process, because what it put into the driver would
    /// slow down each launch. False if CUPTI stays, without callbacks: a program that uses CUDA
    /// graphs would crash without it. `quickly`: the process is about to end, so only end the
    /// recording.
    static bool leave(bool quickly);
    /// Whether the environment names a folder with a run configuration that can be read.
    [[nodiscard]] static bool configured();
    /// The injector of this process; nullptr before attach(), without a run configuration, and in
    /// forked children.
    static Injector* instance();

    /// Changes to another way of measuring, between two launches. False if that is not
    /// possible now (Recording::goOn()).
    bool goOn(const RunConfiguration::Mode& mode);
    /// Stops recording launches. Earlier launches are still timed, until goOn().
    void hold();
    /// Undoes hold().
    void release();
    /// During a rest: makes CUPTI leave if possible (see leave()), and subscribes again. False if
    /// that failed; launches are then no longer counted.
    bool renew();
    /// Writes everything and the end line; later callbacks are ignored.
    void finish();
    /// A range of one of our own domains begins or ends on the calling thread.
    void pushRange(std::uintptr_t domain, std::string name);
    void popRange(std::uintptr_t domain);
    /// Handles an NVTX call that begins or ends a range of the program, like CUPTI's callback does
    /// (nvtx::RangeHandler).
    static void rangeCalled(CUpti_CallbackId id, const void* parameters);
    /// Reports an issue, once.
    void report(const Issue& issue);

private:
    /// The handlers of callbacks, and what they share.
    struct Handlers {
        Handlers(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                 std::string folder, const RunConfiguration& configuration,
                 OpenCounters openCounters, bool late)
            : recording(cupti, driver, spool, std::move(folder), configuration,
                        std::move(openCounters), late) {}

        Recording recording;
        LaunchRecorder launches{recording};
        GraphFollower graphs{recording};
        RangeRecorder ranges{recording};
    };

    Injector(std::string folder, RunConfiguration configuration, OpenCounters openCounters,
             bool late);
    /// Implements end(). Returns whether no callback is running any more and CUPTI may leave the
    /// process.
    static bool endRecording();
    /// Begins recording this process, which is already running.
    static Result<void> begin(Injector* injector, const std::string& folder);
    /// Makes `injector` this process's injector. False if that is not possible.
    static bool install(Injector* injector);
    /// Makes finish() run at exit. Call it only after CUPTI was loaded, because CUPTI's exit
    /// handlers must run later.
    static void finishAtExit();
    /// Loads driver and CUPTI, subscribes, and begins recording.
    bool subscribe();
    /// Writes the issue that says why nothing is recorded in this process. Always false.
    bool refuse(const char* code, std::string message, std::string advice = {});
    /// The spool's first line: the process, its rank, driver and CUPTI.
    void writeProcess();
    void hookIntoPython() const;

    /// Ends the process soon if everything that this run is for has been measured
    /// (RunConfiguration::endsWith).
    void endIfDone();
    /// Ends the process as soon as that is allowed; runs on a thread of ours.
    void end(int exitCode);
    /// The callback that CUPTI calls.
    static void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                const void* data);
    void onDriverApi(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void dispatch(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void onResource(CUpti_CallbackId id, const CUpti_ResourceData& data);

    const CuptiApi* m_cupti = nullptr;
    const DriverApi* m_driver = nullptr;
    int m_pid = 0;
    std::string m_folder;  ///< folder of the run configuration and the spool
    bool m_late;           ///< begin() was called, perhaps long after the program began
    /// beginResting() was called: its caller ends the recording, not the exit of the process.
    bool m_endsBefore = false;
    std::string m_refused, m_refusedAdvice;  ///< why nothing is recorded
    OpenCounters m_openCounters;
    RunConfiguration m_configuration;
    SpoolWriter m_spool;
    std::atomic<bool> m_ends{false};       ///< endIfDone() waits for the moment to end the process
    std::atomic<bool> m_finished{false};   ///< measurements have been written, or are being written
    std::atomic<bool> m_written{false};    ///< end() has written the measurements
    std::atomic<bool> m_exits{false};      ///< the program ends by itself
    std::unique_ptr<Handlers> m_handlers;  ///< nullptr: nothing is recorded
    std::optional<Subscription> m_subscription;
};

}  // namespace roofscope::inject
