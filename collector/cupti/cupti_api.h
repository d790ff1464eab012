// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>
#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <cstdint>
#include <string>
#include <vector>

/// Every CUPTI function that roofscope calls, without the "cupti" prefix.
#define ROOFSCOPE_CUPTI_FUNCTIONS(X)           \
    X(GetVersion)                              \
    X(GetResultString)                         \
    X(Subscribe_v2)                            \
    X(Unsubscribe)                             \
    X(Finalize)                                \
    X(EnableCallback)                          \
    X(EnableDomain)                            \
    X(DeviceGetChipName)                       \
    X(ProfilerInitialize)                      \
    X(ProfilerDeviceSupported)                 \
    X(ProfilerGetCounterAvailability)          \
    X(ProfilerHostInitialize)                  \
    X(ProfilerHostDeinitialize)                \
    X(ProfilerHostGetSupportedChips)           \
    X(ProfilerHostGetMetricProperties)         \
    X(ProfilerHostEvaluateToGpuValues)         \
    X(ProfilerHostConfigAddMetrics)            \
    X(ProfilerHostGetConfigImageSize)          \
    X(ProfilerHostGetConfigImage)              \
    X(ProfilerHostGetNumOfPasses)              \
    X(RangeProfilerSetConfig)                  \
    X(RangeProfilerEnable)                     \
    X(RangeProfilerDisable)                    \
    X(RangeProfilerStart)                      \
    X(RangeProfilerStop)                       \
    X(RangeProfilerPushRange)                  \
    X(RangeProfilerPopRange)                   \
    X(RangeProfilerCounterDataGetRangeInfo)    \
    X(RangeProfilerDecodeData)                 \
    X(RangeProfilerGetCounterDataSize)         \
    X(RangeProfilerCounterDataImageInitialize) \
    X(RangeProfilerGetCounterDataInfo)         \
    X(GetTimestamp)                            \
    X(ActivitySetAttribute)                    \
    X(ActivityRegisterCallbacks)               \
    X(ActivityEnable)                          \
    X(ActivityDisable)                         \
    X(ActivityFlushAll)                        \
    X(ActivityFlushPeriod)                     \
    X(ActivityGetNextRecord)                   \
    X(ActivityGetNumDroppedRecords)            \
    X(SassMetricsGetProperties)                \
    X(SassMetricsSetConfig)                    \
    X(SassMetricsUnsetConfig)                  \
    X(SassMetricsEnable)                       \
    X(SassMetricsDisable)                      \
    X(SassMetricsGetDataProperties)            \
    X(SassMetricsFlushData)                    \
    X(GetSassToSourceCorrelation)              \
    X(GetCubinCrc)                             \
    X(PCSamplingEnable)                        \
    X(PCSamplingDisable)                       \
    X(PCSamplingStart)                         \
    X(PCSamplingStop)                          \
    X(PCSamplingGetNumStallReasons)            \
    X(PCSamplingGetStallReasons)               \
    X(PCSamplingSetConfigurationAttribute)     \
    X(PCSamplingGetData)                       \
    X(PmSamplingEnable)                        \
    X(PmSamplingDisable)                       \
    X(PmSamplingSetConfig)                     \
    X(PmSamplingStart)                         \
    X(PmSamplingStop)                          \
    X(PmSamplingDecodeData)                    \
    X(PmSamplingGetCounterAvailability)        \
    X(PmSamplingGetCounterDataSize)            \
    X(PmSamplingCounterDataImageInitialize)    \
    X(PmSamplingGetCounterDataInfo)            \
    X(PmSamplingCounterDataGetSampleInfo)

namespace roofscope {

/// What CUPTI is loaded for.
enum class CuptiUse {
    Tracing,  ///< callbacks and activity records
    Counters  ///< also the profiler's functions: 200 MB of further libraries
};

/// libcupti as a table of functions, loaded at run time: the same binary runs with the toolkit's
/// CUPTI, with the one inside PyTorch, and (host API only) on machines without any driver.
struct CuptiApi {
#define ROOFSCOPE_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
    ROOFSCOPE_CUPTI_FUNCTIONS(ROOFSCOPE_CUPTI_MEMBER)
#undef ROOFSCOPE_CUPTI_MEMBER

    void* handle = nullptr;     ///< dlopen handle, never closed
    std::string path;           ///< the file that was actually loaded
    std::uint32_t version = 0;  ///< CUPTI_API_VERSION of that file

    /// The process-wide table, loaded on first use. Without a usable libcupti it is nullptr, and
    /// `whyNot` gives the reason and the files that were tried.
    ///
    /// Search order: $ROOFSCOPE_CUPTI (a file or folder), a libcupti that the process has
    /// loaded already, Python and conda environments, the toolkit that roofscope was built
    /// with, well-known toolkit folders, the loader's own path. A libcupti that lacks
    /// functions is only the last resort.
    static const CuptiApi* load(std::string* whyNot = nullptr, CuptiUse use = CuptiUse::Counters);

    /// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)".
    [[nodiscard]] std::string describe(CUptiResult result) const;
};

/// A parameter struct of the CUPTI profiler API: zeroed, with its structSize set. The size macro
/// is CUPTI's own, so that struct versions match the headers.
#define ROOFSCOPE_CUPTI_PARAMS(type, name) \
    type name{};                           \
    name.structSize = type##_STRUCT_SIZE

/// What a CUPTI error means and how to fix it; empty if there is no advice.
[[nodiscard]] std::string cuptiAdvice(CUptiResult result);

}  // namespace roofscope
