// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "profile/model/timeline.h"

namespace roofscope::traces {

/// What a function of the CUDA runtime or driver is for, by its name: "cudaLaunchKernel",
/// "cudaMemcpyAsync_v3020", "cuLaunchKernelEx".
[[nodiscard]] CallKind kindOfCall(std::string_view name);

/// Kinds and sides of a copy or memset as CUPTI's names tell them: "Memcpy HtoD (Pageable ->
/// Device)", "Memset (Device)". What is not told is unknown.
struct TransferName {
    TransferKind kind = TransferKind::Other;
    MemoryKind source = MemoryKind::Unknown, target = MemoryKind::Unknown;
};
[[nodiscard]] TransferName transferNamed(std::string_view name);

}  // namespace roofscope::traces
