// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/gpu_probe.h"

#include <cstdlib>

#if ROOFSCOPE_HAVE_COLLECTOR

#include <fmt/format.h>

#include <filesystem>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/plan/counter_plan.h"
#include "collector/run/doctor/error_codes.h"
#include "profile/chips/chip.h"

namespace roofscope::doctor {
namespace {

namespace fs = std::filesystem;

/// Reports the next step.
using Next = std::function<void(const char*)>;

static_assert(int{CudaError::NoDevice} == int{CUDA_ERROR_NO_DEVICE});
static_assert(int{CudaError::SystemNotReady} == int{CUDA_ERROR_SYSTEM_NOT_READY});
static_assert(int{CudaError::SystemDriverMismatch} == int{CUDA_ERROR_SYSTEM_DRIVER_MISMATCH});
static_assert(int{CuptiError::NotInitialized} == int{CUPTI_ERROR_NOT_INITIALIZED});
static_assert(int{CuptiError::HardwareBusy} == int{CUPTI_ERROR_HARDWARE_BUSY});
static_assert(int{CuptiError::VirtualizedDeviceNotSupported} ==
              int{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED});
static_assert(int{CuptiError::InsufficientPrivileges} == int{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES});
static_assert(int{CuptiError::MultipleSubscribersNotSupported} ==
              int{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED});
static_assert(int{CuptiError::VirtualizedDeviceInsufficientPrivileges} ==
              int{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES});
static_assert(int{CuptiError::ConfidentialComputingNotSupported} ==
              int{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED});
static_assert(int{CuptiError::CmpDeviceNotSupported} == int{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED});
static_assert(int{CuptiError::MigDeviceNotSupported} == int{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED});
static_assert(int{CuptiError::SliDeviceNotSupported} == int{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED});
static_assert(int{CuptiError::WslDeviceNotSupported} == int{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED});
static_assert(int{CuptiError::InvalidChipName} == int{CUPTI_ERROR_INVALID_CHIP_NAME});

Answer answerOf(const DriverApi& driver, CUresult result) {
    return {true, static_cast<int>(result),
            result == CUDA_SUCCESS ? std::string() : driver.describe(result)};
}

Answer answerOf(const CuptiApi& cupti, CUptiResult result, const char* call) {
    return {true, static_cast<int>(result),
            result == CUPTI_SUCCESS ? std::string()
                                    : fmt::format("{}: {}", call, cupti.describe(result))};
}

void noCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

std::vector<std::string> unsupportedParts(const CuptiApi& cupti, CUdevice device) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, p);
    p.cuDevice = device;
    p.api = CUPTI_PROFILER_RANGE_PROFILING;
    std::vector<std::string> parts;
    if (cupti.ProfilerDeviceSupported(&p) != CUPTI_SUCCESS ||
        p.isSupported != CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
        return parts;
    const auto add = [&](CUpti_Profiler_Support_Level level, const char* name) {
        if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED) parts.emplace_back(name);
    };
    add(p.architecture, "architecture");
    add(p.sli, "sli");
    add(p.vGpu, "vgpu");
    add(p.confidentialCompute, "confidential-compute");
    add(p.cmp, "cmp");
    add(p.wsl, "wsl");
    return parts;
}

