// SPDX-License-Identifier: Apache-2.0
// A CUDA program with many behaviours for tests of `roofscope record`. Its counters are known:
// `work` on n elements (a multiple of 1024) loads and stores n/8 sectors.
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <roofscope/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

__global__ void work(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

__global__ void cooperative(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1.0f;
    cooperative_groups::this_grid().sync();
    if (i < n) data[i] += 1.0f;
}

/// Adds the neighbour's block number, read from its shared memory, to the numbers of a block. Must
/// run in clusters of two blocks: without a neighbour, the access ends the program.
__global__ void neighbours(float* data, int n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = blockIdx.x;
    cluster.sync();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned other = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    if (i < n) data[i] += static_cast<float>(other);
    cluster.sync();
#endif
}

/// Each load needs the previous one: warps wait for memory where its result is used.
__global__ void chase(const int* next, int* out, int steps) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; ++i) at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/// One warp works, the others wait for it at a barrier.
__global__ void meet(float* out, int steps) {
    float x = static_cast<float>(threadIdx.x);
    for (int round = 0; round < 50; ++round) {
        if (threadIdx.x < 32)
            for (int i = 0; i < steps; ++i) x = fmaf(x, 0.5f, 1.0f);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/// One warp per block in which each operation needs the previous one.
__global__ void chain(float* out, int steps) {
    float x = static_cast<float>(threadIdx.x);
    for (int i = 0; i < steps; ++i) x = fmaf(x, 0.5f, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void trap() { asm("trap;"); }

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(9);
}

struct Buffers {
    int n;
    float *in = nullptr, *out = nullptr;
    explicit Buffers(int count) : n(count) {
        check(cudaMalloc(&in, n * sizeof(float)), "cudaMalloc");
        check(cudaMalloc(&out, n * sizeof(float)), "cudaMalloc");
        check(cudaMemset(in, 0, n * sizeof(float)), "cudaMemset");
    }
    void launch(cudaStream_t stream = nullptr) const {
        work<<<n / 256, 256, 0, stream>>>(in, out, n);
        check(cudaGetLastError(), "work");
    }
};

constexpr int kN = 1 << 20;

void threads() {
    std::vector<std::thread> pool;
    for (int t = 0; t < 4; ++t)
        pool.emplace_back([t] {
            // Every thread has a different size, so that a swapped label shows in the counters.
            const Buffers buffers(kN << t);
            cudaStream_t stream;
            check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
            for (int i = 0; i < 8; ++i) buffers.launch(stream);
            check(cudaStreamSynchronize(stream), "sync");
        });
    for (auto& thread : pool) thread.join();
}

/// An executable graph of what `work` launches in the stream.
template <class Work>
cudaGraphExec_t graphOf(cudaStream_t stream, const Work& work) {
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    work();
    check(cudaStreamEndCapture(stream, &graph), "end");
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    return exec;
}

void graph() {
    const Buffers small(kN), large(4 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const cudaGraphExec_t exec = graphOf(stream, [&] {
        small.launch(stream);
        large.launch(stream);
        small.launch(stream);
    });
    for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(exec, stream), "graph launch");
    check(cudaStreamSynchronize(stream), "sync");
    large.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
}

/// Selected is what lies between cudaProfilerStart and cudaProfilerStop, including a graph made
/// before: three launches of seven.
void profilerSwitches() {
    const Buffers small(kN), large(4 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const cudaGraphExec_t exec = graphOf(stream, [&] { small.launch(stream); });
    const auto both = [&] {
        check(cudaGraphLaunch(exec, stream), "graph launch");
        large.launch(stream);
    };
    both();
    check(cudaStreamSynchronize(stream), "sync");
    check(cudaProfilerStart(), "start");
    both();
    small.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
    check(cudaProfilerStop(), "stop");
    both();
    check(cudaStreamSynchronize(stream), "sync");
}

/// A graph that is updated as a whole and node by node after its instantiation.
void graphUpdate() {
    const Buffers small(kN), large(4 * kN), largest(8 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const auto capture = [&](const Buffers& buffers) {
        cudaGraph_t graph;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
        buffers.launch(stream);
        check(cudaStreamEndCapture(stream, &graph), "end");
        return graph;
    };
    cudaGraph_t first = capture(small), second = capture(large);
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, first, 0), "instantiate");
    check(cudaGraphLaunch(exec, stream), "graph launch");
    cudaGraphExecUpdateResultInfo info;
    check(cudaGraphExecUpdate(exec, second, &info), "update");
    check(cudaGraphLaunch(exec, stream), "graph launch");
    cudaGraphNode_t node;
    std::size_t count = 1;
    check(cudaGraphGetNodes(first, &node, &count), "nodes");
    cudaKernelNodeParams params{};
    check(cudaGraphKernelNodeGetParams(node, &params), "params");
    int n = largest.n;
    void* arguments[] = {const_cast<float**>(&largest.in), const_cast<float**>(&largest.out), &n};
    params.gridDim = dim3(largest.n / 256);
    params.kernelParams = arguments;
    check(cudaGraphExecKernelNodeSetParams(exec, node, &params), "set params");
    check(cudaGraphLaunch(exec, stream), "graph launch");
    check(cudaStreamSynchronize(stream), "sync");
}

/// Two branches with different kernels, whose order in time is up to the hardware.
void graphBranches() {
    const Buffers small(kN), large(4 * kN);
    cudaStream_t stream, other;
    check(cudaStreamCreate(&stream), "stream");
    check(cudaStreamCreate(&other), "stream");
    cudaEvent_t fork, join;
    check(cudaEventCreate(&fork), "event");
    check(cudaEventCreate(&join), "event");
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    check(cudaEventRecord(fork, stream), "record");
    check(cudaStreamWaitEvent(other, fork, 0), "wait");
    small.launch(stream);
    large.launch(other);
    check(cudaEventRecord(join, other), "record");
    check(cudaStreamWaitEvent(stream, join, 0), "wait");
    check(cudaStreamEndCapture(stream, &graph), "end");
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    check(cudaGraphLaunch(exec, stream), "graph launch");
    check(cudaStreamSynchronize(stream), "sync");
    small.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
}

/// A graph with a child graph as second node: small, large, largest, small. A plain launch before
/// and after it; then the same with the first node switched off.
void graphChild() {
    const Buffers small(kN), large(4 * kN), largest(8 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const auto capture = [&](std::initializer_list<const Buffers*> launches) {
        cudaGraph_t graph;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
        for (const Buffers* buffers : launches) buffers->launch(stream);
        check(cudaStreamEndCapture(stream, &graph), "end");
        return graph;
    };
    const cudaGraph_t outer = capture({&small}), inner = capture({&large, &largest}),
                      last = capture({&small});
    cudaGraphNode_t first, child, end;
    std::size_t count = 1;
    check(cudaGraphGetNodes(outer, &first, &count), "nodes");
    check(cudaGraphAddChildGraphNode(&child, outer, &first, 1, inner), "child");
    check(cudaGraphAddChildGraphNode(&end, outer, &child, 1, last), "child");
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, outer, 0), "instantiate");
    large.launch(stream);
    check(cudaGraphLaunch(exec, stream), "graph launch");
    large.launch(stream);
    check(cudaGraphNodeSetEnabled(exec, first, 0), "switch off");
    check(cudaGraphLaunch(exec, stream), "graph launch");
    large.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
}

/// Kernels in clusters of two blocks, three directly and four in two launches of a graph, whose
/// other node is `work`. Fails if a result is wrong. Needs compute capability 9.0.
void graphClusters() {
    constexpr int kBlocks = 1024, kThreads = 256;
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "attribute");
    if (major < 9) std::exit(77);
    const Buffers plain(kN);
    float* data;
    check(cudaMalloc(&data, kBlocks * kThreads * sizeof(float)), "malloc");
    check(cudaMemset(data, 0, kBlocks * kThreads * sizeof(float)), "memset");
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const auto launch = [&] {
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {2, 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = kBlocks;
        config.blockDim = kThreads;
        config.stream = stream;
        config.attrs = &cluster;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, neighbours, data, kBlocks * kThreads), "launch");
    };
    for (int i = 0; i < 3; ++i) launch();
    const cudaGraphExec_t exec = graphOf(stream, [&] {
        launch();
        plain.launch(stream);
        launch();
    });
    for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(exec, stream), "graph launch");
    plain.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
    float last;
    check(cudaMemcpy(&last, data + (kBlocks - 1) * kThreads, sizeof(last), cudaMemcpyDefault),
          "result");
    if (last != 7.0f * (kBlocks - 2)) std::printf("wrong: %g\n", last), std::exit(3);
}

