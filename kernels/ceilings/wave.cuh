// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/ceilings/probe.h"
#include "kernels/cuda_failure.h"

namespace roofscope::kernels {

/// The number of blocks that fill the GPU exactly once: as many as fit are resident and none waits,
/// so that all SMs work during the whole launch. Throws CudaFailure.
template <class Kernel>
[[nodiscard]] unsigned fullWave(const ProbeGpu& gpu, Kernel* kernel, unsigned threads,
                                std::size_t dynamicShared = 0) {
    int perSm = 0;
    require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, kernel, static_cast<int>(threads),
                                                          dynamicShared),
            "querying how many blocks fit on an SM");
    if (perSm < 1) throw CudaFailure("placing a block on an SM", cudaErrorLaunchOutOfResources);
    return static_cast<unsigned>(perSm * gpu.smCount);
}

}  // namespace roofscope::kernels
