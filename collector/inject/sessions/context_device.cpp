// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/context_device.h"

namespace roofscope::inject {
namespace {

/// "GH100"; empty if unknown.
std::string chipName(const CuptiApi& cupti, CUdevice device) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(device);
    return cupti.DeviceGetChipName(&chip) == CUPTI_SUCCESS && chip.pChipName ? chip.pChipName : "";
}

}  // namespace

std::optional<CUdevice> deviceOf(const DriverApi& driver, CUcontext handle) {
    // The context of a launch is that of its stream, which need not be the current one.
    CUcontext current = nullptr;
    const bool isCurrent = driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == handle;
    if (!isCurrent && driver.cuCtxPushCurrent(handle) != CUDA_SUCCESS) return {};
    CUdevice device = 0;
    const bool known = driver.cuCtxGetDevice(&device) == CUDA_SUCCESS;
    if (!isCurrent) driver.cuCtxPopCurrent(&current);
    return known ? std::optional(device) : std::nullopt;
}

Device deviceFacts(const CuptiApi& cupti, const DriverApi& driver, CUdevice device) {
    Device facts = driver.deviceFacts(device);
    facts.chip = chipName(cupti, device);
    return facts;
}

}  // namespace roofscope::inject
