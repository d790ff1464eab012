// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Whether a kernel belongs to NCCL or NVSHMEM. These wait for the same kernel on another GPU, so
/// replaying a launch on one rank hangs. Decided by the symbol, mangled or not, and true only if
/// certain: a user kernel that calls NVSHMEM inside looks like any other, and a name that only
/// mentions a library ("my_nccl_helper") does not count.
[[nodiscard]] bool waitsForPeers(std::string_view kernelSymbol);

}  // namespace roofscope
