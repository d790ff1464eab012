// SPDX-License-Identifier: Apache-2.0
// A libcuda without a GPU, as far as extract/driver needs one: GPU memory is the host's, and the
// kernel "scale" (const float* in, float* out, int n) runs on the CPU when it is launched.
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;
char kernel;  // its address is the handle

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default"))) int
using Pointer = unsigned long long;
using Size = std::size_t;

EXPORT cuInit(unsigned) { return 0; }
EXPORT cuGetErrorString(int, const char** text) {
    *text = "an error of the fake driver";
    return 0;
}
EXPORT cuDeviceGet(int* device, int) { return *device = 0; }
EXPORT cuDeviceGetName(char* name, int, int) {
    std::strcpy(name, "a fake GPU");
    return 0;
}
EXPORT cuDeviceGetAttribute(int* value, int which, int) {
    constexpr int kComputeMajor = 75;
    *value = which == kComputeMajor ? 9 : 1 << 20;
    return 0;
}
EXPORT cuDevicePrimaryCtxRetain(void** context, int) {
    *context = &kernel;
    return 0;
}
EXPORT cuCtxSetCurrent(void*) { return 0; }
EXPORT cuCtxSynchronize() { return 0; }
EXPORT cuModuleLoadData(void** module, const void*) {
    *module = &kernel;
    return 0;
}
EXPORT cuModuleUnload(void*) { return 0; }
EXPORT cuModuleGetFunction(void** function, void*, const char* name) {
    *function = std::strcmp(name, "scale") == 0 ? &kernel : nullptr;
    return *function ? 0 : 500;
}
EXPORT cuModuleGetGlobal_v2(Pointer*, Size*, void*, const char*) { return 500; }
EXPORT cuFuncGetAttribute(int* value, int, void*) { return *value = 0; }
EXPORT cuFuncSetAttribute(void*, int, int) { return 0; }
EXPORT cuFuncGetParamInfo(void*, Size i, Size* offset, Size* bytes) {
    *offset = i * 8;
    *bytes = i < 2 ? 8 : 4;
    return i < 3 ? 0 : 1;
}
EXPORT cuLaunchKernelEx(const void*, void* function, void** arguments, void**) {
    if (function != &kernel) return 0;
    const float* in = *static_cast<float**>(arguments[0]);
    float* out = *static_cast<float**>(arguments[1]);
    const int n = *static_cast<int*>(arguments[2]);
    for (int i = 0; i < n; ++i) out[i] = in[i] * 3;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return 0;
}
EXPORT cuMemGetAllocationGranularity(Size* size, const void*, int) {
    *size = kPage;
    return 0;
}
EXPORT cuMemAddressReserve(Pointer* at, Size bytes, Size, Pointer wanted, unsigned long long) {
    void* const got = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return 2;
    *at = reinterpret_cast<Pointer>(got);
    return 0;
}
EXPORT cuMemCreate(unsigned long long* memory, Size, const void*, unsigned long long) {
    *memory = 1;
    return 0;
}
EXPORT cuMemMap(Pointer, Size, Size, unsigned long long, unsigned long long) { return 0; }
EXPORT cuMemSetAccess(Pointer, Size, const void*, Size) { return 0; }
EXPORT cuMemAlloc_v2(Pointer* at, Size bytes) {
    *at = reinterpret_cast<Pointer>(std::malloc(bytes));
    return *at ? 0 : 2;
}
EXPORT cuMemFree_v2(Pointer at) {
    std::free(reinterpret_cast<void*>(at));
    return 0;
}
EXPORT cuMemHostAlloc(void** at, Size bytes, unsigned) {
    *at = std::calloc(1, bytes);
    return *at ? 0 : 2;
}
EXPORT cuMemcpyHtoD_v2(Pointer to, const void* from, Size bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
}
EXPORT cuMemcpyDtoH_v2(void* to, Pointer from, Size bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return 0;
}
EXPORT cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, Size bytes, void*) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return 0;
}
EXPORT cuMemsetD8Async(Pointer at, unsigned char value, Size bytes, void*) {
    std::memset(reinterpret_cast<void*>(at), value, bytes);
    return 0;
}
EXPORT cuStreamCreate(void** stream, unsigned) {
    *stream = &kernel;
    return 0;
}
EXPORT cuStreamSynchronize(void*) { return 0; }
// Nothing is asynchronous here: work is done when it is launched.
EXPORT cuStreamWaitValue32_v2(void*, Pointer, std::uint32_t, unsigned) { return 801; }
EXPORT cuEventCreate(void** event, unsigned) {
    *event = new double(0);
    return 0;
}
EXPORT cuEventRecord(void* event, void*) {
    *static_cast<double*>(event) = now();
    return 0;
}
EXPORT cuEventElapsedTime(float* milliseconds, void* first, void* last) {
    const double seconds = *static_cast<double*>(last) - *static_cast<double*>(first);
    *milliseconds = static_cast<float>(seconds * 1e3);
    return 0;
}
