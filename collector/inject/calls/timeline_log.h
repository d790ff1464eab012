// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "collector/inject/calls/call_log.h"
#include "collector/inject/sampling/early_sampler.h"

namespace roofscope::inject {

/// The CPU's side of the timeline. There is no CallLog until a measurement of times wants one.
/// After that, the same one is switched on and off, so that threads and names keep their numbers.
/// Callers serialise calls, except those of log().
class TimelineLog {
public:
    TimelineLog(const CuptiApi& cupti, SpoolWriter& spool)
        : m_cupti(cupti), m_spool(spool), m_early(early::take()) {}

    /// Prepares the timeline that `timing` wants, if any. The detail of the first one stays.
    void prepare(const TimingMode& timing);
    /// Begins to record what prepare() was called for.
    void start();
    void stop();
    /// Samples the CPU without recording the timeline, if prepare() was called for both. start()
    /// goes on with it; stopSampling() pauses it until then.
    void startSampling();
    void stopSampling();
    /// Ends sampling the CPU, and writes what was seen. Call it once, at the end.
    void finishSamples();
    /// nullptr while there is none. Thread-safe.
    [[nodiscard]] CallLog* log() const { return m_log.load(std::memory_order_acquire); }

private:
    const CuptiApi& m_cupti;
    SpoolWriter& m_spool;
    TimelineDetail m_detail = TimelineDetail::Off;
    bool m_written = false;  ///< the spool says which parts the timeline has
    /// What was sampled until now, for m_sampler to go on with.
    std::unique_ptr<CpuSampler> m_early;
    /// Null if the CPU is not to be sampled.
    std::unique_ptr<CpuSampler> m_sampler;
    std::unique_ptr<CallLog> m_owned;
    std::atomic<CallLog*> m_log{nullptr};
};

}  // namespace roofscope::inject
