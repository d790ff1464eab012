// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/clock_watch.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace roofscope::kernels {
namespace {

// From nvml.h, which is not there where only the driver is.
using Status = int;
using Handle = void*;
constexpr Status kSuccess = 0;
constexpr int kSmClock = 1;  // NVML_CLOCK_SM

constexpr std::pair<unsigned long long, const char*> kReasons[] = {
    {0x04, "power cap"},        {0x08, "hardware slowdown"},
    {0x20, "thermal slowdown"}, {0x40, "hardware thermal slowdown"},
    {0x80, "power brake"},      {0x10, "boost of another GPU"},
};

}  // namespace

std::string throttleWords(unsigned long long reasons) {
    std::string words;
    for (const auto& [bit, word] : kReasons)
        if (reasons & bit) words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

struct ClockWatch::Nvml {
    void* library = nullptr;
    Status (*shutdown)() = nullptr;
    Status (*clock)(Handle, int, unsigned*) = nullptr;
    Status (*reasons)(Handle, unsigned long long*) = nullptr;
    Handle gpu = nullptr;
    std::thread thread;
    std::atomic<bool> stopping{false};
    unsigned lowestMhz = 0, highestMhz = 0;
    bool sawReasons = false;
    unsigned long long mask = 0;

    ~Nvml() {
        stopWatching();
        if (shutdown) shutdown();
        if (library) dlclose(library);
    }
    /// Why it cannot be used, or empty.
    std::string open(const std::string& uuid) {
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) return "NVML (libnvidia-ml.so.1) is not there";
        Status (*init)() = nullptr;
        Status (*find)(const char*, Handle*) = nullptr;
        Status (*end)() = nullptr;
        const auto resolve = [this](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        if (!resolve(init, "nvmlInit_v2") || !resolve(end, "nvmlShutdown") ||
            !resolve(find, "nvmlDeviceGetHandleByUUID") ||
            !resolve(clock, "nvmlDeviceGetClockInfo"))
            return "NVML lacks a function";
        // Newer drivers call throttling events; either name does the same.
        if (!resolve(reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
            resolve(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
        if (init() != kSuccess) return "NVML does not start";
        shutdown = end;
        if (find(uuid.c_str(), &gpu) != kSuccess) return "NVML does not know this GPU";
        return {};
    }
    void look() {
        unsigned mhz = 0;
        if (clock(gpu, kSmClock, &mhz) == kSuccess && mhz > 0) {
            lowestMhz = lowestMhz == 0 ? mhz : std::min(lowestMhz, mhz);
            highestMhz = std::max(highestMhz, mhz);
        }
        unsigned long long now = 0;
        if (reasons && reasons(gpu, &now) == kSuccess) {
            sawReasons = true;
            mask |= now;
        }
    }
    void startWatching() {
        lowestMhz = highestMhz = 0;
        sawReasons = false;
        mask = 0;
        stopping = false;
        thread = std::thread([this] {
            constexpr std::chrono::milliseconds kPeriod(5);
            while (!stopping) {
                std::this_thread::sleep_for(kPeriod);
                look();
            }
        });
    }
    void stopWatching() {
        stopping = true;
        if (thread.joinable()) thread.join();
    }
};

ClockWatch::ClockWatch(const std::string& uuid) : m_nvml(std::make_unique<Nvml>()) {
    m_whyNot = m_nvml->open(uuid);
}
ClockWatch::~ClockWatch() = default;

void ClockWatch::start() {
    if (m_whyNot.empty()) m_nvml->startWatching();
}

ClockReport ClockWatch::stop() {
    ClockReport report;
    if (!m_whyNot.empty()) return report;
    m_nvml->stopWatching();
    constexpr double kMega = 1e6;
    if (m_nvml->lowestMhz > 0) {
        report.lowestSm = Hertz{m_nvml->lowestMhz * kMega};
        report.highestSm = Hertz{m_nvml->highestMhz * kMega};
    }
    if (m_nvml->sawReasons) {
        report.reasons = throttleWords(m_nvml->mask);
        report.throttled = !report.reasons.empty();
    }
    return report;
}

}  // namespace roofscope::kernels
