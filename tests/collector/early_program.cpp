// SPDX-License-Identifier: Apache-2.0
// Works alone for 400 ms, and then uses CUDA (a fake one) for 200 ms. Its first argument says what
// else it does; see early_samples_test.cpp.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::uint64_t now() { return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()); }

[[gnu::noinline]] void readInput(milliseconds time) {
    volatile double sum = 1;
    const auto end = Clock::now() + time;
    while (Clock::now() < end)
        for (int i = 0; i < 1000; ++i) sum = sum * 1.0000001 + 0.1;
}

template <class Function>
Function* functionOf(const char* library, const char* name) {
    void* const loaded = dlopen(library, RTLD_NOW);
    auto* const function = loaded ? reinterpret_cast<Function*>(dlsym(loaded, name)) : nullptr;
    if (!function) std::_Exit(90);
    return function;
}

[[gnu::noinline]] void useCuda() {
    if (!dlopen(ROOFSCOPE_FAKE_CUPTI, RTLD_NOW)) std::_Exit(91);
    const auto clock = functionOf<void(std::uint64_t)>(ROOFSCOPE_FAKE_LAUNCHES, "fake_clock");
    const auto launch = functionOf<void(const char*, unsigned, std::uint64_t)>(
        ROOFSCOPE_FAKE_LAUNCHES, "fake_launch");
    clock(now());
    // As the driver does when it is initialised.
    if (const char* library = std::getenv("CUDA_INJECTION64_PATH"))
        functionOf<int()>(library, "InitializeInjection")();
    for (int i = 0; i < 40; ++i) {
        clock(now());
        launch("step", 1000, 4'000'000);
        std::this_thread::sleep_for(milliseconds(5));
    }
    clock(now());
}

}  // namespace

int main(int count, char** arguments) {
    const std::string mode = count > 1 ? arguments[1] : "";
    readInput(milliseconds(400));
    if (mode == "without-cuda") return 3;
    if (mode == "fork") {
        // The child uses CUDA. It has a copy of the sampler's memory, but not its thread.
        const pid_t child = fork();
        int status = 0;
        if (child != 0) return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
    }
    if (mode == "children") {
        // Nothing that the program starts is preloaded, and it keeps what was preloaded before.
        const char* const preload = std::getenv("LD_PRELOAD");
        if (preload && std::string(preload).find("roofscope") != std::string::npos) return 4;
        if (std::system("test -z \"$(echo \"$LD_PRELOAD\" | grep roofscope)\"") != 0) return 5;
    }
    useCuda();
    return 0;
}
