// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/nvtx_events.h"

// CUPTI passes the arguments of NVTX calls as these structs.
#include <generated_nvtx_meta.h>

namespace roofscope::inject {
namespace {

constexpr const char* kUnnamed = "(unnamed range)";
/// Limits the memory for a program that keeps registering strings.
constexpr std::size_t kMostStrings = 100'000;

std::uintptr_t numberOf(nvtxDomainHandle_t domain) {
    return reinterpret_cast<std::uintptr_t>(domain);
}

}  // namespace

std::string NvtxEvents::message(const nvtxEventAttributes_v2* attributes) {
    if (!attributes) return kUnnamed;
    if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII && attributes->message.ascii)
        return attributes->message.ascii;
    if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        const std::lock_guard lock(m_mutex);
        if (const auto it = m_strings.find(attributes->message.registered); it != m_strings.end())
            return it->second;
    }
    return kUnnamed;
}

std::optional<NvtxEvent> NvtxEvents::read(CUpti_CallbackId id, const CUpti_NvtxData& data) {
    // nvtxRangePushW has no case: CUPTI 13.0 does not deliver it (only its pop).
    const void* params = data.functionParams;
    switch (id) {
        case CUPTI_CBID_NVTX_nvtxRangePushA: {
            const auto* p = static_cast<const nvtxRangePushA_params*>(params);
            return NvtxEvent{.pushed = p->message ? p->message : kUnnamed};
        }
        case CUPTI_CBID_NVTX_nvtxRangePushEx:
            return NvtxEvent{
                .pushed = message(static_cast<const nvtxRangePushEx_params*>(params)->eventAttrib)};
        case CUPTI_CBID_NVTX_nvtxDomainRangePushEx: {
            const auto* p = static_cast<const nvtxDomainRangePushEx_params*>(params);
            return NvtxEvent{.domain = numberOf(p->domain), .pushed = message(p->core.eventAttrib)};
        }
        case CUPTI_CBID_NVTX_nvtxRangePop:
            return NvtxEvent{};
        case CUPTI_CBID_NVTX_nvtxDomainRangePop:
            return NvtxEvent{
                .domain = numberOf(static_cast<const nvtxDomainRangePop_params*>(params)->domain)};
        case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA: {
            const auto* p = static_cast<const nvtxDomainRegisterStringA_params*>(params);
            const auto* handle = static_cast<const nvtxStringHandle_t*>(data.functionReturnValue);
            const std::lock_guard lock(m_mutex);
            if (handle && *handle && p->string && m_strings.size() < kMostStrings)
                m_strings[*handle] = p->string;
            return {};
        }
        default:
            return {};
    }
}

}  // namespace roofscope::inject
