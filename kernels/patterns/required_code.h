// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/rung.h"

namespace roofscope::kernels::patterns {

/// Throws CudaFailure unless `kernel`'s code for the current GPU was compiled for at least
/// `computeCapability` (times ten). A new GPU may have only older code in this build, and in a rung
/// with Rung::minComputeCapability that code does nothing.
template <class Kernel>
void requireCode(Kernel* kernel, int computeCapability) {
    cudaFuncAttributes attributes{};
    require(cudaFuncGetAttributes(&attributes, kernel), "querying the kernel's attributes");
    if (attributes.ptxVersion < computeCapability)
        throw CudaFailure("finding code for compute capability " +
                              computeCapabilityText(computeCapability) +
                              " (ROOFSCOPE_CUDA_ARCHITECTURES of the build)",
                          cudaErrorNoKernelImageForDevice);
}

}  // namespace roofscope::kernels::patterns
