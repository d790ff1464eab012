// SPDX-License-Identifier: Apache-2.0
// Every driver function that roofscope resolves, as one that succeeds and leaves its arguments
// alone.
#include "collector/cupti/driver_api.h"
#include "tests/fake_gpu/symbols.h"

#define SUCCEEDS(name)                                                               \
    extern "C" __attribute__((weak)) CUresult silent_##name() __asm__(SYMBOL(name)); \
    CUresult silent_##name() { return CUDA_SUCCESS; }
ROOFSCOPE_DRIVER_FUNCTIONS(SUCCEEDS)
ROOFSCOPE_OPTIONAL_DRIVER_FUNCTIONS(SUCCEEDS)
