// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/call_roles.h"

#include <array>
#include <span>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/calls/pinned_memory.h"

namespace roofscope::inject {
namespace {

using Roles = std::array<CallRole, CUPTI_DRIVER_TRACE_CBID_SIZE>;

Roles allRoles() {
    Roles roles{};
    const auto set = [&](std::span<const CUpti_CallbackId> calls, CallRole role) {
        for (const CUpti_CallbackId id : calls)
            if (roles[id] == CallRole::None) roles[id] = role;
    };
    set(kLaunches, CallRole::Launch);
    set(writesToFirstArgument(), CallRole::Write);
    set(writesElsewhere(), CallRole::WriteElsewhere);
    set(PinnedMemory::calls(), CallRole::Pinning);
    set(kGraphChanges, CallRole::GraphChange);
    set(kProfilerSwitches, CallRole::ProfilerSwitch);
    constexpr CUpti_CallbackId kUnload[] = {CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload};
    set(kUnload, CallRole::LibraryUnload);
    set(kSynchronisations, CallRole::Wait);
    set(kCaptureBegins, CallRole::CaptureBegin);
    set(kCaptureEnds, CallRole::CaptureEnd);
    return roles;
}

}  // namespace

CallRole roleOf(CUpti_CallbackId id) {
    static const Roles roles = allRoles();
    return id < roles.size() ? roles[id] : CallRole::None;
}

}  // namespace roofscope::inject
