// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope {

/// An NVTX range of this name marks autotuning: launches that try out configurations. The injected
/// library pushes it where it can detect autotuning (collector/inject/python/python_hooks.h);
/// programs may push it themselves.
inline constexpr const char* kAutotuningRange = "roofscope:autotuning";

}  // namespace roofscope
