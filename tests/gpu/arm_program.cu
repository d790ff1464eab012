// SPDX-License-Identifier: Apache-2.0
// A server in small, for `roofscope snap`: arm_program KIND SECONDS [THREADS]
//
//   plain: each step is 400 launches of two kernels, and a wait
//
//   pause: as plain, with 0.1 ms of nothing in each step
//
//   graph: each step is 20 launches of one CUDA graph of 20 kernels, made at the start, and a wait
//
//   capture: as graph, but the graph is made anew in each step
//
//   strict: as capture, in the mode in which no other thread may disturb a capture
//
//   seldom: as graph, but only between a quarter and three quarters of the time
//
//   fork: as plain; a forked child sleeps meanwhile, and another program is started every second
//
//   reset: as plain, and the device is reset after half of the time
//
// Prints "TIME STEPS LAUNCHES" four times a second (TIME: seconds of the monotonic clock), and "ok"
// at the end if the results are right.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kFloats = 1 << 14;
constexpr int kLaunches = 400, kNodes = 20;

__global__ void addOne(int* values) { ++values[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void addTwo(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 2; }

std::atomic<std::uint64_t> g_steps{0}, g_launches{0}, g_failures{0};

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    if (g_failures++ < 5) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void pairsOf(int pairs, int* values, cudaStream_t stream) {
    for (int i = 0; i < pairs; ++i) {
        addOne<<<kFloats / 128, 128, 0, stream>>>(values);
        addTwo<<<kFloats / 128, 128, 0, stream>>>(values);
    }
}

cudaGraphExec_t makeGraph(int* values, cudaStream_t stream, bool strict = false) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(
              stream, strict ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal),
          "begin");
    pairsOf(kNodes / 2, values, stream);
    check(cudaStreamEndCapture(stream, &graph), "end");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "destroy");
    return executable;
}

/// One thread of the server. Returns whether each value is what it should be.
bool serve(const char* kind, double until) {
    cudaStream_t stream = nullptr;
    int* values = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(cudaMalloc(&values, kFloats * sizeof(int)), "malloc");
    check(cudaMemsetAsync(values, 0, kFloats * sizeof(int), stream), "memset");
    const bool strict = std::strcmp(kind, "strict") == 0;
    const bool captures = strict || std::strcmp(kind, "capture") == 0;
    const bool seldom = std::strcmp(kind, "seldom") == 0, pauses = std::strcmp(kind, "pause") == 0;
    bool graphs = captures || seldom || std::strcmp(kind, "graph") == 0;
    cudaGraphExec_t graph = graphs && !captures ? makeGraph(values, stream) : nullptr;
    std::uint64_t steps = 0;
    const double quarter = (until - now()) / 4;
    while (now() < until) {
        if (seldom) graphs = now() > until - quarter || now() < until - 3 * quarter;
        if (pauses) usleep(100);
        if (captures) graph = makeGraph(values, stream, strict);
        if (graphs)
            for (int i = 0; i < kLaunches / kNodes; ++i)
                check(cudaGraphLaunch(graph, stream), "launch");
        else
            pairsOf(kLaunches / 2, values, stream);
        check(cudaStreamSynchronize(stream), "synchronize");
        if (captures) check(cudaGraphExecDestroy(graph), "destroy");
        ++steps;
        ++g_steps;
        g_launches += graphs ? kLaunches / kNodes : kLaunches;
    }
    std::vector<int> result(kFloats);
    check(cudaMemcpy(result.data(), values, kFloats * sizeof(int), cudaMemcpyDeviceToHost), "copy");
    bool right = true;
    for (const int value : result)
        right = right && static_cast<std::uint64_t>(value) == steps * kLaunches / 2 * 3;
    if (!right)
        std::fprintf(stderr, "wrong: %d, not %llu\n", result[0],
                     static_cast<unsigned long long>(steps * kLaunches / 2 * 3));
    check(cudaFree(values), "free");
    return right;
}

void startOther(char** argv) {
    if (const pid_t child = fork(); child == 0) {
        char kind[] = "plain", seconds[] = "0.2";
        char* const words[] = {argv[0], kind, seconds, nullptr};
        (void)!std::freopen("/dev/null", "w", stdout);
        execv(argv[0], words);
        _exit(1);
    } else {
        waitpid(child, nullptr, 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const char* const kind = argv[1];
    const double seconds = std::atof(argv[2]);
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    const bool forks = std::strcmp(kind, "fork") == 0, resets = std::strcmp(kind, "reset") == 0;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    check(cudaFree(nullptr), "context");
    const double end = now() + seconds;
    pid_t sleeper = 0;
    if (forks && (sleeper = fork()) == 0) {
        usleep(static_cast<useconds_t>(seconds * 1e6));
        _exit(0);
    }
    std::atomic<bool> right{true}, over{false};
    std::thread reporter([&] {
        for (int i = 0; !over; ++i) {
            std::printf("%.6f %llu %llu\n", now(), static_cast<unsigned long long>(g_steps.load()),
                        static_cast<unsigned long long>(g_launches.load()));
            if (forks && i % 4 == 3) startOther(argv);
            usleep(250'000);
        }
    });
    for (int turn = 0; turn < (resets ? 2 : 1); ++turn) {
        const double until = resets && turn == 0 ? now() + seconds / 2 : end;
        std::vector<std::thread> servers;
        for (int t = 0; t < threads; ++t)
            servers.emplace_back([&] {
                if (!serve(kind, until)) right = false;
            });
        for (auto& server : servers) server.join();
        if (resets) check(cudaDeviceReset(), "reset");
    }
    over = true;
    reporter.join();
    if (sleeper > 0) waitpid(sleeper, nullptr, 0);
    const bool ok = right && g_failures == 0;
    std::printf(ok ? "ok\n" : "failed\n");
    return ok ? 0 : 1;
}
