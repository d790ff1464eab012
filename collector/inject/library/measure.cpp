// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/library/measure.h"

#include <atomic>
#include <string>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/injector.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/library/prepared.h"
#include "collector/inject/threads/no_cancellation.h"

#define ROOFSCOPE_EXPORT __attribute__((visibility("default")))

namespace {

using namespace roofscope;
using inject::Injector;

/// Differs from the program's domains, which are addresses, and from the domain of autotuning.
constexpr std::uintptr_t kDomain = 2;

std::string prepare() {
    std::string why;
    const DriverApi* driver = DriverApi::load(&why);
    if (!driver) return why;
    if (const CUresult result = driver->cuInit(0); result != CUDA_SUCCESS)
        return "CUDA cannot be initialised: " + driver->describe(result);
    int devices = 0;
    if (driver->cuDeviceGetCount(&devices) != CUDA_SUCCESS || devices == 0)
        return "there is no GPU";
    if (!CuptiApi::load(&why)) return why;
    inject::g_prepared = true;
    return {};
}

/// Waits for the current context (the program may have created it itself) and for all active
/// primary contexts.
void waitForGpus(const DriverApi& driver) {
    CUcontext current = nullptr;
    if (driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current) driver.cuCtxSynchronize();
    int devices = 0;
    if (!driver.cuDevicePrimaryCtxGetState || driver.cuDeviceGetCount(&devices) != CUDA_SUCCESS)
        return;
    for (CUdevice device = 0; device < devices; ++device) {
        unsigned flags = 0;
        int active = 0;
        CUcontext primary = nullptr;
        if (driver.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active ||
            driver.cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS)
            continue;
        if (primary != current && driver.cuCtxPushCurrent(primary) == CUDA_SUCCESS) {
            driver.cuCtxSynchronize();
            driver.cuCtxPopCurrent(&primary);
        }
        driver.cuDevicePrimaryCtxRelease(device);
    }
}

}  // namespace

extern "C" {

ROOFSCOPE_EXPORT const char* roofscope_measure_prepare(void) {
    const inject::NoCancellation uncancelled;
    static thread_local std::string text;
    try {
        text = prepare();
        return text.empty() ? nullptr : text.c_str();
    } catch (...) {
        return "out of memory";
    }
}

ROOFSCOPE_EXPORT const char* roofscope_measure_cupti(void) {
    if (!inject::g_prepared) return "";
    const CuptiApi* cupti = CuptiApi::load();
    return cupti ? cupti->path.c_str() : "";
}

ROOFSCOPE_EXPORT void roofscope_measure_wait(void) {
    const inject::NoCancellation uncancelled;
    const inject::Inside inside;
    if (const DriverApi* driver = inject::g_prepared ? DriverApi::load() : nullptr)
        waitForGpus(*driver);
}

ROOFSCOPE_EXPORT const char* roofscope_measure_start(const char* folder) {
    const inject::NoCancellation uncancelled;
    static thread_local std::string text;
    if (!inject::g_prepared) return "roofscope_measure_prepare() was not called";
    try {
        roofscope_measure_wait();
        const auto begun = Injector::begin(folder ? folder : "");
        if (begun) return nullptr;
        text = begun.error().message();
        return text.c_str();
    } catch (...) {
        return "out of memory";
    }
}

ROOFSCOPE_EXPORT void roofscope_measure_stop(void) {
    const inject::NoCancellation uncancelled;
    try {
        roofscope_measure_wait();
        Injector::end();
    } catch (...) {
        // Out of memory. Without its last line the spool shows that the recording is incomplete.
    }
}

ROOFSCOPE_EXPORT void roofscope_measure_push_range(const char* name) {
    const inject::NoCancellation uncancelled;
    try {
        Injector* injector = Injector::instance();
        if (injector && name) injector->pushRange(kDomain, name);
    } catch (...) {
        // Out of memory: the launches lack this range.
    }
}

ROOFSCOPE_EXPORT void roofscope_measure_pop_range(void) {
    const inject::NoCancellation uncancelled;
    try {
        Injector* injector = Injector::instance();
        if (injector) injector->popRange(kDomain);
    } catch (...) {
        // As above.
    }
}
}
