// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/usable_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace roofscope::inject {

std::optional<std::uint32_t> cpuLimit(std::string_view text) {
    constexpr std::uint64_t kMost = 1'000'000'000'000;
    const char* const end = text.data() + text.size();
    std::uint64_t time = 0, period = 0;
    const auto first = std::from_chars(text.data(), end, time);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ' ') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, period);
    if (second.ec != std::errc{} || time == 0 || period == 0 || time > kMost || period > kMost)
        return std::nullopt;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((time + period - 1) / period, 1U << 20U));
}

std::uint32_t usableCpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    // The system refuses a set that is too small for the machine: more than 1024 CPUs.
    std::uint32_t cpus = sched_getaffinity(getpid(), sizeof set, &set) == 0
                             ? static_cast<std::uint32_t>(CPU_COUNT(&set))
                             : std::thread::hardware_concurrency();
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string text;
    if (std::getline(file, text))
        if (const auto limit = cpuLimit(text)) cpus = std::min(cpus, *limit);
    return cpus;
}

}  // namespace roofscope::inject
