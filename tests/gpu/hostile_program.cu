// SPDX-License-Identifier: Apache-2.0
// A CUDA program that does what programs should not do, one kind of mischief for each mode. Used by
// hostile_cases.py: whatever it does, it must end with the same code and the same output when it is
// recorded. It prints "ok" where its own checks hold.
#include <cuda_runtime.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/gpu/hostile_cuda.cuh"
#include "tests/gpu/hostile_process.cuh"
#include "tests/gpu/hostile_work.cuh"

namespace {

struct AtStart {
    AtStart() {
        const char* mode = std::getenv("HOSTILE_STATIC");
        if (!mode) return;
        allocate();
        launch(3);
        finish();
    }
    ~AtStart() {
        if (!std::getenv("HOSTILE_STATIC")) return;
        work<<<kN / 256, 256>>>(g_in, g_out, kN);
        cudaDeviceSynchronize();
    }
} at_start;

void inAtExit() {
    work<<<kN / 256, 256>>>(g_in, g_out, kN);
    cudaDeviceSynchronize();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
}

/// Appends where a crash happened to the file in HOSTILE_TRACE.
void traceCrashes() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        const int file = open(std::getenv("HOSTILE_TRACE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        void* frames[60];
        backtrace_symbols_fd(frames, backtrace(frames, 60), file);
        std::signal(signal, SIG_DFL);
        raise(signal);
    };
    void* frames[1];
    backtrace(frames, 1);  // loads what the handler needs
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGABRT, &action, nullptr);
}

}  // namespace

// As a library it can be another tool's, which does nothing.
extern "C" int InitializeInjection() { return 1; }

// For Python through ctypes.
extern "C" int hostile_launch(int times) {
    if (!g_in) allocate();
    launch(times);
    finish();
    return 0;
}

int main(int argc, char** argv) {
    if (std::getenv("HOSTILE_TRACE")) traceCrashes();
    const std::string mode = argc > 1 ? argv[1] : "plain";
    const auto begins = [&](const char* word) { return mode.rfind(word, 0) == 0; };
    if (mode == "reuse-descriptors") return reuseDescriptors();
    if (begins("seccomp")) return sandboxed(mode.c_str());
    if (mode == "stop") return stopAndContinue();
    if (begins("cupti")) return ownCupti(mode.c_str());
    if (mode == "interrupted") return interrupted();
    if (mode == "coroutines") return coroutines();
    if (mode == "lost-frames") return lostFrames();
    if (begins("signals")) return ownSignals(mode.c_str());
    if (mode == "threads") return threadsThatEnd(2000);
    if (begins("leave")) return leaveWhileLaunching(mode.c_str());
    if (begins("fork")) return forks(mode.c_str());
    if (begins("nvtx")) return ranges(mode.c_str());
    if (mode == "graphs") return graphStorm(4), 0;
    if (mode == "graphs-of-one-thread") return graphStorm(1), 0;
    if (mode == "contexts") return contexts();
    if (mode == "reset-beside") return resetBeside();
    if (begins("limit")) return limits(mode.c_str());
    if (begins("change-")) return changes(mode.c_str() + 7);
    if (mode == "daemon") return daemonise();
    if (mode == "long-names") return longNames();
    if (begins("name-")) return oneName(mode.back() - '0');
    if (mode == "modules") return moduleStorm();
    if (mode == "switches") return switches();
    if (mode == "environment") return environment();
    if (mode == "close-early") {
        for (int fd = 3; fd < 1024; ++fd) close(fd);
        allocate();
        launch(3);
        finish();
        std::printf("ok\n");
        return 0;
    }
    if (mode == "close-standard") {
        close(0), close(1), close(2);
        allocate();
        launch(3);
        finish();
        return 4;
    }
    if (mode == "clear-then-init") {
        clearenv();
        allocate();
        launch(3);
        finish();
        std::printf("ok\n");
        return 0;
    }
    if (mode == "at-exit") std::atexit(inAtExit);
    allocate();
    const int times = argc > 2 ? std::atoi(argv[2]) : 5;
    launch(times);
    finish();
    if (mode == "trap") {
        trap<<<1, 32>>>();
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 5;
    }
    std::printf("ok\n");
    return argc > 3 ? std::atoi(argv[3]) : 0;
}
