// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cupti.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/hostile_work.cuh"

/// Mischief with CUDA: CUPTI of its own, ranges, graphs, contexts, modules and their names.
namespace {

struct Cupti {
    void* library = nullptr;
    template <class F>
    F* get(const char* name) const {
        return reinterpret_cast<F*>(dlsym(library, name));
    }
    Cupti() {
        for (const char* name :
             {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
              "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", "libcupti.so.12", "libcupti.so"})
            if (!library) library = dlopen(name, RTLD_NOW);
    }
};

void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* records) {
    *size = 1 << 20;
    *buffer = static_cast<uint8_t*>(aligned_alloc(8, *size));
    *records = 0;
}
std::atomic<std::size_t> g_bytes{0};
void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
    g_bytes += valid;
    std::free(buffer);
}
void CUPTIAPI onCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

/// Uses CUPTI itself. Whether it gets it may differ under a profiler: it goes on in any case.
int ownCupti(const char* kind) {
    const Cupti cupti;
    if (!cupti.library) return std::printf("no CUPTI here\n"), 77;
    auto* subscribe = cupti.get<decltype(cuptiSubscribe)>("cuptiSubscribe");
    auto* callbacks =
        cupti.get<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
    auto* enable = cupti.get<decltype(cuptiActivityEnable)>("cuptiActivityEnable");
    auto* flush = cupti.get<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll");
    auto* finalize = cupti.get<decltype(cuptiFinalize)>("cuptiFinalize");
    if (std::strstr(kind, "late")) {
        allocate();
        launch(3);
        finish();
    }
    CUpti_SubscriberHandle handle = nullptr;
    if (std::strstr(kind, "subscribe")) subscribe(&handle, onCall, nullptr);
    if (std::strstr(kind, "activity")) {
        callbacks(requested, completed);
        enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        enable(CUPTI_ACTIVITY_KIND_MEMCPY);
    }
    if (!std::strstr(kind, "late")) allocate();
    launch(10);
    finish();
    flush(1);
    if (std::strstr(kind, "finalize")) finalize();
    launch(10);
    finish();
    std::fprintf(stderr, "own CUPTI got %zu bytes\n", g_bytes.load());
    std::printf("ok\n");
    return 0;
}

int ranges(const char* kind) {
    allocate();
    const std::string bad[] = {"\x1b]0;owned\x07\x1b[2J",
                               "a`b``c```d",
                               "<script>alert(1)</script>",
                               "| a | b |\n|---|---|",
                               "[x](javascript:alert(1))",
                               "\xff\xfe\xc0\x80",
                               "\"},{\"evil\":1",
                               "line\r\nbreak",
                               "%s%n%p",
                               "../../../etc/passwd",
                               "\xe2\x80\xae"
                               "esrever",
                               "# heading",
                               std::string(1 << 20, 'x'),
                               "",
                               "roofscope:autotuning2",
                               "a/b/c",
                               "=cmd|' /C calc'!A0"};
    if (!std::strcmp(kind, "nvtx-names")) {
        for (int i = 0; i < 3; ++i)
            for (const auto& name : bad) {
                nvtxRangePushA(name.c_str());
                launch(1);
                nvtxRangePop();
            }
        nvtxRangePushA(nullptr);
        launch(1);
        nvtxRangePop();
    } else if (!std::strcmp(kind, "nvtx-deep")) {
        for (int i = 0; i < 100'000; ++i) nvtxRangePushA("deeper");
        launch(3);
        for (int i = 0; i < 200'000; ++i) nvtxRangePop();
        launch(3);
        for (int i = 0; i < 1000; ++i) nvtxRangeEnd(static_cast<nvtxRangeId_t>(i) * 7919u);
    } else if (!std::strcmp(kind, "nvtx-many-names")) {
        for (int i = 0; i < 200'000; ++i) {
            nvtxRangePushA(("name " + std::to_string(i)).c_str());
            if (i % 1000 == 0) launch(1);
            nvtxRangePop();
        }
    } else if (!std::strcmp(kind, "nvtx-attributes")) {
        // A handle that nobody registered, a size that is no size, a type that does not exist.
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = "fine";
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = 77;
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = NVTX_MESSAGE_UNKNOWN;
        attributes.message.ascii = nullptr;
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
        attributes.message.unicode = L"wide \x202e \U0001F600";
        nvtxRangePushEx(&attributes);
        launch(1);
        nvtxRangePop();
        nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
        attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
        nvtxDomainRangePushEx(domain, &attributes);
        launch(1);
        nvtxDomainRangePop(domain);
        std::vector<std::thread> pool;
        for (int t = 0; t < 4; ++t)
            pool.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    nvtxDomainRangePushEx(domain, &attributes);
                    nvtxDomainRangePop(domain);
                }
            });
        for (auto& thread : pool) thread.join();
        nvtxDomainDestroy(domain);
        launch(1);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

void graphStorm(int threads) {
    allocate();
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
        pool.emplace_back([] {
            cudaStream_t stream;
            check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
            for (int round = 0; round < 5; ++round) {
                cudaGraph_t graph;
                check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
                launch(4, stream);
                check(cudaStreamEndCapture(stream, &graph), "end");
                cudaGraphExec_t exec;
                check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
                for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(exec, stream), "graph");
                check(cudaGraphExecDestroy(exec), "destroy while it runs");
                check(cudaGraphDestroy(graph), "destroy");
            }
            check(cudaStreamSynchronize(stream), "sync");
        });
    for (auto& thread : pool) thread.join();
    finish();
    std::printf("ok\n");
}

