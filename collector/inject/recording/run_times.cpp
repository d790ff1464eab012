// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recording/run_times.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace roofscope::inject {
namespace {

/// When the process was created, in clock ticks since the machine started.
std::optional<std::uint64_t> startTicks() {
    std::string line;
    std::ifstream file("/proc/self/stat");
    if (!std::getline(file, line)) return std::nullopt;
    // The program's name is in brackets and may itself contain brackets and spaces.
    const auto name = line.rfind(')');
    if (name == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(name + 1));
    constexpr int kField = 20;  // position after the name: see proc(5)
    std::string field;
    for (int i = 0; i < kField; ++i)
        if (!(fields >> field)) return std::nullopt;
    std::uint64_t ticks = 0;
    std::istringstream number(field);
    return number >> ticks ? std::optional(ticks) : std::nullopt;
}

}  // namespace

std::optional<std::chrono::nanoseconds> ageOfProcess() {
    const auto ticks = startTicks();
    const long perSecond = sysconf(_SC_CLK_TCK);
    timespec now{};
    if (!ticks || perSecond <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
    constexpr std::int64_t kBillion = 1'000'000'000;
    const std::int64_t age = now.tv_sec * kBillion + now.tv_nsec -
                             static_cast<std::int64_t>(*ticks) * (kBillion / perSecond);
    if (age < 0) return std::nullopt;
    return std::chrono::nanoseconds(age);
}

std::uint64_t RunTimes::now() const {
    std::uint64_t ns = 0;
    return m_cupti.GetTimestamp(&ns) == CUPTI_SUCCESS ? ns : 0;
}

void RunTimes::noteFirst(Moment& moment) const {
    std::uint64_t none = 0;
    moment.compare_exchange_strong(none, now());
}

void RunTimes::setUp(Clock::time_point since) {
    const auto age = ageOfProcess();
    const std::uint64_t end = now();
    const auto lasted =
        static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - since).count());
    if (!age || end < static_cast<std::uint64_t>(age->count())) return;
    m_setupEnd = end;
    m_start = end - static_cast<std::uint64_t>(age->count());
    m_setupStart = std::max(m_start, end - std::min(end, lasted));
}

std::optional<spool::RunRecord> RunTimes::untilNow() const {
    if (m_start == 0) return std::nullopt;
    return spool::RunRecord{.start = m_start,
                            .end = std::max(m_setupEnd, now()),
                            .setupStart = m_setupStart,
                            .setupEnd = m_setupEnd,
                            .firstContext = m_firstContext,
                            .firstLaunch = m_firstLaunch,
                            .countedUntil = m_countedUntil};
}

}  // namespace roofscope::inject
