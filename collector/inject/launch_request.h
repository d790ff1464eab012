// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/cupti/cupti_api.h"
#include "collector/inject/kernel_facts.h"

namespace roofscope::inject {

/// What the launch functions of the driver are asked for. The stream is the real one: that of the
/// calling thread where a function of the per-thread default stream is given none.
[[nodiscard]] LaunchRequest launchRequest(CUpti_CallbackId id, const CUpti_CallbackData& data);

struct GraphLaunchRequest {
    CUgraphExec graph = nullptr;
    CUstream stream = nullptr;
};
[[nodiscard]] bool isGraphLaunch(CUpti_CallbackId id);
[[nodiscard]] GraphLaunchRequest graphLaunchRequest(CUpti_CallbackId id,
                                                    const CUpti_CallbackData& data);

}  // namespace roofscope::inject
