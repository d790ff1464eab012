// SPDX-License-Identifier: Apache-2.0
// The part of the fake libcupti that reads counters. If $ROOFSCOPE_FAKE_COUNTERS is "readable", the
// chip is GH100, each kernel that runs is a range, and all its counters are its number of blocks.
// With "refused" the system does not permit counters. Otherwise these functions do nothing.
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

bool says(std::string_view word) {
    const char* value = std::getenv("ROOFSCOPE_FAKE_COUNTERS");
    return value && word == value;
}

/// The kinds of counters in a configuration. They never share a pass.
struct Configuration {
    bool instrumented = false, hardware = false;
};

bool g_running = false;
std::vector<double> g_ranges;  ///< blocks of each kernel since the last configuration

}  // namespace

/// Defines CUPTI's function under another C++ name, because its headers already declare it.
#define ANSWERS(name, Params)                                                  \
    extern "C" CUptiResult answering_##name(Params* p) __asm__("cupti" #name); \
    CUptiResult answering_##name([[maybe_unused]] Params* p)

ANSWERS(DeviceGetChipName, CUpti_Device_GetChipName_Params) {
    if (says("readable") || says("refused")) p->pChipName = "GH100";
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params) {
    p->counterAvailabilityImageSize = 1;
    return says("refused") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params) {
    if (says("readable") || says("refused"))
        p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Configuration);
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params) {
    delete reinterpret_cast<Configuration*>(p->pHostObject);
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params) {
    auto& configuration = *reinterpret_cast<Configuration*>(p->pHostObject);
    for (std::size_t i = 0; i < p->numMetrics; ++i)
        (std::string_view(p->ppMetricNames[i]).find("__sass_") == std::string_view::npos
             ? configuration.hardware
             : configuration.instrumented) = true;
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params) {
    p->configImageSize = 1;
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params) {
    const auto& configuration = *reinterpret_cast<const Configuration*>(p->pHostObject);
    *p->pConfigImage = configuration.hardware + configuration.instrumented;
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params) {
    p->numOfPasses = *p->pConfigImage;
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerEnable, CUpti_RangeProfiler_Enable_Params) {
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&g_ranges);
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params) {
    p->counterDataSize = p->maxNumOfRanges;
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params) {
    g_ranges.clear();
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerStart, CUpti_RangeProfiler_Start_Params) {
    g_running = true;
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerStop, CUpti_RangeProfiler_Stop_Params) {
    g_running = false;
    return CUPTI_SUCCESS;
}
ANSWERS(RangeProfilerGetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params) {
    p->numTotalRanges = g_ranges.size();
    return CUPTI_SUCCESS;
}
ANSWERS(ProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params) {
    std::fill_n(p->pMetricValues, p->numMetrics, g_ranges[p->rangeIndex]);
    return CUPTI_SUCCESS;
}

extern "C" void roofscope_fake_kernel_ran(unsigned blocks) {
    if (g_running) g_ranges.push_back(blocks);
}
