// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/timeline_log.h"

#include <utility>

namespace roofscope::inject {

void TimelineLog::prepare(const TimingMode& timing) {
    if (m_owned || timing.serial || timing.timeline == TimelineDetail::Off) return;
    m_detail = timing.timeline;
    CallLog::NewThread newThread;
    if (timing.samplesCpu()) {
        m_sampler = m_early ? std::move(m_early) : std::make_unique<CpuSampler>();
        m_sampler->useClock([this] { return m_owned->now(); });
        newThread = [this](std::uint32_t number, pid_t thread) {
            m_sampler->follow(number, thread);
        };
    }
    m_owned = std::make_unique<CallLog>(m_cupti, m_spool, m_detail, std::move(newThread));
    m_log.store(m_owned.get(), std::memory_order_release);
}

void TimelineLog::start() {
    if (!m_owned) return;
    if (!std::exchange(m_written, true)) {
        TimelineParts parts{.copies = true, .waits = true};
        if (m_detail == TimelineDetail::Full)
            for (const auto& [name, member] : kTimelineParts) parts.*member = true;
        m_spool.timeline(parts);
    }
    m_owned->start();
    startSampling();
}

void TimelineLog::stop() {
    if (m_owned) m_owned->stop();
    stopSampling();
}

void TimelineLog::startSampling() {
    if (m_sampler) (void)m_sampler->start();
}

void TimelineLog::stopSampling() {
    if (m_sampler) (void)m_sampler->stop();
}

void TimelineLog::finishSamples() {
    if (!m_sampler) return;
    if (!m_sampler->stop()) {
        (void)m_sampler.release();  // its thread hangs and still uses the sampler
        return;
    }
    const CpuSampler::Result result = m_sampler->result(
        [this](pid_t thread, bool worker) { return m_owned->addThread(thread, {}, worker); });
    if (!result.samples.empty()) {
        m_spool.cpuStacks(result.stacks);
        m_spool.cpuSamples(result.samples);
    }
    if (const std::string problem = m_sampler->problem(); !problem.empty())
        m_spool.issue({.severity = Severity::Info,
                       .source = "inject",
                       .code = "cpu-samples-limited",
                       .message = "what the CPU does was not sampled in full: " + problem});
}

}  // namespace roofscope::inject