/// Graphs with a conditional node, with and without a kernel before it: the GPU decides what runs.
/// Plain launches between them.
void graphConditional() {
    const Buffers small(kN), large(4 * kN), largest(8 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const auto make = [&](bool withKernel) {
        cudaGraph_t graph;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
        if (withKernel) small.launch(stream);
        check(cudaStreamEndCapture(stream, &graph), "end");
        cudaGraphConditionalHandle handle;
        check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault),
              "handle");
        cudaGraphNode_t first, node;
        std::size_t count = 1;
        if (withKernel) check(cudaGraphGetNodes(graph, &first, &count), "nodes");
        cudaGraphNodeParams params{};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = handle;
        params.conditional.type = cudaGraphCondTypeIf;
        params.conditional.size = 1;
        check(cudaGraphAddNode(&node, graph, withKernel ? &first : nullptr, nullptr, withKernel,
                               &params),
              "conditional node");
        const cudaGraph_t body = params.conditional.phGraph_out[0];
        cudaGraph_t same;
        check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                            cudaStreamCaptureModeGlobal),
              "begin");
        largest.launch(stream);
        check(cudaStreamEndCapture(stream, &same), "end");
        cudaGraphExec_t exec;
        check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        return exec;
    };
    const cudaGraphExec_t only = make(false), both = make(true);
    for (const cudaGraphExec_t exec : {only, both, only}) {
        large.launch(stream);
        check(cudaGraphLaunch(exec, stream), "graph launch");
    }
    large.launch(stream);
    check(cudaStreamSynchronize(stream), "sync");
}

