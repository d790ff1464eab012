// SPDX-License-Identifier: Apache-2.0
// Measures for idle_overhead.py what CUPTI itself costs in a timing run: an injected library with
// the same driver callbacks as roofscope's and the same CUPTI records, which ignores both.
// EMPTY_INJECTION: a list of "callbacks", "launches" (callbacks of launches only), "records",
// "subscribed" (nothing else).
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/calls/followed_calls.h"

namespace {

using namespace roofscope;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

void CUPTIAPI request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
    *buffer = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
    *bytes = *buffer ? kBufferBytes : 0;
    *most = 0;
}
void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
    std::free(buffer);
}
void CUPTIAPI nothing(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    const char* asked = std::getenv("EMPTY_INJECTION");
    const std::string_view parts = asked ? asked : "";
    const CuptiApi* cupti = CuptiApi::load(nullptr, CuptiUse::Tracing);
    if (!cupti) return 1;
    if (parts.find("records") != parts.npos) {
        cupti->ActivityRegisterCallbacks(request, complete);
        for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET})
            cupti->ActivityEnable(kind);
    }
    const bool all = parts.find("callbacks") != parts.npos;
    const bool launches = parts.find("launches") != parts.npos;
    if (all || launches || parts.find("subscribed") != parts.npos) {
        static CUpti_SubscriberHandle subscriber = nullptr;
        CUpti_SubscriberParams params{};
        params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
        params.subscriberName = "empty injection";
        if (cupti->Subscribe_v2(&subscriber, nothing, nullptr, &params) == CUPTI_SUCCESS)
            for (const inject::FollowedCall& call : inject::followedCalls())
                if (all || (launches && call.kind == CallKind::Launch))
                    cupti->EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call.id);
    }
    return 1;
}