int contexts() {
    cuInit(0);
    CUdevice device;
    cuDeviceGet(&device, 0);
    int good = 0;
    for (int i = 0; i < 12; ++i) {
        CUcontext context;
#if CUDA_VERSION >= 13000
        if (cuCtxCreate(&context, nullptr, 0, device) != CUDA_SUCCESS) return 8;
#else
        if (cuCtxCreate(&context, 0, device) != CUDA_SUCCESS) return 8;
#endif
        CUdeviceptr memory;
        good += cuMemAlloc(&memory, 4096) == CUDA_SUCCESS &&
                cuMemsetD32(memory, 1, 1024) == CUDA_SUCCESS;
        slow<<<1, 32>>>(reinterpret_cast<float*>(memory), 1000);
        good += cudaGetLastError() == cudaSuccess;
        if (cuCtxDestroy(context) != CUDA_SUCCESS) return 7;  // without waiting
    }
    std::printf("%s %d\n", good == 24 ? "ok" : "failed", good);
    return good == 24 ? 0 : 6;
}

/// Another thread resets the device while this one launches: errors are expected, an end is not.
int resetBeside() {
    allocate();
    std::thread other([] {
        for (int i = 0; i < 3; ++i) {
            usleep(50'000);
            cudaDeviceReset();
        }
        g_stop = true;
    });
    while (!g_stop) {
        float* memory = nullptr;
        if (cudaMalloc(&memory, 4096) != cudaSuccess) continue;
        slow<<<1, 32>>>(memory, 1000);
        cudaDeviceSynchronize();
        cudaGetLastError();
    }
    other.join();
    std::printf("ok\n");
    return 0;
}

/// A kernel whose name has 60,000 letters, and one with all that PTX allows.
int longNames() {
    cuInit(0);
    check(cudaFree(nullptr), "init");
    const std::string names[] = {std::string(60'000, 'k'), "_Z$$_$", "_ZN1a1bIXadL_ZEEEv",
                                 "$__proto__"};
    for (const auto& name : names) {
        const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                                name + "() { ret; }\n";
        CUmodule module;
        CUfunction function;
        if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) continue;
        if (cuModuleGetFunction(&function, module, name.c_str()) != CUDA_SUCCESS) continue;
        for (int i = 0; i < 3; ++i)
            cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
        cuCtxSynchronize();
        cuModuleUnload(module);
    }
    std::printf("ok\n");
    return 0;
}

/// The same names one by one: "name-0" to "name-3".
int oneName(int which) {
    check(cudaFree(nullptr), "init");
    const std::string names[] = {std::string(60'000, 'k'), "_Z$$_$", "_ZN1a1bIXadL_ZEEEv",
                                 "$__proto__"};
    const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                            names[which] + "() { ret; }\n";
    CUmodule module;
    CUfunction function;
    if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) return 8;
    if (cuModuleGetFunction(&function, module, names[which].c_str()) != CUDA_SUCCESS) return 7;
    for (int i = 0; i < 3; ++i) {
        cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
        cuCtxSynchronize();
    }
    std::printf("ok\n");
    return 0;
}

/// Modules are loaded and unloaded without end, so that handles come again for other kernels.
int moduleStorm() {
    check(cudaFree(nullptr), "init");
    for (int i = 0; i < 60; ++i) {
        const std::string name = "kernel_" + std::to_string(i);
        const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                                name + "() { ret; }\n";
        CUmodule module;
        CUfunction function;
        if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS) return 8;
        if (cuModuleGetFunction(&function, module, name.c_str()) != CUDA_SUCCESS) return 7;
        cuLaunchKernel(function, 1, 1, 1, 32 + i, 1, 1, 0, nullptr, nullptr, nullptr);
        cuModuleUnload(module);
    }
    finish();
    std::printf("ok\n");
    return 0;
}

int switches() {
    allocate();
    std::vector<std::thread> pool;
    for (int t = 0; t < 4; ++t)
        pool.emplace_back([] {
            for (int i = 0; i < 100; ++i) {
                cudaProfilerStart();
                launch(1);
                cudaProfilerStop();
            }
        });
    for (auto& thread : pool) thread.join();
    finish();
    std::printf("ok\n");
    return 0;
}

}  // namespace
