// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <optional>
#include <string>

#include "profile/model/profile.h"

/// Every CUDA driver function that roofscope calls. cuda.h maps names to versioned symbols
/// (cuDeviceTotalMem → cuDeviceTotalMem_v2); the table resolves the mapped ones.
#define ROOFSCOPE_DRIVER_FUNCTIONS(X)              \
    X(cuInit)                                      \
    X(cuDriverGetVersion)                          \
    X(cuGetErrorString)                            \
    X(cuDeviceGet)                                 \
    X(cuDeviceGetCount)                            \
    X(cuDeviceGetName)                             \
    X(cuDeviceGetAttribute)                        \
    X(cuDeviceTotalMem)                            \
    X(cuDevicePrimaryCtxRetain)                    \
    X(cuDevicePrimaryCtxRelease)                   \
    X(cuCtxPushCurrent)                            \
    X(cuCtxPopCurrent)                             \
    X(cuCtxGetDevice)                              \
    X(cuCtxGetCurrent)                             \
    X(cuCtxSynchronize)                            \
    X(cuFuncGetAttribute)                          \
    X(cuKernelGetFunction)                         \
    X(cuFuncGetName)                               \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cuStreamIsCapturing)                         \
    X(cuGraphGetNodes)                             \
    X(cuGraphNodeGetType)                          \
    X(cuGraphNodeGetDependencies)                  \
    X(cuGraphChildGraphNodeGetGraph)               \
    X(cuGraphKernelNodeGetParams)                  \
    X(cuGraphKernelNodeGetAttribute)

/// Functions that a driver may lack; they are null in that case.
#define ROOFSCOPE_OPTIONAL_DRIVER_FUNCTIONS(X) \
    X(cuDeviceGetUuid_v2)                      \
    X(cuDevicePrimaryCtxGetState)              \
    X(cuFuncGetParamInfo)                      \
    X(cuFuncGetModule)                         \
    X(cuModuleGetGlobal)                       \
    X(cuMemcpyDtoH)                            \
    X(cuPointerGetAttributes)                  \
    X(cuStreamQuery)                           \
    X(cuThreadExchangeStreamCaptureMode)       \
    X(cuMemAlloc)                              \
    X(cuMemGetInfo)                            \
    X(cuMemsetD32Async)

namespace roofscope {

/// libcuda as a table of functions; nothing links against the driver.
struct DriverApi {
#define ROOFSCOPE_DRIVER_MEMBER(name) decltype(&::name) name = nullptr;
    ROOFSCOPE_DRIVER_FUNCTIONS(ROOFSCOPE_DRIVER_MEMBER)
    ROOFSCOPE_OPTIONAL_DRIVER_FUNCTIONS(ROOFSCOPE_DRIVER_MEMBER)
#undef ROOFSCOPE_DRIVER_MEMBER

    /// The process-wide table; nullptr without a driver, with the reason in `whyNot`. Does not
    /// initialise CUDA.
    static const DriverApi* load(std::string* whyNot = nullptr);

    /// "no CUDA-capable device is detected (100)".
    [[nodiscard]] std::string describe(CUresult result) const;
    [[nodiscard]] std::optional<std::uint32_t> attribute(CUdevice_attribute which,
                                                         CUdevice device) const;
    /// Name, limits and clocks of a device; `chip` and `peaks` stay empty (CUPTI knows those).
    [[nodiscard]] Device deviceFacts(CUdevice device) const;
};

}  // namespace roofscope
