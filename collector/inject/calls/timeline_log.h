// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "collector/inject/calls/call_log.h"
#include "collector/inject/sampling/early_sampler.h"

namespace roofscope::inject {

/// The CPU's side of the timeline. The CallLog is created when the first measurement needs it.
/// After that it is only switched on and off, so that threads and names keep their numbers. Callers
/// serialise calls, except those of log().
class TimelineLog {
public:
    TimelineLog(const CuptiApi& cupti, SpoolWriter& spool)
        : m_cupti(cupti), m_spool(spool), m_early(early::take()) {}

    /// Prepares the timeline that `timing` asks for, if any. The detail of the first call stays.
    void prepare(const TimingMode& timing);
    /// Begins to record what prepare() prepared.
    void start();
    void stop();
    /// Samples the CPU without recording the timeline, if prepare() prepared both. stopSampling()
    /// pauses sampling; start() resumes it.
    void startSampling();
    void stopSampling();
    /// Ends sampling the CPU and writes the samples. Call it once, at the end.
    void finishSamples();
    /// nullptr until prepare() has created it. Thread-safe.
    [[nodiscard]] CallLog* log() const { return m_log.load(std::memory_order_acquire); }

private:
    const CuptiApi& m_cupti;
    SpoolWriter& m_spool;
    TimelineDetail m_detail = TimelineDetail::Off;
    bool m_written = false;  ///< the parts of the timeline have been written to the spool
    /// The sampler that has run since before CUDA was used; prepare() moves it to m_sampler.
    std::unique_ptr<CpuSampler> m_early;
    /// Null if the CPU is not to be sampled.
    std::unique_ptr<CpuSampler> m_sampler;
    std::unique_ptr<CallLog> m_owned;
    std::atomic<CallLog*> m_log{nullptr};
};

}  // namespace roofscope::inject
