// SPDX-License-Identifier: Apache-2.0
// Functions that cpu_samples_test.py calls from within a Python process.
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include "collector/inject/sampling/cpu_sampler.h"
#include "profile/names/foreign_modules.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
std::unique_ptr<roofscope::inject::CpuSampler> g_sampler;
}  // namespace

/// Starts sampling the calling thread; returns 0 if that is not possible.
EXPORT int start_sampling() {
    g_sampler = std::make_unique<roofscope::inject::CpuSampler>([] {
        return static_cast<std::uint64_t>(
            std::chrono::steady_clock::now().time_since_epoch().count());
    });
    g_sampler->follow(0, static_cast<pid_t>(syscall(SYS_gettid)));
    return g_sampler->start() ? 1 : 0;
}

/// Ends sampling. Returns a line per sample: first what the thread waits for, then its innermost
/// frames, from the inside out, as "file:line:function" or as the name of a library, separated by
/// tabs.
EXPORT const char* stop_sampling() {
    static std::string text;
    text.clear();
    if (!g_sampler->stop()) return "";
    const auto result = g_sampler->result([](pid_t, bool) { return 1U; });
    const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    for (const auto& sample : result.samples) {
        if (sample.thread != 0) continue;
        text += roofscope::kCpuWaits.at(static_cast<std::size_t>(sample.wait)).first;
        for (const std::uint32_t frame : result.stacks.stacks[sample.stack]) {
            const std::size_t natives = result.stacks.native.size();
            if (frame < natives) {
                text += "\t" + base(result.stacks.native[frame].module);
                continue;
            }
            const auto& line = result.stacks.python[frame - natives];
            text += "\t" + base(line.file) + ":" + std::to_string(line.line) + ":" + line.function;
        }
        text += "\n";
    }
    if (!g_sampler->problem().empty()) text += "problem\t" + g_sampler->problem() + "\n";
    return text.c_str();
}

/// Keeps the CPU busy in compiled code for this many seconds.
EXPORT void spin_in_c(double seconds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
    }
}

/// Calls back into Python.
EXPORT void call_back(void (*function)()) {
    function();
    asm volatile("");  // otherwise this frame would be gone before the call
}
