// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/early_sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace roofscope::inject::early {
namespace {

/// Leaked on purpose: a thread may use it until the very end of the process.
CpuSampler* g_sampler = nullptr;
pid_t g_process = 0;

}  // namespace

void begin() {
    auto sampler = std::make_unique<CpuSampler>();
    if (!sampler->start()) return;  // the recorder tries again and reports the reason
    g_sampler = sampler.release();
    g_process = getpid();
    // For a program that never uses CUDA.
    (void)std::atexit([] { (void)take().release(); });
}

std::unique_ptr<CpuSampler> take() {
    // A forked process has a copy of the sampler, but not its thread.
    if (!g_sampler || g_process != getpid()) return nullptr;
    std::unique_ptr<CpuSampler> sampler(std::exchange(g_sampler, nullptr));
    if (sampler->stop()) return sampler;
    (void)sampler.release();  // its thread hangs and still uses the sampler
    return nullptr;
}

std::optional<std::string> withoutLibrary(std::string_view preload, std::string_view library) {
    constexpr std::string_view kSeparators = " :";
    std::string others;
    bool found = false;
    while (!preload.empty()) {
        const std::size_t end = std::min(preload.find_first_of(kSeparators), preload.size());
        const std::string_view entry = preload.substr(0, end);
        preload.remove_prefix(std::min(end + 1, preload.size()));
        if (entry == library)
            found = true;
        else if (!entry.empty())
            others.append(others.empty() ? "" : ":").append(entry);
    }
    return found ? std::optional(others) : std::nullopt;
}

}  // namespace roofscope::inject::early
