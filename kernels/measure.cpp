// SPDX-License-Identifier: Apache-2.0
#include "kernels/measure.h"

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <new>
#include <vector>

#include "kernels/cuda_failure.h"

namespace roofscope::kernels {

double quantile(const std::vector<double>& sorted, double at) {
    const double position = at * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] +
           (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

namespace {

/// A CUDA event that destroys itself.
class Event {
public:
    Event() { require(cudaEventCreate(&m_event), "creating an event"); }
    ~Event() {
        if (m_event != nullptr) cudaEventDestroy(m_event);
    }
    Event(Event&& other) noexcept : m_event(other.m_event) { other.m_event = nullptr; }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(Stream stream) { require(cudaEventRecord(m_event, stream), "recording an event"); }
    [[nodiscard]] Seconds since(const Event& start) const {
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, start.m_event, m_event), "reading an event");
        return {milliseconds * 1e-3};
    }

private:
    cudaEvent_t m_event = nullptr;
};

Timing summarise(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    const double median = quantile(seconds, 0.5);
    return {.median = {median},
            .fastest = {seconds.front()},
            .slowest = {seconds.back()},
            .spread = {(quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median}};
}

Error failure(const Job& job, const std::exception& problem) {
    return {
        .code = ErrorCode::Unavailable, .what = problem.what(), .where = job.rung->range(job.c)};
}

}  // namespace

Result<Gpu> currentGpu() {
    int count = 0, driver = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        std::string reason = status == cudaSuccess ? "none was found" : cudaGetErrorString(status);
        // The runtime calls a missing driver "insufficient".
        if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
            reason = "there is no NVIDIA driver";
        return Error{
            .code = ErrorCode::Unavailable,
            .what = "no usable NVIDIA GPU: " + reason,
            .advice =
                "running kernels needs a GPU and its driver; 'list' and 'expect' work without"};
    }
    cudaDeviceProp properties{};
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return Error{.code = ErrorCode::Unavailable,
                     .what = std::string("the GPU does not respond: ") +
                             cudaGetErrorString(cudaGetLastError())};
    return Gpu{.name = properties.name,
               .computeCapability = 10 * properties.major + properties.minor};
}

Result<Measurement> measure(const Job& job, const Repeats& repeats, std::uint64_t seed) try {
    const std::unique_ptr<Instance> instance = job.rung->make(job.c, seed);
    const Stream stream = nullptr;
    for (int i = 0; i < repeats.warmup; ++i) {
        instance->launch(stream);
        instance->rotate();
    }
    std::vector<Event> starts, stops;
    for (int i = 0; repeats.time && i < repeats.profiled; ++i) {
        starts.emplace_back();
        stops.emplace_back();
    }
    require(cudaStreamSynchronize(stream), "warming up");

    const std::string range = job.rung->range(job.c);
    for (std::size_t i = 0; i < static_cast<std::size_t>(repeats.profiled); ++i) {
        nvtxRangePushA(range.c_str());
        if (repeats.time) starts[i].record(stream);
        instance->launch(stream);
        if (repeats.time) stops[i].record(stream);
        nvtxRangePop();
        instance->rotate();
    }
    require(cudaStreamSynchronize(stream), "running the kernel");

    Measurement measurement{.minimumBytes = instance->minimumBytes()};
    if (repeats.time) {
        std::vector<double> seconds;
        for (std::size_t i = 0; i < starts.size(); ++i)
            seconds.push_back(stops[i].since(starts[i]).value);
        measurement.timing = summarise(std::move(seconds));
    }
    return measurement;
} catch (const CudaFailure& problem) {
    return failure(job, problem);
} catch (const std::bad_alloc& problem) {
    return failure(job, problem);
}

Result<Check> verify(const Job& job, std::uint64_t seed) try {
    const std::unique_ptr<Instance> instance = job.rung->make(job.c, seed);
    instance->poisonOutputs();
    instance->launch(nullptr);
    return instance->verify();
} catch (const CudaFailure& problem) {
    return failure(job, problem);
} catch (const std::bad_alloc& problem) {
    return failure(job, problem);
}

}  // namespace roofscope::kernels
