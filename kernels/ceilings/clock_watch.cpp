// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/clock_watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "nvml/nvml.h"

namespace roofscope::kernels {

std::string throttleWords(unsigned long long reasons) {
    std::string words;
    for (const std::string& word : nvml::throttledBy(reasons))
        words += (words.empty() ? "" : ", ") + word;
    return words;
}

struct ClockWatch::Watch {
    std::unique_ptr<nvml::Library> library;
    nvml::Library::Gpu gpu = nullptr;
    std::thread thread;
    std::atomic<bool> stopping{false};
    std::optional<Hertz> lowest, highest;
    std::optional<unsigned long long> mask;

    ~Watch() { stopWatching(); }
    /// Why NVML cannot be used, or empty.
    std::string open(const std::string& uuid) {
        auto opened = nvml::Library::open();
        if (!opened) return opened.error().what;
        library = std::move(*opened);
        gpu = library->find(uuid);
        return gpu ? "" : "NVML does not know this GPU";
    }
    void look() {
        const nvml::Sample now = library->sample(gpu);
        if (now.smClock) {
            lowest = lowest ? std::min(*lowest, *now.smClock) : *now.smClock;
            highest = highest ? std::max(*highest, *now.smClock) : *now.smClock;
        }
        if (now.reasons) mask = mask.value_or(0) | *now.reasons;
    }
    void startWatching() {
        lowest.reset();
        highest.reset();
        mask.reset();
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

ClockWatch::ClockWatch(const std::string& uuid) : m_watch(std::make_unique<Watch>()) {
    m_whyNot = m_watch->open(uuid);
}
ClockWatch::~ClockWatch() = default;

void ClockWatch::start() {
    if (m_whyNot.empty()) m_watch->startWatching();
}

ClockReport ClockWatch::stop() {
    ClockReport report;
    if (!m_whyNot.empty()) return report;
    m_watch->stopWatching();
    report.lowestSm = m_watch->lowest;
    report.highestSm = m_watch->highest;
    if (m_watch->mask) {
        report.reasons = throttleWords(*m_watch->mask);
        report.throttled = !report.reasons.empty();
    }
    return report;
}

}  // namespace roofscope::kernels
