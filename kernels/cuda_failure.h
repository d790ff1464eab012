// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace roofscope::kernels {

/// A CUDA runtime call that failed. Only used in kernels/; commands turn it into an Error.
class CudaFailure : public std::runtime_error {
public:
    CudaFailure(const std::string& doing, cudaError_t status)
        : std::runtime_error(doing + " failed: " + cudaGetErrorString(status) + " (" +
                             cudaGetErrorName(status) + ")") {}
};

/// Throws CudaFailure("`doing` failed: …") unless `status` is success.
inline void require(cudaError_t status, const std::string& doing) {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // a failed launch or allocation must not be reported twice
    throw CudaFailure(doing, status);
}

/// Throws if the last launch was refused (bad configuration, no code for this GPU).
inline void requireLaunched(const char* kernel) {
    require(cudaGetLastError(), std::string("launching ") + kernel);
}

}  // namespace roofscope::kernels
