// SPDX-License-Identifier: Apache-2.0
#include "nvml/nvml.h"

#include <dlfcn.h>

#include <type_traits>
#include <utility>

namespace roofscope::nvml {
namespace {

// From nvml.h, which is missing if only the driver is installed.
using Status = int;
constexpr Status kSuccess = 0;
constexpr int kSmClock = 1, kMemoryClock = 2;  // NVML_CLOCK_SM, NVML_CLOCK_MEM
struct MemoryInfo {                            // nvmlMemory_t
    unsigned long long total, free, used;
};
constexpr int kGpuTemperature = 0;          // NVML_TEMPERATURE_GPU
constexpr unsigned long long kIdle = 0x01;  // nvmlClocksEventReasonGpuIdle
constexpr std::pair<unsigned long long, const char*> kReasons[] = {
    {0x04, "power cap"},        {0x08, "hardware slowdown"},
    {0x20, "thermal slowdown"}, {0x40, "hardware thermal slowdown"},
    {0x80, "power brake"},      {0x10, "sync boost with another GPU"},
};

}  // namespace

std::optional<bool> Sample::idle() const {
    if (!reasons) return std::nullopt;
    return (*reasons & kIdle) != 0;
}

std::vector<std::string> throttledBy(unsigned long long reasons) {
    std::vector<std::string> words;
    for (const auto& reason : kReasons)
        if (reasons & reason.first) words.emplace_back(reason.second);
    return words;
}

struct Library::Functions {
    void* handle = nullptr;
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    Status (*find)(const char*, Gpu*) = nullptr;
    Status (*count)(unsigned*) = nullptr;
    Status (*byIndex)(unsigned, Gpu*) = nullptr;
    Status (*uuid)(Gpu, char*, unsigned) = nullptr;
    Status (*clock)(Gpu, int, unsigned*) = nullptr;
    Status (*reasons)(Gpu, unsigned long long*) = nullptr;
    Status (*temperature)(Gpu, int, unsigned*) = nullptr;
    Status (*power)(Gpu, unsigned*) = nullptr;
    Status (*memory)(Gpu, MemoryInfo*) = nullptr;

    template <class Function>
    bool resolve(Function& function, const char* name) const {
        function = reinterpret_cast<std::decay_t<Function>>(dlsym(handle, name));
        return function != nullptr;
    }
};

Library::Library() : m_functions(std::make_unique<Functions>()) {}

Library::~Library() {
    if (m_functions->init) m_functions->shutdown();
    if (m_functions->handle) dlclose(m_functions->handle);
}

Result<std::unique_ptr<Library>> Library::open(const std::string& name) {
    std::unique_ptr<Library> library(new Library);
    Functions& f = *library->m_functions;
    const auto refuse = [&](std::string what) {
        f.init = nullptr;  // not initialised, so there is nothing to shut down
        return Error{.code = ErrorCode::Unavailable, .what = std::move(what)};
    };
    f.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!f.handle) return refuse("NVML (" + name + ") was not found");
    if (!f.resolve(f.init, "nvmlInit_v2") || !f.resolve(f.shutdown, "nvmlShutdown") ||
        !f.resolve(f.find, "nvmlDeviceGetHandleByUUID") ||
        !f.resolve(f.clock, "nvmlDeviceGetClockInfo"))
        return refuse("NVML lacks a function");
    f.resolve(f.count, "nvmlDeviceGetCount_v2");
    f.resolve(f.byIndex, "nvmlDeviceGetHandleByIndex_v2");
    f.resolve(f.uuid, "nvmlDeviceGetUUID");
    f.resolve(f.temperature, "nvmlDeviceGetTemperature");
    f.resolve(f.power, "nvmlDeviceGetPowerUsage");
    f.resolve(f.memory, "nvmlDeviceGetMemoryInfo");
    // Newer drivers call throttle reasons clocks-event reasons; both functions do the same.
    if (!f.resolve(f.reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
        f.resolve(f.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (f.init() != kSuccess) return refuse("NVML could not be initialised");
    return library;
}

Library::Gpu Library::find(const std::string& uuid) const {
    Gpu gpu = nullptr;
    return m_functions->find(uuid.c_str(), &gpu) == kSuccess ? gpu : nullptr;
}

std::vector<std::string> Library::uuids() const {
    const Functions& f = *m_functions;
    std::vector<std::string> list;
    unsigned count = 0;
    if (!f.count || !f.byIndex || !f.uuid || f.count(&count) != kSuccess) return list;
    for (unsigned i = 0; i < count; ++i) {
        Gpu gpu = nullptr;
        char text[96] = {};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
        if (f.byIndex(i, &gpu) == kSuccess && f.uuid(gpu, text, sizeof text - 1) == kSuccess)
            list.emplace_back(text);
    }
    return list;
}

std::optional<Memory> Library::memory(Gpu gpu) const {
    MemoryInfo info{};
    if (!m_functions->memory || m_functions->memory(gpu, &info) != kSuccess) return std::nullopt;
    return Memory{.total = info.total, .used = info.used};
}

Sample Library::sample(Gpu gpu) const {
    constexpr double kMega = 1e6, kMilli = 1e-3;
    const Functions& f = *m_functions;
    Sample sample;
    unsigned number = 0;
    if (f.clock(gpu, kSmClock, &number) == kSuccess && number > 0)
        sample.smClock = Hertz{number * kMega};
    if (f.clock(gpu, kMemoryClock, &number) == kSuccess && number > 0)
        sample.memoryClock = Hertz{number * kMega};
    unsigned long long reasons = 0;
    if (f.reasons && f.reasons(gpu, &reasons) == kSuccess) sample.reasons = reasons;
    if (f.temperature && f.temperature(gpu, kGpuTemperature, &number) == kSuccess)
        sample.temperatureC = number;
    if (f.power && f.power(gpu, &number) == kSuccess) sample.powerW = number * kMilli;
    return sample;
}

}  // namespace roofscope::nvml
