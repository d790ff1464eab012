// SPDX-License-Identifier: Apache-2.0
// The NVML functions that roofscope calls, for two GPUs. Samples of the first one cycle through
// idle, at work, and throttled by its power limit. 60 of its 80 GB fill up, and half of that is
// freed again. The second GPU is always idle. ROOFSCOPE_FAKE_NVML_MODE: "refuses" (does not start),
// "hangs" (never answers).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
int g_look = 0;
int g_gpus[2];
constexpr int kUnknown = 6;  // NVML_ERROR_NOT_FOUND
const char* const kUuids[] = {"GPU-fake-0", "GPU-fake-1"};

bool mode(const char* name) {
    const char* value = std::getenv("ROOFSCOPE_FAKE_NVML_MODE");
    return value && !std::strcmp(value, name);
}
bool first(const void* gpu) { return gpu == &g_gpus[0]; }
}  // namespace

extern "C" {
int nvmlInit_v2() {
    while (mode("hangs")) sleep(1);
    return mode("refuses") ? kUnknown : 0;
}
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
    *gpu = &g_gpus[index];
    return 0;
}
int nvmlDeviceGetUUID(void* gpu, char* text, unsigned size) {
    std::snprintf(text, size, "%s", kUuids[first(gpu) ? 0 : 1]);
    return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** gpu) {
    for (int i = 0; i < 2; ++i)
        if (!std::strcmp(uuid, kUuids[i])) {
            *gpu = &g_gpus[i];
            return 0;
        }
    return kUnknown;
}
int nvmlDeviceGetClockInfo(void* gpu, int which, unsigned* mhz) {
    constexpr unsigned kSm[] = {345, 1980, 1500};
    if (which == 1) {
        *mhz = first(gpu) ? kSm[g_look % 3] : kSm[0];
        return 0;
    }
    *mhz = 3201;
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* gpu, unsigned long long* reasons) {
    constexpr unsigned long long kReasons[] = {0x1, 0x2, 0x4};  // idle; set by the user; power cap
    *reasons = first(gpu) ? kReasons[g_look++ % 3] : kReasons[0];
    return 0;
}
struct Memory {
    unsigned long long total, free, used;
};
int nvmlDeviceGetMemoryInfo(void* gpu, Memory* memory) {
    constexpr unsigned long long kUsed[] = {1, 61, 31};
    memory->total = 80'000'000'000;
    memory->used = (first(gpu) ? kUsed[g_look % 3] : kUsed[0]) * 1'000'000'000;
    memory->free = memory->total - memory->used;
    return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 700500;
    return 0;
}
}
