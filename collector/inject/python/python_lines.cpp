// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/python_lines.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace roofscope::inject::python_lines {
namespace {

/// Limits the memory for a program that keeps creating functions.
constexpr std::size_t kMostFunctions = 20'000;

std::mutex g_mutex;  ///< guards the next two; held only for moments
std::map<std::pair<std::string, std::string>, std::uint32_t>& numbers() {
    static auto& map = *new std::map<std::pair<std::string, std::string>, std::uint32_t>;
    return map;  // never destroyed: launches come until the very end of the process
}
std::vector<Code>& codes() {
    static auto& list = *new std::vector<Code>;
    return list;
}

/// Number and line in one value, so that other threads read a matching pair.
constexpr std::uint64_t packed(std::uint32_t number, std::uint32_t line) {
    return std::uint64_t{number} << 32 | line;
}
thread_local std::uint64_t t_here = 0;
std::atomic<std::uint64_t> g_main{0};

}  // namespace

std::uint32_t code(const std::string& file, const std::string& function) {
    const std::lock_guard lock(g_mutex);
    const auto known = numbers().find({file, function});
    if (known != numbers().end()) return known->second;
    if (codes().size() >= kMostFunctions) return 0;
    codes().push_back({file, function});
    const auto number = static_cast<std::uint32_t>(codes().size());
    numbers().emplace(std::pair(file, function), number);
    return number;
}

void at(std::uint32_t number, std::uint32_t line) {
    t_here = number == 0 ? 0 : packed(number, line);
    static thread_local const bool isMain = getpid() == syscall(SYS_gettid);
    if (isMain) g_main.store(t_here, std::memory_order_relaxed);
}

std::optional<Place> here() {
    const std::uint64_t own = t_here;
    const std::uint64_t place = own != 0 ? own : g_main.load(std::memory_order_relaxed);
    if (place == 0) return std::nullopt;
    return Place{.code = static_cast<std::uint32_t>(place >> 32),
                 .line = static_cast<std::uint32_t>(place),
                 .indirect = own == 0};
}

Code codeOf(std::uint32_t number) {
    const std::lock_guard lock(g_mutex);
    return number >= 1 && number <= codes().size() ? codes()[number - 1] : Code{};
}

}  // namespace roofscope::inject::python_lines
