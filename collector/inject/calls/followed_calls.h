// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "collector/cupti/cupti_api.h"
#include "profile/model/timeline.h"

namespace roofscope::inject {

/// A function of the driver whose calls the timeline holds. Those of the runtime (cudaMalloc) reach
/// the driver by one of these.
struct FollowedCall {
    CUpti_CallbackId id;
    const char* name;  ///< "cuMemAlloc", without the version that id has
    CallKind kind;
};

[[nodiscard]] std::span<const FollowedCall> followedCalls();
/// nullptr for a function that is not followed.
/// Whether the call makes memory that kernels can be given, or takes it away.
[[nodiscard]] inline bool changesAllocations(const FollowedCall& call) {
    return call.kind == CallKind::Allocate || call.kind == CallKind::Free;
}
[[nodiscard]] const FollowedCall* followedCall(CUpti_CallbackId id);

}  // namespace roofscope::inject
