// SPDX-License-Identifier: Apache-2.0
// All driver functions that roofscope resolves, as functions that succeed and do nothing.
#include "collector/cupti/driver_api.h"
#include "tests/fake_gpu/symbols.h"

#define SUCCEEDS(name)                                                               \
    extern "C" __attribute__((weak)) CUresult silent_##name() __asm__(SYMBOL(name)); \
    CUresult silent_##name() { return CUDA_SUCCESS; }
ROOFSCOPE_DRIVER_FUNCTIONS(SUCCEEDS)
ROOFSCOPE_OPTIONAL_DRIVER_FUNCTIONS(SUCCEEDS)
