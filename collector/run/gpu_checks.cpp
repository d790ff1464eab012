// SPDX-License-Identifier: Apache-2.0
#include "collector/run/gpu_checks.h"

#if ROOFSCOPE_HAVE_COLLECTOR

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "profile/chip.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;
using Reporter = std::function<void(const Check&)>;

std::string versionText(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// What the kernel module says of who may read counters; empty when it says nothing.
std::string moduleRestriction() {
    std::ifstream file("/proc/driver/nvidia/params");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("RmProfilingAdminOnly:")) return line;
    return {};
}

bool checkCupti(const CuptiApi* cupti, const std::string& why, const Reporter& report) {
    if (!cupti) {
        report(
            {"cupti", "CUPTI library", CheckStatus::Failed, why,
             "install the CUDA toolkit 12.8 or later, or set ROOFSCOPE_CUPTI to its libcupti.so"});
        return false;
    }
    report({"cupti", "CUPTI library", CheckStatus::Ok,
            fmt::format("{} (API version {})", cupti->path, cupti->version), ""});

    // CUPTI opens these at run time from its own folder or the loader's path.
    std::string missing;
    const fs::path folder = fs::path(cupti->path).parent_path();
    for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"})
        if (!fs::exists(folder / name))
            missing += (missing.empty() ? "" : ", ") + std::string(name);
    if (missing.empty())
        report({"nvperf", "CUPTI helper libraries", CheckStatus::Ok, "beside libcupti", ""});
    else
        report({"nvperf", "CUPTI helper libraries", CheckStatus::Warning,
                fmt::format("{} not found in {}", missing, folder.string()),
                "install the complete CUPTI package, or point ROOFSCOPE_CUPTI to a complete one"});

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, chips);
    const auto result = cupti->ProfilerHostGetSupportedChips(&chips);
    if (result != CUPTI_SUCCESS) {
        report({"cupti-host", "CUPTI counter catalogue", CheckStatus::Failed,
                cupti->describe(result), cuptiAdvice(result)});
        return false;
    }
    report({"cupti-host", "CUPTI counter catalogue", CheckStatus::Ok,
            fmt::format("{} chips known", chips.numChips), ""});
    return true;
}

void skip(const char* id, const char* title, const char* reason, const Reporter& report) {
    report({id, title, CheckStatus::Skipped, reason, ""});
}

void checkCounters(const DriverApi& driver, const CuptiApi& cupti, CUdevice device, int index,
                   const Reporter& report) {
    const std::string suffix = index == 0 ? "" : fmt::format("-{}", index);
    const Device facts = driver.deviceFacts(device);
    const std::string chipId = "chip" + suffix, permissionId = "counter-permission" + suffix;

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS) {
        report({chipId, "Chip", CheckStatus::Failed,
                "cuptiProfilerInitialize: " + cupti.describe(r), cuptiAdvice(r)});
        return;
    }
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, name);
    name.deviceIndex = static_cast<std::size_t>(index);
    if (const auto r = cupti.DeviceGetChipName(&name); r != CUPTI_SUCCESS || !name.pChipName) {
        report({chipId, "Chip", CheckStatus::Failed, cupti.describe(r), cuptiAdvice(r)});
        return;
    }
    const auto table = chipTable(name.pChipName, facts.computeMajor, facts.computeMinor);
    if (!table)
        report(
            {chipId, "Chip", CheckStatus::Failed, table.error().message(), table.error().advice});
    else
        report({chipId, "Chip", table->verified ? CheckStatus::Ok : CheckStatus::Warning,
                fmt::format("{} (compute capability {}.{}){}", name.pChipName, facts.computeMajor,
                            facts.computeMinor,
                            table->verified ? "" : ", no table of its own: its family's is used"),
                ""});

    CUcontext context = nullptr;
    if (const auto r = driver.cuDevicePrimaryCtxRetain(&context, device); r != CUDA_SUCCESS) {
        report({permissionId, "Counter permission", CheckStatus::Failed,
                "no CUDA context could be made: " + driver.describe(r),
                "check nvidia-smi: the GPU may be full, broken or in exclusive use"});
        return;
    }
    driver.cuCtxPushCurrent(context);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, available);
    available.ctx = context;
    auto result = cupti.ProfilerGetCounterAvailability(&available);
    const char* call = "cuptiProfilerGetCounterAvailability";
    if (result == CUPTI_SUCCESS) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
        enable.ctx = context;
        result = cupti.RangeProfilerEnable(&enable);
        call = "cuptiRangeProfilerEnable";
        if (result == CUPTI_SUCCESS) {
            ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
            disable.pRangeProfilerObject = enable.pRangeProfilerObject;
            cupti.RangeProfilerDisable(&disable);
        }
    }
    const std::string restriction = moduleRestriction();
    if (result == CUPTI_SUCCESS)
        report({permissionId, "Counter permission", CheckStatus::Ok,
                fmt::format("counters of {} can be read{}{}", facts.name,
                            restriction.empty() ? "" : "; ", restriction),
                ""});
    else
        report({permissionId, "Counter permission", CheckStatus::Failed,
                fmt::format("{}: {}{}{}", call, cupti.describe(result),
                            restriction.empty() ? "" : "; ", restriction),
                cuptiAdvice(result)});
    CUcontext popped = nullptr;
    driver.cuCtxPopCurrent(&popped);
    driver.cuDevicePrimaryCtxRelease(device);
}

}  // namespace

