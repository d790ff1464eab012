// SPDX-License-Identifier: Apache-2.0
// The two functions by which the CUDA driver and NVTX enter libroofscope_inject.so.
#include <dlfcn.h>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/arm/armed_process.h"
#include "collector/inject/injector.h"
#include "collector/inject/library/prepared.h"
#include "collector/inject/python/operators.h"
#include "collector/inject/ranges/nvtx_tables.h"
#include "collector/inject/threads/no_cancellation.h"

namespace operators = roofscope::inject::operators;

#define ROOFSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

/// Called by the CUDA driver when CUDA is initialised (CUDA_INJECTION64_PATH). Returns 1 so that
/// the driver continues.
ROOFSCOPE_EXPORT int InitializeInjection(void) {
    const roofscope::inject::NoCancellation uncancelled;
    try {
        roofscope::inject::Injector::attach();
        if (!roofscope::inject::Injector::configured()) roofscope::inject::armProcess();
    } catch (...) {
        // The program runs on without being profiled; the missing spool shows it.
    }
    return 1;
}

/// Called by NVTX at its first use (NVTX_INJECTION64_PATH). First calls CUPTI's own initialiser,
/// which handles domains and strings; the ranges are then taken over from CUPTI. Returns 0 if NVTX
/// is to stay inactive.
ROOFSCOPE_EXPORT int InitializeInjectionNvtx2(void* getExportTable) {
    const roofscope::inject::NoCancellation uncancelled;
    try {
        // Otherwise nothing would record the ranges, yet each would take time.
        if (!roofscope::inject::g_prepared && !roofscope::inject::Injector::configured() &&
            !roofscope::inject::isToBeArmed())
            return 0;
        using roofscope::CuptiApi, roofscope::CuptiUse;
        const CuptiApi* cupti = CuptiApi::load(nullptr, CuptiUse::Tracing);
        if (!cupti) return 0;
        using Initialiser = int (*)(void*);
        const auto initialise =
            reinterpret_cast<Initialiser>(dlsym(cupti->handle, "InitializeInjectionNvtx2"));
        const int ready = initialise ? initialise(getExportTable) : 0;
        namespace nvtx = roofscope::inject::nvtx;
        const auto tables = reinterpret_cast<nvtx::ExportTables>(getExportTable);
        if (ready != 0) nvtx::takeRanges(tables, &roofscope::inject::Injector::rangeCalled);
        if (ready != 0 && operators::areOfProfiler(tables)) operators::interpose(tables);
        return ready;
    } catch (...) {
        return 0;
    }
}
