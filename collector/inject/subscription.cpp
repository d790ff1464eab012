// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/subscription.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/threads/detached_thread.h"

namespace roofscope::inject {

Result<Subscription> Subscription::take(const CuptiApi& cupti, CUpti_CallbackFunc callback) {
    char holder[256] = {};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "roofscope";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder - 1;
    CUpti_SubscriberHandle handle = nullptr;
    const CUptiResult result = cupti.Subscribe_v2(&handle, callback, nullptr, &params);
    if (result == CUPTI_SUCCESS) return Subscription(cupti, handle);
    return Error{.code = ErrorCode::Unavailable,
                 .what = fmt::format("CUPTI refused the subscription: {}{}{}",
                                     cupti.describe(result), *holder ? ", held by " : "", holder),
                 .advice = cuptiAdvice(result)};
}

namespace {

/// An attempt to subscribe, made in a thread of its own.
struct Attempt {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Result<Subscription>> result;
    bool abandoned = false;
};

/// Only one attempt at a time.
std::atomic<bool> g_attempting{false};

void attempt(Attempt& attempt, const CuptiApi& cupti, CUpti_CallbackFunc callback) {
    auto result = Subscription::take(cupti, callback);
    const std::lock_guard lock(attempt.mutex);
    if (attempt.abandoned && result) {
        result->giveUp();
        if (!Recording::usesGraphs) cupti.Finalize();
    }
    attempt.result = std::move(result);
    attempt.changed.notify_all();
    g_attempting = false;
}

}  // namespace

Result<Subscription> Subscription::takeWithin(std::chrono::milliseconds patience,
                                              const CuptiApi& cupti, CUpti_CallbackFunc callback) {
    const Error busy{.code = ErrorCode::Unavailable,
                     .what =
                         "CUPTI could not begin: the program's threads are in CUDA calls without "
                         "a pause",
                     .advice = "try again when there is less to do"};
    if (g_attempting.exchange(true)) return busy;
    const auto shared = std::make_shared<Attempt>();
    if (!startDetached("roofscope", [=, &cupti] { attempt(*shared, cupti, callback); })) {
        g_attempting = false;
        return Error{.code = ErrorCode::Unavailable, .what = "no further thread can be created"};
    }
    std::unique_lock lock(shared->mutex);
    if (shared->changed.wait_for(lock, patience, [&] { return shared->result.has_value(); }))
        return std::move(*shared->result);
    shared->abandoned = true;
    return busy;
}

bool Subscription::beingTaken() { return g_attempting; }

void Subscription::quiet() const {
    for (const auto domain :
         {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_NVTX})
        m_cupti->EnableDomain(0, m_handle, domain);
}

void Subscription::enable(const Recording& recording) const {
    const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
        m_cupti->EnableCallback(1, m_handle, domain, id);
    };
    const auto enableAll = [&](std::span<const CUpti_CallbackId> calls) {
        for (const auto id : calls) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    };
    enableAll(kLaunches);
    enableAll(kSynchronisations);
    enableAll(kCaptureBegins);
    enableAll(kCaptureEnds);
    enableAll(kGraphChanges);
    enableAll(kProfilerSwitches);
    enableAll(writesToFirstArgument());
    enableAll(writesElsewhere());
    enableAll(PinnedMemory::calls());
    enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload);
    const CallLog* const log = recording.timeline.log();
    const LaunchMeasurement::Demands& demands = recording.measuring.current().demands();
    for (const FollowedCall& call : followedCalls())
        if (demands.callSites || (log && log->follows(call)) || changesAllocations(call))
            enable(CUPTI_CB_DOMAIN_DRIVER_API, call.id);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
    if (demands.code || log) enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
    m_cupti->EnableDomain(1, m_handle, CUPTI_CB_DOMAIN_NVTX);
}

void Subscription::giveUp() const { m_cupti->Unsubscribe(m_handle); }

}  // namespace roofscope::inject
