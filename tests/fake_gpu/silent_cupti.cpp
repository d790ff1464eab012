// SPDX-License-Identifier: Apache-2.0
// Every CUPTI function that roofscope resolves, as one that succeeds and leaves its arguments
// alone: it measures nothing.
#include "collector/cupti/cupti_api.h"

#define SUCCEEDS(name)                                                                   \
    extern "C" __attribute__((weak)) CUptiResult silent_##name() __asm__("cupti" #name); \
    CUptiResult silent_##name() { return CUPTI_SUCCESS; }
ROOFSCOPE_CUPTI_FUNCTIONS(SUCCEEDS)
