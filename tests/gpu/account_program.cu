// SPDX-License-Identifier: Apache-2.0
// A CUDA program that knows where its time goes. Each step spins on the GPU, copies known numbers
// of bytes from pinned and pageable memory, sleeps, waits and allocates. The program measures
// itself with the CPU's clock and prints, per class, count, bytes and milliseconds of all steps:
//
//     account_program [steps]            "truth spin 6 0 120.000"
//     account_program [steps] two-gpus   both spin at once, the first longer; then a copy between
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr long long kSpinNs = 20'000'000;
constexpr long long kShortNs = 2'000;
constexpr int kShortKernels = 500;
constexpr std::size_t kPinned = std::size_t{256} << 20, kPageable = std::size_t{64} << 20;
constexpr std::size_t kSet = std::size_t{1} << 30;
constexpr int kAllocations = 8;

/// Ends when the GPU's clock has advanced by `ns`.
__global__ void spin(long long ns) {
    unsigned long long begun = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begun < static_cast<unsigned long long>(ns));
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(9);
}

struct Truth {
    long long count = 0, bytes = 0;
    double ms = 0;
};
std::map<std::string, Truth> g_truth;

void note(const std::string& what, double ms, long long count = 1, std::size_t bytes = 0) {
    Truth& truth = g_truth[what];
    truth.count += count;
    truth.bytes += static_cast<long long>(bytes);
    truth.ms += ms;
}

/// The time that `work` takes on the CPU.
template <class Work>
double ms(const Work& work) {
    const auto begun = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

struct Memory {
    char *device = nullptr, *pinned = nullptr;
    std::vector<char> pageable;
    Memory() : pageable(kPageable, 1) {
        check(cudaMalloc(&device, kSet), "cudaMalloc");
        check(cudaMallocHost(&pinned, kPinned), "cudaMallocHost");
        for (std::size_t i = 0; i < kPinned; i += 4096) pinned[i] = 1;
    }
};

void step(Memory& memory) {
    spin<<<1, 1>>>(kSpinNs);
    check(cudaGetLastError(), "spin");
    note("spin", kSpinNs / 1e6);
    note("wait", ms([] { check(cudaStreamSynchronize(nullptr), "sync"); }));

    note("sleep", ms([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }));

    // The call takes a little longer than the copy.
    note("pinned-to-device", ms([&] {
             check(cudaMemcpyAsync(memory.device, memory.pinned, kPinned, cudaMemcpyHostToDevice),
                   "copy");
             check(cudaStreamSynchronize(nullptr), "sync");
         }),
         1, kPinned);
    note("pageable-to-device", ms([&] {
             check(cudaMemcpy(memory.device, memory.pageable.data(), kPageable,
                              cudaMemcpyHostToDevice),
                   "copy");
         }),
         1, kPageable);
    note("device-to-pinned", ms([&] {
             check(cudaMemcpyAsync(memory.pinned, memory.device, kPinned, cudaMemcpyDeviceToHost),
                   "copy");
             check(cudaStreamSynchronize(nullptr), "sync");
         }),
         1, kPinned);
    note("memset", ms([&] {
             check(cudaMemsetAsync(memory.device, 0, kSet), "memset");
             check(cudaStreamSynchronize(nullptr), "sync");
         }),
         1, kSet);

    std::vector<void*> blocks(kAllocations);
    note("allocate", ms([&] {
             for (void*& block : blocks) check(cudaMalloc(&block, std::size_t{64} << 20), "malloc");
         }),
         kAllocations);
    note("free", ms([&] {
             for (void* block : blocks) check(cudaFree(block), "free");
         }),
         kAllocations);

    // The GPU waits for launches: kernels of 2 us, launched every 50 us.
    note("launches", ms([&] {
             for (int i = 0; i < kShortKernels; ++i) {
                 spin<<<1, 1>>>(kShortNs);
                 const auto until = Clock::now() + std::chrono::microseconds(50);
                 while (Clock::now() < until) {
                 }
             }
         }),
         kShortKernels);
    check(cudaStreamSynchronize(nullptr), "sync");
}

/// Memory of two GPUs with access to each other.
struct Peers {
    char* memory[2] = {};
    bool direct = false;
    Peers() {
        for (int device = 0; device < 2; ++device) {
            check(cudaSetDevice(device), "device");
            check(cudaMalloc(&memory[device], kSet), "cudaMalloc");
            int can = 0;
            check(cudaDeviceCanAccessPeer(&can, device, 1 - device), "peer");
            direct = can != 0;
            if (direct) check(cudaDeviceEnablePeerAccess(1 - device, 0), "peer");
        }
    }
};

void stepOfTwo(Peers& peers) {
    const long long spins[] = {kSpinNs, kSpinNs / 2};
    for (int device = 0; device < 2; ++device) {
        check(cudaSetDevice(device), "device");
        spin<<<1, 1>>>(spins[device]);
        check(cudaGetLastError(), "spin");
        note(device == 0 ? "spin-0" : "spin-1", static_cast<double>(spins[device]) / 1e6);
    }
    for (int device = 0; device < 2; ++device) {
        check(cudaSetDevice(device), "device");
        check(cudaDeviceSynchronize(), "sync");
    }
    check(cudaSetDevice(0), "device");
    note("between", ms([&] {
             check(cudaMemcpyPeerAsync(peers.memory[1], 1, peers.memory[0], 0, kSet), "copy");
             check(cudaStreamSynchronize(nullptr), "sync");
         }),
         1, kSet);
}

int twoGpus(int steps) {
    int count = 0;
    check(cudaGetDeviceCount(&count), "devices");
    if (count < 2) return 77;
    Peers peers;
    stepOfTwo(peers);
    g_truth.clear();
    for (int i = 0; i < steps; ++i)
        note("step", ms([&] {
                 nvtxRangePushA("step");
                 stepOfTwo(peers);
                 nvtxRangePop();
             }));
    return 0;
}

void printTruth() {
    for (const auto& [what, truth] : g_truth)
        std::printf("truth %s %lld %lld %.4f\n", what.c_str(), truth.count, truth.bytes, truth.ms);
}

}  // namespace

int main(int argc, char** argv) {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 6;
    if (argc > 2 && std::string(argv[2]) == "two-gpus") {
        const int code = twoGpus(steps);
        printTruth();
        return code;
    }
    Memory memory;
    // Loads the code and brings up the GPU's clocks.
    step(memory);
    check(cudaDeviceSynchronize(), "sync");
    g_truth.clear();
    for (int i = 0; i < steps; ++i) {
        const double took = ms([&] {
            nvtxRangePushA("step");
            step(memory);
            nvtxRangePop();
        });
        note("step", took);
    }
    printTruth();
    return 0;
}
