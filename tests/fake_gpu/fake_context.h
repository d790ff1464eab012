// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace roofscope::test {

/// The only context of a stand-in for a GPU.
inline const auto kContext = reinterpret_cast<CUcontext>(1);

}  // namespace roofscope::test
