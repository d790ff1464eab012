// SPDX-License-Identifier: Apache-2.0
// Launches kernels on the fake GPU for programs in other languages: a library with one function.
// fake_cupti has CUPTI's part and knows the subscriber.
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity.h>
#include <dlfcn.h>
#include <pthread.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <thread>

#include "tests/fake_gpu/fake_context.h"

namespace {

using roofscope::test::kContext;

/// A variable or function of the fake libcupti; nullptr before it is loaded.
template <class T>
T* ofCupti(const char* name) {
    void* cupti = dlopen(ROOFSCOPE_FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
    return cupti ? reinterpret_cast<T*>(dlsym(cupti, name)) : nullptr;
}

std::uint32_t g_correlation = 0;
std::uint64_t g_now = 1000;

/// The activity record of a kernel that took `ns`.
void timed(const char* name, unsigned blocks, std::uint64_t ns) {
    auto* kinds = ofCupti<bool>("roofscope_fake_timed");
    if (!kinds || !*kinds) return;
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.correlationId = g_correlation;
    kernel.start = g_now;
    kernel.end = g_now + ns;
    kernel.gridX = static_cast<int>(blocks);
    kernel.name = name;
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    (*ofCupti<CUpti_BuffersCallbackRequestFunc>("roofscope_fake_request"))(&buffer, &size, &most);
    std::memcpy(buffer, &kernel, sizeof kernel);
    (*ofCupti<CUpti_BuffersCallbackCompleteFunc>("roofscope_fake_complete"))(kContext, 0, buffer,
                                                                             size, sizeof kernel);
}

}  // namespace

/// Sets CUPTI's clock, by which the next kernel runs.
extern "C" void fake_clock(std::uint64_t now) {
    g_now = now;
    if (auto* clock = ofCupti<std::uint64_t>("roofscope_fake_now")) *clock = now;
}

/// From now on, CUPTI's clock follows the real one (CLOCK_MONOTONIC).
extern "C" void fake_real_clock() {
    auto* const clock = ofCupti<std::uint64_t>("roofscope_fake_now");
    if (!clock) return;
    std::thread([clock] {
        pthread_setname_np(pthread_self(), "cuda-clock");  // not a thread of the program
        while (true) {
            *clock = static_cast<std::uint64_t>(
                std::chrono::steady_clock::now().time_since_epoch().count());
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }).detach();
}

/// Runs a kernel of `blocks` blocks for `ns`.
extern "C" void fake_launch(const char* name, unsigned blocks, std::uint64_t ns) {
    cuLaunchKernel_params parameters{};
    parameters.f = reinterpret_cast<CUfunction>(const_cast<char*>(name));
    parameters.gridDimX = blocks;
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 32;
    parameters.blockDimY = parameters.blockDimZ = 1;
    CUresult result = CUDA_SUCCESS;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.symbolName = name;
    data.context = kContext;
    data.correlationId = ++g_correlation;
    auto* subscriber = ofCupti<CUpti_CallbackFunc>("roofscope_fake_subscriber");
    for (const auto site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
        data.callbackSite = site;
        if (subscriber && *subscriber)
            (*subscriber)(nullptr, CUPTI_CB_DOMAIN_DRIVER_API,
                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &data);
        if (site == CUPTI_API_EXIT) continue;
        if (auto* ran = ofCupti<void(unsigned)>("roofscope_fake_kernel_ran")) ran(blocks);
        timed(name, blocks, ns);
    }
    g_now += ns + 1000;
}
