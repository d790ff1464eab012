// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Prefix of calls that the program did not make: another profiler stopped the program for work of
/// its own ("profiler: Buffer Flush"). Such calls are of kind Other.
inline constexpr std::string_view kProfilerCall = "profiler: ";

}  // namespace roofscope