/// Starts and stops the counters of the default set, as a recording does. They must really be
/// started: no earlier call fails if another program holds the counters.
Answer startCounters(const CuptiApi& cupti, const GpuFacts& gpu,
                     std::vector<std::uint8_t>& availability,
                     CUpti_RangeProfiler_Object* profiler) {
    auto plan = planCounters(cupti, {.chip = gpu.chip,
                                     .computeMajor = gpu.computeMajor,
                                     .computeMinor = gpu.computeMinor,
                                     .groups = {"default"},
                                     .counterAvailability = availability});
    // A missing plan is a fault of the chip table, not of the machine; the check `chip` reports it.
    if (!plan) return {};
    std::vector<const char*> names;
    for (const auto& name : plan->counters) names.push_back(name.c_str());

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    if (const auto r = cupti.RangeProfilerGetCounterDataSize(&size); r != CUPTI_SUCCESS)
        return answerOf(cupti, r, "cuptiRangeProfilerGetCounterDataSize");
    std::vector<std::uint8_t> data(size.counterDataSize, 0);

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = profiler;
    image.counterDataSize = data.size();
    image.pCounterData = data.data();
    if (const auto r = cupti.RangeProfilerCounterDataImageInitialize(&image); r != CUPTI_SUCCESS)
        return answerOf(cupti, r, "cuptiRangeProfilerCounterDataImageInitialize");

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = profiler;
    config.configSize = plan->configImage.size();
    config.pConfig = plan->configImage.data();
    config.counterDataImageSize = data.size();
    config.pCounterDataImage = data.data();
    config.range = CUPTI_AutoRange;
    config.replayMode = CUPTI_KernelReplay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    if (const auto r = cupti.RangeProfilerSetConfig(&config); r != CUPTI_SUCCESS)
        return answerOf(cupti, r, "cuptiRangeProfilerSetConfig");

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = profiler;
    const auto started = cupti.RangeProfilerStart(&start);
    if (started == CUPTI_SUCCESS) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
        stop.pRangeProfilerObject = profiler;
        cupti.RangeProfilerStop(&stop);
    }
    return answerOf(cupti, started, "cuptiRangeProfilerStart");
}

void probeCounters(const CuptiApi& cupti, CUcontext context, GpuFacts& gpu, const Next& next) {
    next("cuptiProfilerGetCounterAvailability");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, available);
    available.ctx = context;
    auto result = cupti.ProfilerGetCounterAvailability(&available);
    std::vector<std::uint8_t> availability(available.counterAvailabilityImageSize);
    if (result == CUPTI_SUCCESS) {
        available.pCounterAvailabilityImage = availability.data();
        result = cupti.ProfilerGetCounterAvailability(&available);
    }
    gpu.availability = answerOf(cupti, result, "cuptiProfilerGetCounterAvailability");
    if (gpu.availability.failed()) return;

    next("cuptiRangeProfilerEnable");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    gpu.enable = answerOf(cupti, cupti.RangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    if (gpu.enable.failed()) return;

    next("cuptiRangeProfilerStart");
    gpu.start = startCounters(cupti, gpu, availability, enable.pRangeProfilerObject);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
    disable.pRangeProfilerObject = enable.pRangeProfilerObject;
    cupti.RangeProfilerDisable(&disable);
}

void probeGpu(const DriverApi& driver, const CuptiApi& cupti, CUdevice device, std::size_t index,
              GpuFacts& gpu, const Next& next) {
    next("cuptiProfilerInitialize");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    gpu.initialize =
        answerOf(cupti, cupti.ProfilerInitialize(&initialize), "cuptiProfilerInitialize");
    if (gpu.initialize.failed()) return;
    gpu.unsupported = unsupportedParts(cupti, device);

    next("cuptiDeviceGetChipName");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, name);
    name.deviceIndex = index;
    gpu.chipName = answerOf(cupti, cupti.DeviceGetChipName(&name), "cuptiDeviceGetChipName");
    if (gpu.chipName.failed()) return;
    gpu.chip = name.pChipName ? name.pChipName : "";
    const auto table = chipTable(gpu.chip, gpu.computeMajor, gpu.computeMinor);
    if (table)
        gpu.tableVerified = table->verified;
    else
        gpu.tableError = table.error().message();

    next("cuDevicePrimaryCtxRetain");
    CUcontext context = nullptr;
    gpu.context = answerOf(driver, driver.cuDevicePrimaryCtxRetain(&context, device));
    if (gpu.context.failed()) return;
    driver.cuCtxPushCurrent(context);
    probeCounters(cupti, context, gpu, next);
    CUcontext popped = nullptr;
    driver.cuCtxPopCurrent(&popped);
    next("cuDevicePrimaryCtxRelease");
    driver.cuDevicePrimaryCtxRelease(device);
}

