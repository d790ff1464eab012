// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/call_site_log.h"

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/operators.h"
#include "collector/inject/python/python_hooks.h"

namespace roofscope::inject {

void CallSiteLog::called(const FollowedCall& call, CUpti_CallbackId id,
                         const CUpti_CallbackData& data) {
    const bool entering = data.callbackSite == CUPTI_API_ENTER;
    if (entering && openLaunch().depth == 0 && !isOneOf(id, kLaunches) && !compilerRuns()) {
        if (call.kind == CallKind::Wait) operators::waits();
        if (!operators::searches()) m_sites.called(call.name);
    }
    if (!entering && call.kind == CallKind::Transfer && m_program == Program::IsRecorded)
        noteCopy(call, data);
}

void CallSiteLog::noteCopy(const FollowedCall& call, const CUpti_CallbackData& data) {
    // Copies inside a launch are CUPTI's own, which restores memory. Captured copies run later.
    if (openLaunch().depth > 0 || m_captures.open() || !succeeded(data) || compilerRuns()) return;
    if (const auto copy = m_contents.copied(call.id, data.functionParams, data.context))
        m_sites.copied(call.name, *copy);
}

}  // namespace roofscope::inject
