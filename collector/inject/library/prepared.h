// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace roofscope::inject {

/// roofscope_measure_prepare() succeeded, so this process may measure its own functions.
inline std::atomic<bool> g_prepared{false};

}  // namespace roofscope::inject
