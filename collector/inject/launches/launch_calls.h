// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/cupti/cupti_api.h"
#include "collector/inject/launches/launch_request.h"

namespace roofscope::inject {

/// The launch that a driver call requests. Its stream is the real one: for calls of the per-thread
/// default stream, stream 0 is the calling thread's own.
[[nodiscard]] LaunchRequest launchRequest(CUpti_CallbackId id, const CUpti_CallbackData& data);

struct GraphLaunchRequest {
    CUgraphExec graph = nullptr;
    CUstream stream = nullptr;
};
[[nodiscard]] bool isGraphLaunch(CUpti_CallbackId id);
[[nodiscard]] GraphLaunchRequest graphLaunchRequest(CUpti_CallbackId id,
                                                    const CUpti_CallbackData& data);

}  // namespace roofscope::inject
