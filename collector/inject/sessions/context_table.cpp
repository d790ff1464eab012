// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/context_table.h"

#include "collector/inject/sessions/context_device.h"

namespace roofscope::inject {

const KnownContext* ContextTable::context(CUcontext handle) {
    if (const auto it = m_contexts.find(handle); it != m_contexts.end()) return &it->second;
    const auto gpu = deviceOf(m_driver, handle);
    if (!gpu) {
        m_issues.once({.severity = Severity::DataLoss,
                       .source = "inject",
                       .code = "device-unknown",
                       .message = "the driver does not say which GPU a CUDA context is on: its "
                                  "launches are not in this profile"});
        return nullptr;
    }
    KnownContext& context = m_contexts[handle];
    const auto [device, isNew] =
        m_devices.try_emplace(*gpu, static_cast<std::uint32_t>(m_devices.size()));
    context = {.handle = handle,
               .gpu = *gpu,
               .device = device->second,
               .ordinal = static_cast<std::uint32_t>(*gpu),
               .facts = deviceFacts(m_cupti, m_driver, *gpu)};
    if (isNew) m_spool.device(context.device, context.facts, context.ordinal);
    return &context;
}

}  // namespace roofscope::inject
