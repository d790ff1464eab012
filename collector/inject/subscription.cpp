// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/subscription.h"

#include <fmt/format.h>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"

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
