// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recording/graph_follower.h"

#include <mutex>

#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {
namespace {

/// How long creating a graph waits for another thread's launch if threads do not take turns.
constexpr auto kLaunchWaitAgain = std::chrono::milliseconds(50);

}  // namespace

void GraphFollower::captureBegins() {
    prepare();
    // Do not let a capture begin during another thread's launch: that launch may be replayed, which
    // would invalidate the capture. The capture must count as open before other threads get their
    // turn.
    std::unique_lock launches(m_recording.turns, std::defer_lock);
    if (m_recording.measuring.current().demands().turns && !openLaunch().locked)
        (void)launches.try_lock_for(m_recording.turns.overlap()
                                        ? Clock::duration(kLaunchWaitAgain)
                                        : Clock::duration(StateLock::kPatience));
    m_recording.captures.began();
}

void GraphFollower::captureBegan() {
    Recording::usesGraphs = true;
    if (const auto state = m_recording.state.take(); state.owns_lock())
        m_recording.measuring.current().graphSeen();
}

void GraphFollower::created(const CUpti_GraphData& graph) {
    Recording::usesGraphs = true;
    const auto state = m_recording.state.take();
    if (!state.owns_lock()) return;
    m_recording.measuring.current().graphSeen();
    m_recording.graphs.created(graph, m_recording.measuring.before());
}

void GraphFollower::destroyed(CUgraphExec handle) {
    if (const auto state = m_recording.state.take(); state.owns_lock())
        m_recording.graphs.destroyed(handle);
}

void GraphFollower::changed(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (const auto state = m_recording.state.take(); state.owns_lock())
        m_recording.graphs.changed(id, data);
}

void GraphFollower::prepare() {
    Recording& r = m_recording;
    CUcontext current = nullptr;
    if (r.captures.open() || r.driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current) return;
    {
        const auto state = r.state.take();
        if (!state.owns_lock() || r.done) return;
        const KnownContext* const context = r.contexts.context(current);
        if (!context || !r.filter.wantsDevice(context->ordinal)) return;
        r.measuring.current().wanted();
        if (r.measuring.current().readyForGraphs(current)) return;
    }
    // Not during another thread's launch, which was prepared for the session's current state
    // (running or paused).
    std::unique_lock launches(r.turns, std::defer_lock);
    const auto patience = r.turns.overlap() ? Clock::duration(kLaunchWaitAgain)
                                            : Clock::duration(StateLock::kPatience);
    const bool inTime = openLaunch().locked || launches.try_lock_for(patience);
    const auto state = r.state.take();
    if (!state.owns_lock() || r.done || r.captures.open()) return;
    if (!inTime)
        return r.issues.once({.severity = Severity::DataLoss,
                              .source = "inject",
                              .code = "graph-not-prepared",
                              .message = "a CUDA graph was created during another thread's launch: "
                                         "its kernels may have no counters",
                              .advice = "profile one thread at a time"});
    if (const KnownContext* const context = r.contexts.context(current))
        r.measuring.current().prepareForGraphs(*context);
}

}  // namespace roofscope::inject
