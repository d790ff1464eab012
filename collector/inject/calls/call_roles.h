// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/cupti/cupti_api.h"

namespace roofscope::inject {

/// What a driver function means to a recording. Each function has one role.
enum class CallRole : std::uint8_t {
    None,
    Launch,          ///< of a kernel or a graph
    Write,           ///< copies or sets memory at the address that is its first argument
    WriteElsewhere,  ///< the same, but its target is described in a structure
    Pinning,         ///< allocates, registers or frees page-locked memory
    GraphChange,     ///< changes an instantiated graph
    ProfilerSwitch,  ///< cuProfilerStart, cuProfilerStop
    LibraryUnload,
    Wait,  ///< waits for the GPU
    CaptureBegin,
    CaptureEnd,
};

[[nodiscard]] CallRole roleOf(CUpti_CallbackId id);

}  // namespace roofscope::inject
