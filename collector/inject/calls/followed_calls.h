// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "collector/cupti/cupti_api.h"
#include "profile/model/timeline.h"

namespace roofscope::inject {

/// A driver function whose calls appear in the timeline. Runtime functions (such as cudaMalloc)
/// call the driver through one of these.
struct FollowedCall {
    CUpti_CallbackId id;
    const char* name;  ///< "cuMemAlloc", without the version suffix of `id`
    CallKind kind;
};

[[nodiscard]] std::span<const FollowedCall> followedCalls();
/// Whether the call allocates or frees memory that kernels can use.
[[nodiscard]] inline bool changesAllocations(const FollowedCall& call) {
    return call.kind == CallKind::Allocate || call.kind == CallKind::Free;
}
/// nullptr for a function that is not followed.
[[nodiscard]] const FollowedCall* followedCall(CUpti_CallbackId id);

}  // namespace roofscope::inject
