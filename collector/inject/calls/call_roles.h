// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/cupti/cupti_api.h"

namespace roofscope::inject {

/// What a function of the driver means to a recording.
enum class CallRole : std::uint8_t {
    None,
    Launch,          ///< of a kernel or a graph
    Write,           ///< copies or sets memory at the address that is its first argument
    WriteElsewhere,  ///< describes its target in a structure
    Pinning,         ///< gives or takes page-locked memory
    GraphChange,     ///< changes an instantiated graph
    ProfilerSwitch,  ///< cuProfilerStart, cuProfilerStop
    LibraryUnload,
    Wait,  ///< for the GPU
    CaptureBegin,
    CaptureEnd,
};

/// A function has one role.
[[nodiscard]] CallRole roleOf(CUpti_CallbackId id);

}  // namespace roofscope::inject
