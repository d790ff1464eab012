// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope {

/// An NVTX range of this name marks launches that try out configurations: autotuning. The injected
/// library sets it where it can tell (collector/inject/python/python_hooks.h); programs may push it
/// themselves.
inline constexpr const char* kAutotuningRange = "roofscope:autotuning";

}  // namespace roofscope