void runGpuChecks(const Reporter& report) {
    std::string why;
    const DriverApi* driver = DriverApi::load(&why);
    const bool haveDriver = driver != nullptr;
    if (!haveDriver)
        report(
            {"driver", "NVIDIA driver", CheckStatus::Failed, why,
             "install the NVIDIA driver (580 or later for CUDA 13); in a container, start it with "
             "--gpus all"});

    int count = 0;
    if (haveDriver) {
        int version = 0;
        driver->cuDriverGetVersion(&version);
        const std::string supports =
            fmt::format("supports CUDA {}", versionText(static_cast<std::uint32_t>(version)));
        CUresult result = driver->cuInit(0);
        if (result == CUDA_SUCCESS) result = driver->cuDeviceGetCount(&count);
        if (result != CUDA_SUCCESS) {
            report({"driver", "NVIDIA driver", CheckStatus::Failed,
                    fmt::format("{}, but cuInit says: {}", supports, driver->describe(result)),
                    result == CUDA_ERROR_NO_DEVICE
                        ? "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES"
                        : "check nvidia-smi; after a driver update a reboot is often missing"});
            count = 0;
        } else {
            report({"driver", "NVIDIA driver", CheckStatus::Ok, supports, ""});
        }
        for (int i = 0; i < count; ++i) {
            CUdevice device = 0;
            driver->cuDeviceGet(&device, i);
            const Device facts = driver->deviceFacts(device);
            report({i == 0 ? "gpu" : fmt::format("gpu-{}", i), "GPU", CheckStatus::Ok,
                    fmt::format("{}, {} SMs, {:.0f} GiB", facts.name, facts.smCount,
                                static_cast<double>(facts.memoryBytes.value_or(0)) / (1 << 30)),
                    ""});
        }
    }

    std::string whyNotCupti;
    const CuptiApi* cupti = CuptiApi::load(&whyNotCupti);
    const bool cuptiWorks = checkCupti(cupti, whyNotCupti, report);
    if (count == 0 || !cuptiWorks) {
        // Without a driver these CUPTI calls crash instead of failing.
        const char* reason = count == 0 ? "needs a GPU" : "needs a working CUPTI";
        skip("chip", "Chip", reason, report);
        skip("counter-permission", "Counter permission", reason, report);
        return;
    }
    for (int i = 0; i < count; ++i) {
        CUdevice device = 0;
        if (driver->cuDeviceGet(&device, i) == CUDA_SUCCESS)
            checkCounters(*driver, *cupti, device, i, report);
    }
}

}  // namespace roofscope

#else

namespace roofscope {
void runGpuChecks(const std::function<void(const Check&)>&) {}
}  // namespace roofscope

#endif
