// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/gpu_watch.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace roofscope {
namespace {

/// How long a call into a driver may take before the watch stops waiting for it.
constexpr auto kPatience = std::chrono::seconds(2);
/// How long the program's start waits for the first sample. The program's memory is what it takes
/// beyond that sample.
constexpr auto kFirstLook = std::chrono::milliseconds(300);

std::int64_t secondOf(std::chrono::steady_clock::time_point time) {
    return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

template <class T>
void widen(std::optional<T>& lowest, std::optional<T>& highest, const std::optional<T>& value) {
    if (!value) return;
    lowest = lowest ? std::min(*lowest, *value) : *value;
    highest = highest ? std::max(*highest, *value) : *value;
}

void raiseTo(std::optional<double>& highest, const std::optional<double>& value) {
    if (value) highest = std::max(highest.value_or(*value), *value);
}

}  // namespace

void addSamples(ObservedClocks& observed, const ObservedClocks& later) {
    observed.samples += later.samples;
    for (const auto& value : {later.smLowest, later.smHighest})
        widen(observed.smLowest, observed.smHighest, value);
    for (const auto& value : {later.memoryLowest, later.memoryHighest})
        widen(observed.memoryLowest, observed.memoryHighest, value);
    raiseTo(observed.temperatureHighestC, later.temperatureHighestC);
    raiseTo(observed.powerHighestW, later.powerHighestW);
    if (later.throttledSamples)
        observed.throttledSamples = observed.throttledSamples.value_or(0) + *later.throttledSamples;
    for (const std::string& reason : later.throttledBy)
        if (std::ranges::find(observed.throttledBy, reason) == observed.throttledBy.end())
            observed.throttledBy.push_back(reason);
}

void addSample(ObservedClocks& observed, const nvml::Sample& sample) {
    if (sample.idle().value_or(true)) return;
    ++observed.samples;
    widen(observed.smLowest, observed.smHighest, sample.smClock);
    widen(observed.memoryLowest, observed.memoryHighest, sample.memoryClock);
    raiseTo(observed.temperatureHighestC, sample.temperatureC);
    raiseTo(observed.powerHighestW, sample.powerW);
    const auto reasons = nvml::throttledBy(*sample.reasons);
    observed.throttledSamples = observed.throttledSamples.value_or(0) + (reasons.empty() ? 0 : 1);
    for (const std::string& reason : reasons)
        if (std::ranges::find(observed.throttledBy, reason) == observed.throttledBy.end())
            observed.throttledBy.push_back(reason);
}

/// Shared by the thread and its owner, because the thread may outlive the
/// owner if the driver hangs.
struct GpuWatch::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false, done = false, looked = false;
    struct MemorySeen {
        std::uint64_t total, atFirst, most;
    };
    /// By UUID and second, because only samples from a certain time on may be needed.
    std::map<std::string, std::map<std::int64_t, ObservedClocks>> seen;
    std::map<std::string, MemorySeen> memory;

    void watch(const std::string& name, std::chrono::duration<double> period) {
        auto library = nvml::Library::open(name);
        std::map<std::string, nvml::Library::Gpu> gpus;
        if (library)
            for (const std::string& uuid : (*library)->uuids())
                if (const auto gpu = (*library)->find(uuid)) gpus[uuid] = gpu;
        std::unique_lock lock(mutex);
        while (!stopping && !gpus.empty()) {
            for (const auto& [uuid, gpu] : gpus) {
                lock.unlock();
                const auto used = (*library)->memory(gpu);
                const nvml::Sample sample = (*library)->sample(gpu);
                lock.lock();
                if (stopping) break;
                addSample(seen[uuid][secondOf(std::chrono::steady_clock::now())], sample);
                if (!used) continue;
                auto& m = memory.try_emplace(uuid, MemorySeen{used->total, used->used, used->used})
                              .first->second;
                m.most = std::max(m.most, used->used);
            }
            if (!std::exchange(looked, true)) changed.notify_all();
            changed.wait_for(lock, period, [this] { return stopping; });
        }
    }
};

GpuWatch::GpuWatch(std::string library, double periodSeconds)
    : m_shared(std::make_shared<Shared>()) {
    // Signals must reach the thread that runs the program, which passes them on.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
        std::thread([shared = m_shared, name = std::move(library), periodSeconds] {
            try {
                shared->watch(name, std::chrono::duration<double>(periodSeconds));
            } catch (...) {
                // Out of memory: the samples so far are kept.
            }
            const std::lock_guard lock(shared->mutex);
            shared->done = true;
            shared->changed.notify_all();
        }).detach();
    } catch (...) {
        m_shared->done = true;  // no thread could be started: there are no samples
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::unique_lock lock(m_shared->mutex);
    m_shared->changed.wait_for(lock, kFirstLook,
                               [this] { return m_shared->looked || m_shared->done; });
}

GpuWatch::~GpuWatch() {
    std::vector<Device> nobody;
    stop(nobody);
}

void GpuWatch::stop(std::vector<Device>& devices, std::optional<Seconds> since) {
    std::unique_lock lock(m_shared->mutex);
    if (!std::exchange(m_shared->stopping, true)) {
        m_shared->changed.notify_all();
        m_shared->changed.wait_for(lock, kPatience, [this] { return m_shared->done; });
    }
    for (Device& device : devices) {
        const auto it = m_shared->seen.find(device.uuid);
        if (it == m_shared->seen.end()) continue;
        ObservedClocks observed;
        for (const auto& [second, samples] : it->second)
            if (!since || static_cast<double>(second) >= since->value)
                addSamples(observed, samples);
        if (observed.samples > 0) device.observed = std::move(observed);
    }
}

std::optional<HeldMemory> GpuWatch::held(const std::string& uuid) const {
    const std::lock_guard lock(m_shared->mutex);
    const auto it = m_shared->memory.find(uuid);
    if (it == m_shared->memory.end()) return std::nullopt;
    const auto& m = it->second;
    return HeldMemory{.bytes = m.most - m.atFirst,
                      .freeBytes = m.total - std::min(m.total, m.most)};
}

}  // namespace roofscope
