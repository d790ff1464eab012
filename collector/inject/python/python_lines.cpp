// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/python_lines.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "collector/inject/python/frame_lines.h"
#include "collector/inject/python/numbered_pairs.h"

namespace roofscope::inject::python_lines {
namespace {

/// Limits the memory for a program that keeps creating functions.
constexpr std::size_t kMostFunctions = 20'000;
/// How many lines of a function may run for each call that is recorded in it, and how many more in
/// all. A followed line takes about 1 µs more, thirty times its own time (Python 3.12).
constexpr std::uint32_t kLinesOfCall = 1'000, kMostUnused = 10'000;

std::mutex g_mutex;  ///< guards the functions; held only for moments
NumberedPairs& functions() {
    static auto& pairs = *new NumberedPairs;
    return pairs;
}

/// Number and line in one value, so that other threads read a matching pair.
constexpr std::uint64_t packed(std::uint32_t number, std::uint32_t line) {
    return std::uint64_t{number} << 32 | line;
}
thread_local std::uint64_t t_here = 0;
std::atomic<std::uint64_t> g_main{0};
/// By function: lines beyond those of its calls. Threads may lose some of each other's.
std::array<std::atomic<std::uint32_t>, kMostFunctions + 1> g_unused{};

/// By function: whether it called one that is not followed. 0: no function of the program's own.
std::array<std::atomic<bool>, kMostFunctions + 1> g_hides{};

bool isUsed(std::uint32_t number) {
    if (number == 0 || number >= g_unused.size()) return true;
    auto& unused = g_unused[number];
    const std::uint32_t lines = unused.load(std::memory_order_relaxed) + 1;
    unused.store(lines, std::memory_order_relaxed);
    return lines <= kMostUnused;
}

}  // namespace

std::uint32_t code(const std::string& file, const std::string& function) {
    const std::lock_guard lock(g_mutex);
    return functions().number({file, function}, kMostFunctions);
}

bool at(std::uint32_t number, std::uint32_t line) {
    t_here = number == 0 ? 0 : packed(number, line);
    static thread_local const bool isMain = getpid() == syscall(SYS_gettid);
    if (isMain) g_main.store(t_here, std::memory_order_relaxed);
    return isUsed(number);
}

void hidesCallee() {
    const auto number = static_cast<std::uint32_t>(t_here >> 32);
    if (number < g_hides.size()) g_hides[number].store(true, std::memory_order_relaxed);
}

std::optional<Place> here() {
    const std::uint64_t own = t_here;
    if (const auto number = static_cast<std::uint32_t>(own >> 32);
        number < g_hides.size() && g_hides[number].load(std::memory_order_relaxed))
        if (auto place = hereByFrames()) return place;
    const std::uint64_t place = own != 0 ? own : g_main.load(std::memory_order_relaxed);
    if (place == 0) return std::nullopt;
    if (const auto number = static_cast<std::uint32_t>(place >> 32); number < g_unused.size()) {
        const std::uint32_t unused = g_unused[number].load(std::memory_order_relaxed);
        g_unused[number].store(unused - std::min(unused, kLinesOfCall), std::memory_order_relaxed);
    }
    return Place{.code = static_cast<std::uint32_t>(place >> 32),
                 .line = static_cast<std::uint32_t>(place),
                 .indirect = own == 0};
}

Code codeOf(std::uint32_t number) {
    const std::lock_guard lock(g_mutex);
    auto [file, function] = functions().pair(number);
    return {.file = std::move(file), .function = std::move(function)};
}

}  // namespace roofscope::inject::python_lines