/// NVTX ranges of two domains, with plain and registered names, around one launch each.
void nvtxRanges() {
    const Buffers buffers(kN);
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    nvtxRangePushA("outer");
    buffers.launch();
    nvtxDomainRangePushEx(domain, &attributes);
    buffers.launch();
    nvtxDomainRangePop(domain);
    buffers.launch();
    nvtxRangePop();
    buffers.launch();
    check(cudaDeviceSynchronize(), "sync");
}

/// CUDA is first used late, in a thread, by a library loaded only then.
void late() {
    usleep(300'000);
    std::thread([] {
        if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) std::exit(9);
        const Buffers buffers(kN);
        for (int i = 0; i < 3; ++i) buffers.launch();
        check(cudaDeviceSynchronize(), "sync");
    }).join();
}

/// A context destroyed while launches are pending.
void resetPending() {
    const Buffers buffers(kN);
    for (int i = 0; i < 3; ++i) buffers.launch();
    check(cudaDeviceReset(), "reset");
}

/// Launches while nearly all device memory is in use; 0 if the results are right nonetheless.
int fullMemory() {
    const Buffers buffers(kN);
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "memory");
    constexpr std::size_t kLeft = 96U << 20, kStep = 64U << 20;
    void* rest = nullptr;
    for (std::size_t size = free > kLeft ? free - kLeft : 0; size > kStep; size -= kStep)
        if (cudaMalloc(&rest, size) == cudaSuccess) break;
    (void)cudaGetLastError();
    for (int i = 0; i < 3; ++i) buffers.launch();
    std::vector<float> out(kN);
    check(cudaMemcpy(out.data(), buffers.out, kN * sizeof(float), cudaMemcpyDeviceToHost), "copy");
    for (const float value : out)
        if (value != 1.0f) return 6;
    return 0;
}

/// Launches while 1 GiB of page-locked memory is held.
void pinned() {
    void* held = nullptr;
    check(cudaHostAlloc(&held, 1U << 30, cudaHostAllocDefault), "pinned memory");
    const Buffers buffers(kN);
    for (int i = 0; i < 4; ++i) buffers.launch();
    check(cudaDeviceSynchronize(), "sync");
    check(cudaFreeHost(held), "free");
}