/// Probes the driver and the GPUs that it lists.
std::vector<CUdevice> probeDriver(const DriverApi& driver, GpuProbe& probe, const Next& next) {
    std::vector<CUdevice> devices;
    next("cuInit");
    driver.cuDriverGetVersion(&probe.driverVersion);
    CUresult result = driver.cuInit(0);
    int count = 0;
    if (result == CUDA_SUCCESS) result = driver.cuDeviceGetCount(&count);
    probe.init = answerOf(driver, result);
    next("asking for the GPUs");
    for (int i = 0; result == CUDA_SUCCESS && i < count; ++i) {
        CUdevice device = 0;
        if (driver.cuDeviceGet(&device, i) != CUDA_SUCCESS) continue;
        const Device facts = driver.deviceFacts(device);
        GpuFacts gpu;
        gpu.name = facts.name;
        gpu.computeMajor = facts.computeMajor;
        gpu.computeMinor = facts.computeMinor;
        gpu.smCount = facts.smCount;
        gpu.memoryBytes = facts.memoryBytes.value_or(0);
        probe.gpus.push_back(std::move(gpu));
        devices.push_back(device);
    }
    return devices;
}

/// Probes CUPTI's files and its list of chips.
void probeCupti(const CuptiApi& cupti, GpuProbe& probe, const Next& next) {
    probe.cuptiPath = cupti.path;
    probe.cuptiVersion = cupti.version;
    std::error_code error;
    const fs::path path = probe.cuptiPath;
    const fs::path real = fs::canonical(path, error);
    probe.cuptiRealPath = error ? probe.cuptiPath : real.string();
    probe.cuptiComplete = fs::exists(path.parent_path() / "libnvperf_host.so", error) &&
                          fs::exists(path.parent_path() / "libnvperf_target.so", error);
    next("cuptiProfilerHostGetSupportedChips");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, chips);
    probe.host = answerOf(cupti, cupti.ProfilerHostGetSupportedChips(&chips),
                          "cuptiProfilerHostGetSupportedChips");
    probe.chips = static_cast<std::uint32_t>(chips.numChips);
}

/// Probes the subscription and the counters of each GPU.
void probeSubscribed(const DriverApi& driver, const CuptiApi& cupti,
                     const std::vector<CUdevice>& devices, GpuProbe& probe, const Next& next) {
    next("cuptiSubscribe");
    char holder[256] = {};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "roofscope doctor";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder - 1;
    CUpti_SubscriberHandle subscriber = nullptr;
    probe.subscribe = answerOf(cupti, cupti.Subscribe_v2(&subscriber, noCallback, nullptr, &params),
                               "cuptiSubscribe");
    probe.subscriber = holder;
    for (std::size_t i = 0; i < devices.size(); ++i)
        probeGpu(driver, cupti, devices[i], i, probe.gpus[i], next);
    if (probe.subscribe.ok()) {
        next("cuptiUnsubscribe");
        cupti.Unsubscribe(subscriber);
    }
}

}  // namespace

void probeGpus(const Reporter& report) {
    // A recording replaces both variables. If they stayed set here, another tool's library could
    // answer instead.
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
    GpuProbe probe;
    const auto next = [&](const char* step) {
        report.facts(probe);
        report.step(step);
    };
    next("loading libcuda.so.1");
    const DriverApi* driver = DriverApi::load(&probe.driverError);
    std::vector<CUdevice> devices;
    if (driver) devices = probeDriver(*driver, probe, next);

    next("loading libcupti");
    probe.cuptiTried = true;
    const CuptiApi* cupti = CuptiApi::load(&probe.cuptiError);
    if (cupti) probeCupti(*cupti, probe, next);
    // Without a driver the other CUPTI calls crash instead of failing.
    if (cupti && probe.host.ok() && !devices.empty())
        probeSubscribed(*driver, *cupti, devices, probe, next);
    report.facts(probe);
    // The driver's own clean-up at exit is not part of the check.
    report.step("");
}

}  // namespace roofscope::doctor

#else

namespace roofscope::doctor {
void probeGpus(const Reporter& report) {
    GpuProbe probe;
    probe.built = false;
    report.facts(probe);
}
}  // namespace roofscope::doctor

#endif
