// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/driver_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

// cuda.h renames functions by macro, so it takes two macros to stringify the renamed symbol.
#define ROOFSCOPE_SYMBOL_TEXT(name) #name
#define ROOFSCOPE_SYMBOL(name) ROOFSCOPE_SYMBOL_TEXT(name)

namespace roofscope {
namespace {

std::string loadInto(DriverApi& api) {
    void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* why = dlerror();
        return fmt::format("the NVIDIA driver's libcuda.so.1 could not be loaded{}{}",
                           why ? ": " : "", why ? why : "");
    }
    std::string missing;
#define ROOFSCOPE_DRIVER_RESOLVE(name)                                                      \
    api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, ROOFSCOPE_SYMBOL(name))); \
    if (!api.name) missing += " " ROOFSCOPE_SYMBOL(name);
    ROOFSCOPE_DRIVER_FUNCTIONS(ROOFSCOPE_DRIVER_RESOLVE)
    const std::string needed = missing;
    ROOFSCOPE_OPTIONAL_DRIVER_FUNCTIONS(ROOFSCOPE_DRIVER_RESOLVE)
#undef ROOFSCOPE_DRIVER_RESOLVE
    if (!needed.empty()) return "the NVIDIA driver is too old: libcuda.so.1 lacks" + needed;
    return {};
}

}  // namespace

const DriverApi* DriverApi::load(std::string* whyNot) {
    static DriverApi api;
    static std::string failure;
    static std::once_flag once;
    std::call_once(once, [] { failure = loadInto(api); });
    if (failure.empty()) return &api;
    if (whyNot) *whyNot = failure;
    return nullptr;
}

std::string DriverApi::describe(CUresult result) const {
    const char* text = nullptr;
    if (cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) text = "CUDA error";
    return fmt::format("{} ({})", text, static_cast<int>(result));
}

std::optional<std::uint32_t> DriverApi::attribute(CUdevice_attribute which, CUdevice device) const {
    int value = 0;
    if (cuDeviceGetAttribute(&value, which, device) != CUDA_SUCCESS || value < 0) return {};
    return static_cast<std::uint32_t>(value);
}

Device DriverApi::deviceFacts(CUdevice device) const {
    Device facts;
    char name[256] = {};
    if (cuDeviceGetName(name, sizeof name - 1, device) == CUDA_SUCCESS) facts.name = name;
    CUuuid uuid{};
    if (cuDeviceGetUuid_v2 && cuDeviceGetUuid_v2(&uuid, device) == CUDA_SUCCESS)
        facts.uuid = uuidText(uuid.bytes);
    const auto get = [&](CUdevice_attribute which) { return attribute(which, device); };
    facts.computeMajor =
        static_cast<int>(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR).value_or(0));
    facts.computeMinor =
        static_cast<int>(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR).value_or(0));
    facts.smCount = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).value_or(0);
    facts.warpSize = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE).value_or(32);
    facts.maxThreadsPerSm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    facts.maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    facts.maxBlocksPerSm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    facts.registersPerSm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    facts.sharedPerSmBytes = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    facts.sharedPerBlockOptinBytes = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    facts.sharedReservedPerBlockBytes = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    if (const auto bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)) facts.l2Bytes = *bytes;
    std::size_t memory = 0;
    if (cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS) facts.memoryBytes = memory;
    // The driver reports kHz.
    if (const auto khz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE); khz && *khz)
        facts.smClockMax = Hertz{*khz * 1e3};
    if (const auto khz = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE); khz && *khz)
        facts.memoryClockMax = Hertz{*khz * 1e3};
    return facts;
}

}  // namespace roofscope