/// Copies of five sizes to the GPU, six of each, between kernels: the same pageable memory (8 MiB),
/// changed contents (4 MiB), the same page-locked memory asynchronously (2 MiB), page-locked memory
/// just written by the GPU (1 MiB), managed memory (512 KiB).
void repeatedCopies() {
    constexpr std::size_t kMiB = 1 << 20;
    const Buffers buffers(kN);
    char *target = nullptr, *written = nullptr, *pinned = nullptr, *back = nullptr,
         *managed = nullptr;
    check(cudaMalloc(&target, 8 * kMiB), "cudaMalloc");
    check(cudaMalloc(&written, kMiB), "cudaMalloc");
    check(cudaMallocHost(&pinned, 2 * kMiB), "pinned memory");
    check(cudaMallocHost(&back, kMiB), "pinned memory");
    check(cudaMallocManaged(&managed, kMiB / 2), "managed memory");
    std::memset(pinned, 1, 2 * kMiB);
    std::memset(back, 2, kMiB);
    std::memset(managed, 3, kMiB / 2);
    const std::vector<char> same(8 * kMiB, 4);
    std::vector<char> other(4 * kMiB, 5);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    for (int i = 0; i < 6; ++i) {
        buffers.launch(stream);
        check(cudaMemcpy(target, same.data(), same.size(), cudaMemcpyHostToDevice), "same");
        other[other.size() / 2] = static_cast<char>(i);
        check(cudaMemcpyAsync(target, other.data(), other.size(), cudaMemcpyHostToDevice, stream),
              "other");
        buffers.launch(stream);
        check(cudaMemcpyAsync(target, pinned, 2 * kMiB, cudaMemcpyHostToDevice, stream), "pinned");
        // The CPU requests the second copy before the first one may have begun.
        check(cudaMemsetAsync(written, 10 + i, kMiB, stream), "memset");
        check(cudaMemcpyAsync(back, written, kMiB, cudaMemcpyDeviceToHost, stream), "back");
        check(cudaMemcpyAsync(target, back, kMiB, cudaMemcpyHostToDevice, stream), "forth");
        buffers.launch(stream);
        check(cudaMemcpy(target, managed, kMiB / 2, cudaMemcpyHostToDevice), "managed");
    }
    check(cudaDeviceSynchronize(), "sync");
}

/// Whether a library whose name contains `part` is loaded.
bool isLoaded(const char* part) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

__global__ void nothing() {}

/// Launches that cost hardly more than their call, and the time of a call: the median of batches in
/// the second half of the run.
int calls(int launches) {
    constexpr int kBatch = 500;
    std::vector<double> microseconds;
    for (int batch = 0; batch < launches / kBatch; ++batch) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kBatch; ++i) nothing<<<1, 32>>>();
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - begin;
        microseconds.push_back(took.count() / kBatch);
        cudaDeviceSynchronize();  // so that the queue never fills
    }
    if (microseconds.empty() || cudaGetLastError() != cudaSuccess) return 9;
    const auto half = microseconds.begin() + static_cast<std::ptrdiff_t>(microseconds.size() / 2);
    std::sort(half, microseconds.end());
    std::printf("call %.4f us\n", *(half + (microseconds.end() - half) / 2));
    return 0;
}

/// Launches between MPI_Init and MPI_Finalize of any installed MPI. 77 if there is none.
int withMpi() {
    void* mpi = nullptr;
    for (const char* name : {"libmpi.so.40", "libmpi.so", "libmpich.so.12", "libmpi.so.12"})
        if (!mpi) mpi = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!mpi) return 77;
    const auto begin = reinterpret_cast<int (*)(int*, char***)>(dlsym(mpi, "MPI_Init"));
    const auto end = reinterpret_cast<int (*)()>(dlsym(mpi, "MPI_Finalize"));
    if (!begin || !end || begin(nullptr, nullptr) != 0) return 8;
    {
        const Buffers buffers(kN);
        for (int i = 0; i < 3; ++i) buffers.launch();
        check(cudaDeviceSynchronize(), "sync");
    }
    return end() == 0 ? 0 : 8;
}

