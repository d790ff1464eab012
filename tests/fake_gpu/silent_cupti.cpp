// SPDX-License-Identifier: Apache-2.0
// All CUPTI functions that roofscope resolves, as functions that succeed and do nothing.
#include "collector/cupti/cupti_api.h"

#define SUCCEEDS(name)                                                                   \
    extern "C" __attribute__((weak)) CUptiResult silent_##name() __asm__("cupti" #name); \
    CUptiResult silent_##name() { return CUPTI_SUCCESS; }
ROOFSCOPE_CUPTI_FUNCTIONS(SUCCEEDS)
