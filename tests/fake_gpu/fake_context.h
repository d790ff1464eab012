// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace roofscope::test {

/// The context of a stand-in for a GPU that is always current.
inline const auto kContext = reinterpret_cast<CUcontext>(1);
/// One on another GPU, and one that the driver knows nothing of.
inline const auto kOtherContext = reinterpret_cast<CUcontext>(2);
inline const auto kBrokenContext = reinterpret_cast<CUcontext>(3);

}  // namespace roofscope::test
