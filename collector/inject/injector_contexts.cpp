// SPDX-License-Identifier: Apache-2.0
/// CUDA contexts: which GPU each is on, and its session of counters.
#include "collector/configuration/held_memory.h"
#include "collector/inject/injector.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"
#include "collector/inject/sessions/context_device.h"

namespace roofscope::inject {

Injector::Context* Injector::context(CUcontext handle) {
    if (const auto it = m_contexts.find(handle); it != m_contexts.end()) return &it->second;
    const auto found = deviceOf(*m_driver, handle);
    if (!found) {
        issueOnce({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "device-unknown",
                   .message = "the driver does not say which GPU a CUDA context is on: its "
                              "launches are not in this profile"});
        return nullptr;
    }
    const CUdevice device = *found;
    Context& context = m_contexts[handle];
    const bool newDevice = !m_devices.contains(device);
    context.device = deviceId(device);
    context.ordinal = static_cast<std::uint32_t>(device);
    context.handle = device;
    context.facts = deviceFacts(*m_cupti, *m_driver, device);
    if (newDevice) m_spool.device(context.device, context.facts, context.ordinal);
    const bool replayed = counting() && m_counters.replay == CountersMode::Replay::Kernel;
    if (m_configuration.flushCaches && !m_source && !replayed)
        context.flush.emplace(*m_driver, context.facts.l2Bytes);
    return &context;
}

std::uint32_t Injector::deviceId(CUdevice device) {
    const auto [it, isNew] = m_devices.try_emplace(device, m_devices.size());
    return it->second;
}

void Injector::openCounters(CUcontext handle, Context& context) {
    if (!counting() || std::exchange(context.countersAsked, true)) return;
    LaunchTracker::Options options;
    options.started = options.now();
    if (m_counters.replay == CountersMode::Replay::Multiplex) options.enough = m_counters.perKernel;
    auto session = m_openCounters(*m_cupti, handle, context.handle, m_counters, context.facts,
                                  [&](Issue issue) { issueOnce(issue); });
    if (!session) return countersRefused(session.error());
    if (m_countingFirst) m_countingFirst->opened(Clock::now() - *options.started);
    context.tracker = std::make_unique<LaunchTracker>(context.device, std::move(*session), m_spool,
                                                      std::move(options));
}

bool Injector::tooMuchToSave() const {
    HeldMemory held{.pinnedBytes = m_pinned.most()};
    std::size_t free = 0, total = 0;
    if (m_driver->cuMemGetInfo && m_driver->cuMemGetInfo(&free, &total) == CUDA_SUCCESS) {
        held.bytes = total - free;
        held.freeBytes = free;
    }
    return roofscope::tooMuchToSave(held);
}

void Injector::timeIfEnoughIsCounted() {
    // Not beside a launch of another thread, which was prepared for counters, nor while a compiler
    // tries out kernels.
    if (!m_countingFirst->enough() || !openLaunch().locked || m_openCaptures > 0 || compilerRuns())
        return;
    // Following the program's lines and operators would lengthen what is timed.
    if (!leavePython()) return;
    for (auto& [handle, context] : m_contexts) {
        if (context.tracker) context.tracker->finish();
        context.tracker.reset();
    }
    if (m_sites) m_sites->finish();
    m_spool.timesNow(m_countingFirst->spent(), Clock::now(), m_countingFirst->loop());
    m_timesNow = true;
    startTracing();
}

void Injector::countersRefused(const Error& error) {
    issueOnce({.severity = Severity::Error,
               .source = "inject",
               .code = error.code == ErrorCode::NoPermission ? "counters-not-permitted"
                                                             : "counters-unavailable",
               .message = error.what,
               .advice = error.advice});
}

void Injector::abandon(CUcontext handle) {
    bool measured = m_rangeTracker && m_rangeTracker->contextLost(handle);
    if (const auto it = m_contexts.find(handle); it != m_contexts.end()) {
        // Never destroyed: its destructor would call CUPTI for a context that no longer exists.
        measured |= it->second.tracker.release() != nullptr;
        m_contexts.erase(it);
    }
    if (m_sampling) m_sampling->forget(handle);
    if (measured)
        issueOnce({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "context-lost",
                   .message = "a CUDA context was destroyed while another thread blocked the "
                              "recording: the counters of its last launches are lost"});
}

}  // namespace roofscope::inject
