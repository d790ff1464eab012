// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace roofscope::test {

/// The context of a fake GPU that is always current.
inline const auto kContext = reinterpret_cast<CUcontext>(1);
/// A context on another GPU, and one unknown to the driver.
inline const auto kOtherContext = reinterpret_cast<CUcontext>(2);
inline const auto kBrokenContext = reinterpret_cast<CUcontext>(3);

}  // namespace roofscope::test
