// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/first_chip.h"

#if ROOFSCOPE_HAVE_COLLECTOR
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#endif

namespace roofscope {

std::string firstChip() {
#if ROOFSCOPE_HAVE_COLLECTOR
    const DriverApi* driver = DriverApi::load();
    // Without a working driver, CUPTI would crash in one of the next calls.
    int count = 0;
    if (!driver || driver->cuInit(0) != CUDA_SUCCESS ||
        driver->cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
        return {};
    const CuptiApi* cupti = CuptiApi::load();
    if (!cupti) return {};
    // Without this call, the next one would crash.
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (cupti->ProfilerInitialize(&initialize) != CUPTI_SUCCESS) return {};
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    if (cupti->DeviceGetChipName(&chip) == CUPTI_SUCCESS && chip.pChipName) return chip.pChipName;
#endif
    return {};
}

}  // namespace roofscope
