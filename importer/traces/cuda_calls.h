// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "profile/model/timeline.h"

namespace roofscope::traces {

/// The purpose of a CUDA runtime or driver function, derived from its name: "cudaLaunchKernel",
/// "cudaMemcpyAsync_v3020", "cuLaunchKernelEx".
[[nodiscard]] CallKind kindOfCall(std::string_view name);

/// Kind and memories of a copy or memset, derived from CUPTI's name for it: "Memcpy HtoD (Pageable
/// -> Device)", "Memset (Device)". Unknown where the name does not say.
struct TransferName {
    TransferKind kind = TransferKind::Other;
    MemoryKind source = MemoryKind::Unknown, target = MemoryKind::Unknown;
};
[[nodiscard]] TransferName transferNamed(std::string_view name);

}  // namespace roofscope::traces
