// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// True for kernels of NCCL and NVSHMEM, which wait for the same kernel on another GPU: replaying
/// one rank's launch waits for ever. By the symbol, mangled or not. Only what is certain: a kernel
/// of the program's own that calls NVSHMEM inside looks like any other, and a name that merely
/// mentions a library ("my_nccl_helper") is the program's business.
[[nodiscard]] bool waitsForPeers(std::string_view kernelSymbol);

}  // namespace roofscope