/// Launches while this many gigabytes of device memory are held, which a replay may have to save.
int beside(double gigabytes, int launches) {
    const Buffers buffers(kN);
    void* rest = nullptr;
    if (cudaMalloc(&rest, static_cast<std::size_t>(gigabytes * 1e9) + 1) != cudaSuccess) return 77;
    for (int i = 0; i < launches; ++i) {
        buffers.launch();
        usleep(100'000);  // so that others can see how much memory is in use
    }
    check(cudaDeviceSynchronize(), "sync");
    return 0;
}

void junk() {
    unsigned char bytes[512];
    for (int i = 0; i < 512; ++i) bytes[i] = static_cast<unsigned char>(i * 37);
    std::fwrite(bytes, 1, sizeof bytes, stdout);
    std::fwrite(bytes, 1, sizeof bytes, stderr);
    std::fflush(stdout);
}

/// Kernels of 0.3 to 1 ms that wait for different reasons, each launched twice.
void waits() {
    constexpr int kElements = 1 << 23, kBlocks = 132;
    std::vector<int> next(kElements);
    // An odd step visits all elements; it exceeds a cache line, and no prefetcher guesses it.
    for (int i = 0; i < kElements; ++i) next[i] = static_cast<int>((i + 1'000'003LL) % kElements);
    int *device = nullptr, *ends = nullptr;
    float* out = nullptr;
    check(cudaMalloc(&device, kElements * sizeof(int)), "cudaMalloc");
    check(cudaMalloc(&ends, kElements * sizeof(int)), "cudaMalloc");
    check(cudaMalloc(&out, kElements * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(device, next.data(), kElements * sizeof(int), cudaMemcpyDefault), "copy");
    for (int i = 0; i < 2; ++i) {
        chase<<<kBlocks, 128>>>(device, ends, 1000);
        meet<<<kBlocks, 256>>>(out, 4000);
        chain<<<kBlocks, 32>>>(out, 200'000);
    }
    check(cudaDeviceSynchronize(), "sync");
}

/// Every GPU does work of a different size, so that a swapped label shows in the counters: in turn
/// from one thread, then at the same time from a thread each. 77 if there is only one GPU.
int devices() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "devices");
    if (count < 2) return 77;
    const auto onDevice = [](int device) {
        check(cudaSetDevice(device), "device");
        return Buffers((device + 1) * kN);
    };
    std::vector<Buffers> buffers;
    for (int device = 0; device < count; ++device) buffers.push_back(onDevice(device));
    for (int round = 0; round < 3; ++round) {
        nvtxRangePushA("turns");
        for (int device = 0; device < count; ++device) {
            check(cudaSetDevice(device), "device");
            for (int i = 0; i <= round; ++i) buffers[device].launch();
        }
        nvtxRangePop();
        for (int device = 0; device < count; ++device) {
            check(cudaSetDevice(device), "device");
            check(cudaDeviceSynchronize(), "sync");
        }
    }
    std::vector<std::thread> pool;
    for (int device = 0; device < count; ++device)
        pool.emplace_back([=] {
            const Buffers own = onDevice(device);
            for (int i = 0; i < 8; ++i) own.launch();
            check(cudaDeviceSynchronize(), "sync");
        });
    for (auto& thread : pool) thread.join();
    return 0;
}

/// Spins for about `cycles` in one block: two of them can run at the same time.
__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

/// Three occurrences of "step", each with one launch and two "layer"s of different sizes.
void rangesNested() {
    const Buffers small(kN), large(4 * kN);
    for (int i = 0; i < 3; ++i) {
        nvtxRangePushA("step");
        small.launch();
        for (int layer = 0; layer < 2; ++layer) {
            nvtxRangePushA("layer");
            for (int n = 0; n <= layer; ++n) large.launch();
            nvtxRangePop();
        }
        nvtxRangePop();
        large.launch();  // outside of the ranges
    }
    check(cudaDeviceSynchronize(), "sync");
}

/// Two slow kernels on two streams, each in its own range, and both in a common one.
void rangesConcurrent() {
    constexpr long long kCycles = 20'000'000;
    cudaStream_t streams[2];
    for (auto& stream : streams)
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    spin<<<1, 32, 0, streams[0]>>>(1);  // loads the kernel, which would serialise
    check(cudaDeviceSynchronize(), "sync");
    for (const char* name : {"alone", "together"}) {
        nvtxRangePushA(name);
        for (const auto stream : streams) {
            spin<<<1, 32, 0, stream>>>(kCycles);
            check(cudaGetLastError(), "spin");
            if (!std::strcmp(name, "alone")) break;
        }
        nvtxRangePop();
        check(cudaDeviceSynchronize(), "sync");
    }
}

/// A graph of three kernels, instantiated before the range and launched twice in it.
void rangesGraph() {
    const Buffers small(kN), large(4 * kN);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    const cudaGraphExec_t exec = graphOf(stream, [&] {
        small.launch(stream);
        large.launch(stream);
        small.launch(stream);
    });
    for (int i = 0; i < 3; ++i) {
        nvtxRangePushA("replay");
        for (int n = 0; n < 2; ++n) check(cudaGraphLaunch(exec, stream), "graph launch");
        nvtxRangePop();
    }
    check(cudaStreamSynchronize(stream), "sync");
}

/// 300 ranges of 10 names with different work: more than a session holds or measures.
void rangesMany() {
    const Buffers buffers(kN);
    for (int i = 0; i < 300; ++i) {
        char name[16];
        std::snprintf(name, sizeof name, "many %d", i % 10);
        nvtxRangePushA(name);
        for (int n = 0; n <= i % 10; ++n) buffers.launch();
        nvtxRangePop();
    }
    for (int i = 0; i < 40; ++i) {
        nvtxRangePushA("often");
        buffers.launch();
        nvtxRangePop();
    }
    check(cudaDeviceSynchronize(), "sync");
}

/// Both functions of roofscope/ranges.h, and a capture and a device reset within ranges.
void rangesApi() {
    const Buffers buffers(kN);
    roofscope_range_push("api outer");
    buffers.launch();
    roofscope_range_push("api inner");
    buffers.launch();
    buffers.launch();
    roofscope_range_pop();
    roofscope_range_pop();
    roofscope_range_pop();  // one too many
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    cudaGraph_t graph;
    roofscope_range_push("api capture");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    buffers.launch(stream);
    roofscope_range_pop();
    check(cudaStreamEndCapture(stream, &graph), "end");
    roofscope_range_push("api reset");
    buffers.launch();
    check(cudaDeviceReset(), "reset");
    roofscope_range_pop();
    const Buffers again(kN);
    roofscope_range_push("api again");
    again.launch();
    roofscope_range_pop();
    check(cudaDeviceSynchronize(), "sync");
}

/// Two threads with overlapping ranges, each with work of a different size.
void rangesThreads() {
    const Buffers first(kN), second(4 * kN);
    nvtxRangePushA("thread 0");
    first.launch();
    std::thread other([&] {
        nvtxRangePushA("thread 1");
        second.launch();
        nvtxRangePop();
    });
    other.join();
    nvtxRangePop();
    check(cudaDeviceSynchronize(), "sync");
}

void cooperativeLaunch() {
    const Buffers buffers(kN);
    int n = 132 * 256;
    float* data = buffers.out;
    void* arguments[] = {&data, &n};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative), dim3(132), dim3(256),
                                      arguments, 0, nullptr),
          "cooperative launch");
    check(cudaDeviceSynchronize(), "sync");
}

}  // namespace

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "plain";
    std::printf("guest: %s\n", mode);
    std::fflush(stdout);
    if (!std::strcmp(mode, "no-cuda")) return argc > 2 ? std::atoi(argv[2]) : 0;
    if (!std::strcmp(mode, "init-only")) return cudaFree(nullptr) == cudaSuccess ? 0 : 9;
    if (!std::strcmp(mode, "threads")) return threads(), 0;
    if (!std::strcmp(mode, "devices")) return devices();
    if (!std::strcmp(mode, "late")) return late(), 0;
    if (!std::strcmp(mode, "reset-pending")) return resetPending(), 0;
    if (!std::strcmp(mode, "full-memory")) return fullMemory();
    if (!std::strcmp(mode, "pinned")) return pinned(), 0;
    if (!std::strcmp(mode, "repeated-copies")) return repeatedCopies(), 0;
    if (!std::strcmp(mode, "mpi")) return withMpi();
    if (!std::strcmp(mode, "calls")) return calls(argc > 2 ? std::atoi(argv[2]) : 100'000);
    if (!std::strcmp(mode, "beside"))
        return beside(argc > 2 ? std::atof(argv[2]) : 8, argc > 3 ? std::atoi(argv[3]) : 4);
    if (!std::strcmp(mode, "junk")) junk();
    if (!std::strcmp(mode, "graph")) return graph(), 0;
    if (!std::strcmp(mode, "graph-update")) return graphUpdate(), 0;
    if (!std::strcmp(mode, "profiler-switches")) return profilerSwitches(), 0;
    if (!std::strcmp(mode, "graph-child")) return graphChild(), 0;
    if (!std::strcmp(mode, "graph-conditional")) return graphConditional(), 0;
    if (!std::strcmp(mode, "graph-clusters")) return graphClusters(), 0;
    if (!std::strcmp(mode, "graph-branches")) return graphBranches(), 0;
    if (!std::strcmp(mode, "nvtx")) return nvtxRanges(), 0;
    if (!std::strcmp(mode, "waits")) return waits(), 0;
    if (!std::strcmp(mode, "ranges-nested")) return rangesNested(), 0;
    if (!std::strcmp(mode, "ranges-concurrent")) return rangesConcurrent(), 0;
    if (!std::strcmp(mode, "ranges-graph")) return rangesGraph(), 0;
    if (!std::strcmp(mode, "ranges-many")) return rangesMany(), 0;
    if (!std::strcmp(mode, "ranges-api")) return rangesApi(), 0;
    if (!std::strcmp(mode, "ranges-threads")) return rangesThreads(), 0;
    if (!std::strcmp(mode, "cooperative")) return cooperativeLaunch(), 0;
    if (!std::strcmp(mode, "fork")) {
        // A child without CUDA, forked from a process that uses it.
        const Buffers buffers(kN);
        buffers.launch();
        if (const pid_t child = fork(); child == 0) std::exit(0);
        check(cudaDeviceSynchronize(), "sync");
        buffers.launch();
        check(cudaDeviceSynchronize(), "sync");
        return 0;
    }
    const Buffers buffers(kN);
    for (int i = 0; i < 3; ++i) buffers.launch();
    check(cudaDeviceSynchronize(), "sync");
    if (!std::strcmp(mode, "exit")) std::exit(7);
    if (!std::strcmp(mode, "loaded")) return isLoaded(argc > 2 ? argv[2] : "libnvperf") ? 3 : 4;
    if (!std::strcmp(mode, "hang"))
        for (;;) sleep(1);
    if (!std::strcmp(mode, "exec")) {
        execl("/proc/self/exe", argv[0], "plain", nullptr);
        return 9;
    }
    if (!std::strcmp(mode, "_exit")) _exit(7);
    if (!std::strcmp(mode, "abort")) std::abort();
    if (!std::strcmp(mode, "segv")) std::raise(SIGSEGV);
    if (!std::strcmp(mode, "kill")) kill(getpid(), SIGKILL);
    if (!std::strcmp(mode, "trap")) {
        trap<<<1, 32>>>();
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 5;
    }
    if (!std::strcmp(mode, "reset")) {
        check(cudaDeviceReset(), "reset");
        const Buffers again(kN);
        again.launch();
        check(cudaDeviceSynchronize(), "sync");
    }
    if (!std::strcmp(mode, "bad-launch")) {
        work<<<1, 4096>>>(buffers.in, buffers.out, kN);  // too many threads: must not shift labels
        if (cudaGetLastError() == cudaSuccess) return 9;
        buffers.launch();
        check(cudaDeviceSynchronize(), "sync");
    }
    if (!std::strcmp(mode, "many"))
        for (int i = argc > 2 ? std::atoi(argv[2]) : 200; i > 0; --i) buffers.launch();
    check(cudaDeviceSynchronize(), "sync");
    if (!std::strcmp(mode, "many") && argc > 2) {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        std::fprintf(stderr, "peak memory %ld kB\n", usage.ru_maxrss);
    }
    return 0;
}
