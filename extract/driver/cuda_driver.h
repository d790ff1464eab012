// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

/// The few driver functions and types that a replay needs, declared here so that a folder builds
/// with a C++ compiler alone. Names and numbers are those of cuda.h.
namespace roofscope::replay {

using Status = int;  ///< CUresult; 0: success
using Handle = void*;
using DevicePointer = unsigned long long;

struct MemoryLocation {
    int type = 1;  ///< CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;
};
struct AllocationProperties {
    int type = 1;  ///< CU_MEM_ALLOCATION_TYPE_PINNED
    int handleTypes = 0;
    MemoryLocation location;
    void* windowsOnly = nullptr;
    unsigned char flags[8] = {};
};
struct AccessDescription {
    MemoryLocation location;
    int flags = 3;  ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
struct LaunchAttribute {
    int id = 0;
    int padding = 0;
    union {
        char bytes[64];
        unsigned shape[3];
        int flag;
    };
};
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned sharedBytes;
    Handle stream;
    LaunchAttribute* attributes;
    unsigned attributeCount;
};
static_assert(sizeof(AllocationProperties) == 32 && sizeof(LaunchAttribute) == 72 &&
              sizeof(LaunchConfig) == 56);

inline constexpr int kAttributeCooperative = 2, kAttributeCluster = 4;

/// Name used here, symbol in libcuda.so.1, parameters.
#define ROOFSCOPE_REPLAY_FUNCTIONS(X)                                                         \
    X(init, "cuInit", (unsigned))                                                             \
    X(errorString, "cuGetErrorString", (Status, const char**))                                \
    X(deviceGet, "cuDeviceGet", (int*, int))                                                  \
    X(deviceName, "cuDeviceGetName", (char*, int, int))                                       \
    X(deviceAttribute, "cuDeviceGetAttribute", (int*, int, int))                              \
    X(retainContext, "cuDevicePrimaryCtxRetain", (Handle*, int))                              \
    X(setContext, "cuCtxSetCurrent", (Handle))                                                \
    X(synchronise, "cuCtxSynchronize", ())                                                    \
    X(loadModule, "cuModuleLoadData", (Handle*, const void*))                                 \
    X(unloadModule, "cuModuleUnload", (Handle))                                               \
    X(function, "cuModuleGetFunction", (Handle*, Handle, const char*))                        \
    X(global, "cuModuleGetGlobal_v2", (DevicePointer*, std::size_t*, Handle, const char*))    \
    X(functionAttribute, "cuFuncGetAttribute", (int*, int, Handle))                           \
    X(setFunctionAttribute, "cuFuncSetAttribute", (Handle, int, int))                         \
    X(parameterInfo, "cuFuncGetParamInfo", (Handle, std::size_t, std::size_t*, std::size_t*)) \
    X(launch, "cuLaunchKernelEx", (const LaunchConfig*, Handle, void**, void**))              \
    X(granularity, "cuMemGetAllocationGranularity",                                           \
      (std::size_t*, const AllocationProperties*, int))                                       \
    X(reserve, "cuMemAddressReserve",                                                         \
      (DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long))          \
    X(createMemory, "cuMemCreate",                                                            \
      (unsigned long long*, std::size_t, const AllocationProperties*, unsigned long long))    \
    X(mapMemory, "cuMemMap",                                                                  \
      (DevicePointer, std::size_t, std::size_t, unsigned long long, unsigned long long))      \
    X(setAccess, "cuMemSetAccess",                                                            \
      (DevicePointer, std::size_t, const AccessDescription*, std::size_t))                    \
    X(allocate, "cuMemAlloc_v2", (DevicePointer*, std::size_t))                               \
    X(freeMemory, "cuMemFree_v2", (DevicePointer))                                            \
    X(allocateHost, "cuMemHostAlloc", (void**, std::size_t, unsigned))                        \
    X(toDevice, "cuMemcpyHtoD_v2", (DevicePointer, const void*, std::size_t))                 \
    X(toHost, "cuMemcpyDtoH_v2", (void*, DevicePointer, std::size_t))                         \
    X(copy, "cuMemcpyDtoDAsync_v2", (DevicePointer, DevicePointer, std::size_t, Handle))      \
    X(fill, "cuMemsetD8Async", (DevicePointer, unsigned char, std::size_t, Handle))           \
    X(createStream, "cuStreamCreate", (Handle*, unsigned))                                    \
    X(waitStream, "cuStreamSynchronize", (Handle))                                            \
    X(waitValue, "cuStreamWaitValue32_v2", (Handle, DevicePointer, std::uint32_t, unsigned))  \
    X(createEvent, "cuEventCreate", (Handle*, unsigned))                                      \
    X(recordEvent, "cuEventRecord", (Handle, Handle))                                         \
    X(elapsed, "cuEventElapsedTime", (float*, Handle, Handle))

/// The functions of libcuda, loaded at run time.
class CudaDriver {
public:
#define ROOFSCOPE_REPLAY_MEMBER(name, symbol, parameters) Status(*name) parameters = nullptr;
    ROOFSCOPE_REPLAY_FUNCTIONS(ROOFSCOPE_REPLAY_MEMBER)
#undef ROOFSCOPE_REPLAY_MEMBER

    /// Throws std::runtime_error if there is no driver, or if it lacks one of the functions.
    CudaDriver() {
        void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) throw std::runtime_error("the NVIDIA driver (libcuda.so.1) is missing");
#define ROOFSCOPE_REPLAY_LOAD(name, symbol, parameters)                    \
    name = reinterpret_cast<Status(*) parameters>(dlsym(library, symbol)); \
    if (!name) throw std::runtime_error("the NVIDIA driver is too old: it lacks " symbol);
        ROOFSCOPE_REPLAY_FUNCTIONS(ROOFSCOPE_REPLAY_LOAD)
#undef ROOFSCOPE_REPLAY_LOAD
    }

    /// Unless `status` is success, throws std::runtime_error with the driver's error text.
    void check(Status status, const std::string& what) const {
        if (status == 0) return;
        const char* text = nullptr;
        errorString(status, &text);
        throw std::runtime_error(what + ": " + (text ? text : "CUDA error") + " (" +
                                 std::to_string(status) + ")");
    }
};

}  // namespace roofscope::replay
