// SPDX-License-Identifier: Apache-2.0
/// Calls of the driver other than launches, and what happens to CUDA's resources.
#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/injector.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"

namespace roofscope::inject {
namespace {

/// How long creating a graph waits for another thread's launch where threads do not take turns.
constexpr auto kLaunchWaitAgain = std::chrono::milliseconds(50);

/// A synchronisation that takes longer has waited for the GPU.
constexpr auto kRealWait = std::chrono::microseconds(5);

}  // namespace

void Injector::onDriverApi(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const Inside inside;
    const FollowedCall* const call = followedCall(id);
    if (m_sites && counting() && call && data.callbackSite == CUPTI_API_ENTER &&
        openLaunch().depth == 0 && !isOneOf(id, kLaunches) && !compilerRuns())
        m_sites->called(call->name);
    if (m_contents && counting() && call && call->kind == CallKind::Transfer) noteCopy(*call, data);
    if (call && changesAllocations(*call)) noteAllocation(*call, data);
    if (!call || !m_calls || !m_calls->follows(*call)) return driverCalled(id, data);
    if (data.callbackSite == CUPTI_API_ENTER) {
        m_calls->entering();
        driverCalled(id, data);
        m_calls->entered();
        return;
    }
    m_calls->left(*call, data.correlationId);
    driverCalled(id, data);
    if (call->kind == CallKind::Transfer) noteContext(data.context);
    if (!isOneOf(id, kLaunches)) m_spool.flushIfDue();
}

void Injector::driverCalled(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (isOneOf(id, kLaunches))
        launchCalled(id, data);
    else
        otherCalled(id, data);
}

void Injector::otherCalled(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const bool entering = data.callbackSite == CUPTI_API_ENTER;
    const BetweenLaunches ours;
    if (isOneOf(id, writesToFirstArgument())) {
        // Copies inside a launch are made by CUPTI, to restore memory.
        if (!entering && openLaunch().depth == 0 && succeeded(data))
            memoryWritten(static_cast<const cuMemcpy_params*>(data.functionParams)->dst);
    } else if (isOneOf(id, writesElsewhere())) {
        if (!entering && openLaunch().depth == 0 && succeeded(data)) memoryWritten({});
    } else if (isOneOf(id, PinnedMemory::calls())) {
        if (!entering && followsPinnedMemory() && succeeded(data))
            m_pinned.succeeded(id, data.functionParams);
    } else if (isOneOf(id, kGraphChanges)) {
        if (entering)
            prepareForGraphs();
        else if (const auto state = lockState(); state.owns_lock() && succeeded(data))
            m_graphs->changed(id, data);
    } else if (isOneOf(id, kProfilerSwitches)) {
        if (const auto state = lockState(); entering && state.owns_lock()) {
            m_choice->setActive(id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
            if (m_choice->active()) startTracing();
            if (m_calls) m_calls->profilerSwitched(m_choice->active());
        }
    } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) {
        if (!entering) return;
        if (const auto state = lockState(); state.owns_lock())
            forgetHandles();
        else
            m_missed.unload();
    } else if (isOneOf(id, kSynchronisations)) {
        if (entering)
            t_waiting = Clock::now();
        else if (t_launches && Clock::now() - t_waiting > kRealWait)
            m_waited = true;  // the next launch may be another thread's: autograd's
        if (!entering && openLaunch().depth == 0) m_asked = true;  // within launches CUPTI does
        if (!entering && !m_background.running()) m_spool.flush();
        if (!entering && m_openCaptures == 0) idle(data.context);
    } else if (isOneOf(id, kCaptureBegins)) {
        if (entering)
            prepareForGraphs();
        else if (succeeded(data)) {
            ++m_openCaptures;
            if (const auto state = lockState(); state.owns_lock() && m_countingFirst)
                m_countingFirst->onlyCount();
        }
    } else if (isOneOf(id, kCaptureEnds)) {
        // Ends even when it reports an invalidated capture; never below zero.
        if (!entering && m_openCaptures > 0) --m_openCaptures;
    }
}

void Injector::noteCopy(const FollowedCall& call, const CUpti_CallbackData& data) {
    // CUPTI copies within launches, to restore memory; what is captured is copied later.
    if (data.callbackSite != CUPTI_API_EXIT || openLaunch().depth > 0 || m_openCaptures > 0 ||
        !succeeded(data) || compilerRuns())
        return;
    if (const auto copy = m_contents->copied(call.id, data.functionParams, data.context))
        m_sites->copied(call.name, *copy);
}

void Injector::noteContext(CUcontext handle) {
    struct Noted {
        CUcontext last = nullptr;
    };
    CUcontext& last = perThread<Noted>().last;
    if (!handle || handle == last) return;
    if (const auto state = lockState(); state.owns_lock() && context(handle)) last = handle;
}

void Injector::memoryWritten(std::optional<CUdeviceptr> address) {
    m_arguments->written(address);
    if (!m_background.running()) m_arguments->resolve(false);
}

void Injector::noteAllocation(const FollowedCall& call, const CUpti_CallbackData& data) {
    if (data.callbackSite != CUPTI_API_ENTER)
        m_arguments->allocationsChanged();
    else if (call.kind == CallKind::Free && m_background.running())
        m_arguments->beforeFree(m_openCaptures == 0);
}

bool Injector::capturing(CUstream stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return m_driver->cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Injector::prepareForGraphs() {
    // Kernels of a graph that was instantiated before counters were on never yield ranges, and
    // kernels of a graph that is older than the tracing may not be timed.
    CUcontext current = nullptr;
    if (m_openCaptures > 0 || m_driver->cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
        return;
    const auto ready = [&](const Context& c) {
        return !counting() || (c.countersAsked && (!c.tracker || !c.tracker->paused()));
    };
    {
        const auto state = lockState();
        if (!state.owns_lock() || m_done) return;
        const Context* const context = this->context(current);
        if (!context || !m_choice->wantsDevice(context->ordinal)) return;
        startTracing();
        if (ready(*context)) return;
    }
    // Not during another thread's launch: it was prepared for the session as it is, running or
    // paused.
    std::unique_lock launches(m_turns, std::defer_lock);
    const auto patience = m_turns.overlap() ? Clock::duration(kLaunchWaitAgain) : kStateWait;
    const bool inTime = openLaunch().locked || launches.try_lock_for(patience);
    const auto state = lockState();
    if (!state.owns_lock() || m_done || m_openCaptures > 0) return;
    if (!inTime)
        return issueOnce({.severity = Severity::DataLoss,
                          .source = "inject",
                          .code = "graph-not-prepared",
                          .message = "a CUDA graph was created during another thread's launch: its "
                                     "kernels may have no counters",
                          .advice = "profile one thread at a time"});
    Context* const context = this->context(current);
    if (!context) return;
    openCounters(current, *context);
    if (context->tracker) context->tracker->resume();
}

void Injector::idle(CUcontext handle) {
    const std::unique_lock launches(m_turns, std::try_to_lock);
    if (!launches.owns_lock()) return;
    if (const auto state = lockState(); state.owns_lock())
        if (const auto it = m_contexts.find(handle); it != m_contexts.end() && it->second.tracker)
            it->second.tracker->idle();
}

void Injector::onResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
    const Inside inside;
    const BetweenLaunches ours;
    if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING) return prepareForGraphs();
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
        if (m_source && module) m_source->moduleLoaded(module->pCubin, module->cubinSize);
        if (m_calls) m_calls->codeLoaded();
        return;
    }
    const auto state = lockState();
    if (!state.owns_lock()) {
        if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) m_missed.context(data.context);
        if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) m_missed.unload();
        return;
    }
    if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING ||
        id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        // Their memory goes with them. The modules of a context are not unloaded one by one.
        if (m_background.running()) m_arguments->beforeFree(m_openCaptures == 0);
        m_arguments->allocationsChanged();
        forgetHandles();
    }
    if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) return;
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        if (m_rangeTracker) m_rangeTracker->contextEnds(data.context);
        if (const auto it = m_contexts.find(data.context); it != m_contexts.end()) {
            if (it->second.tracker) it->second.tracker->finish();
            m_contexts.erase(it);
        }
        if (m_sampling) m_sampling->close(data.context);
        return;
    }
    const auto* graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    if (!graph) return;
    if (m_countingFirst && id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
        m_countingFirst->onlyCount();
    if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
        m_graphs->created(*graph);
    else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING)
        m_graphs->destroyed(graph->graphExec);
}

}  // namespace roofscope::inject
