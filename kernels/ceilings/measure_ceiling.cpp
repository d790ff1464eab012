// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/measure_ceiling.h"

#include <cuda_runtime_api.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <thread>

#include "kernels/cuda_failure.h"
#include "kernels/measure.h"

namespace roofscope::kernels {
namespace {

constexpr int kShortRuns = 30, kTrialRuns = 5;
constexpr double kShortSeconds = 3e-3, kWarmUpSeconds = 50e-3;
constexpr std::chrono::milliseconds kPause(5);

class Timer {
public:
    Timer() {
        require(cudaEventCreate(&m_start), "creating an event");
        require(cudaEventCreate(&m_stop), "creating an event");
    }
    ~Timer() {
        cudaEventDestroy(m_start);
        cudaEventDestroy(m_stop);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Seconds that `count` launches take. Another launch precedes them, which hides the time until
    /// the GPU gets the first of them.
    [[nodiscard]] double secondsOf(const Workload& workload, int count) {
        workload.launch(nullptr);
        require(cudaEventRecord(m_start), "recording an event");
        for (int i = 0; i < count; ++i) workload.launch(nullptr);
        require(cudaEventRecord(m_stop), "recording an event");
        require(cudaEventSynchronize(m_stop), "running the kernel");
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, m_start, m_stop), "reading an event");
        return milliseconds * 1e-3;
    }

private:
    cudaEvent_t m_start = nullptr, m_stop = nullptr;
};

int launchesFor(double seconds, double perLaunch) {
    constexpr double kMost = 1e6;
    return static_cast<int>(std::clamp(std::ceil(seconds / perLaunch), 1.0, kMost));
}

/// Rates of short runs, in ascending order.
std::vector<double> shortRuns(Timer& timer, const Workload& workload, int runs) {
    // Warm up: an idle GPU has low clocks.
    double perLaunch = timer.secondsOf(workload, 1);
    perLaunch = timer.secondsOf(workload, launchesFor(kWarmUpSeconds, perLaunch)) /
                launchesFor(kWarmUpSeconds, perLaunch);
    const int launches = launchesFor(kShortSeconds, perLaunch);
    std::vector<double> rates;
    for (int run = 0; run < runs; ++run) {
        std::this_thread::sleep_for(kPause);
        rates.push_back(workload.work * launches / timer.secondsOf(workload, launches));
    }
    std::sort(rates.begin(), rates.end());
    return rates;
}

const Workload& quickest(Timer& timer, const std::vector<Workload>& variants) {
    const Workload* best = &variants.front();
    double bestRate = 0;
    if (variants.size() == 1) return *best;
    for (const Workload& variant : variants) {
        const double rate = quantile(shortRuns(timer, variant, kTrialRuns), 0.5);
        if (rate > bestRate) {
            bestRate = rate;
            best = &variant;
        }
    }
    return *best;
}

void note(Ceiling& ceiling, const char* phase, const ClockReport& report) {
    if (!report.throttled) return;
    ceiling.throttled = ceiling.throttled.value_or(false) || *report.throttled;
    if (report.reasons.empty()) return;
    if (!ceiling.throttleReasons.empty()) ceiling.throttleReasons += "; ";
    ceiling.throttleReasons += std::string(phase) + ": " + report.reasons;
}

Error failure(const Probe& probe, const ProbeGpu& gpu, const std::exception& problem) {
    constexpr double kGibi = 1024.0 * 1024 * 1024;
    std::size_t free = 0, total = 0;
    std::string advice;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess)
        advice = fmt::format("{:.1f} of {:.1f} GiB of {} are free; other programs may use the GPU",
                             static_cast<double>(free) / kGibi, static_cast<double>(total) / kGibi,
                             gpu.name);
    return {.code = ErrorCode::Unavailable,
            .what = problem.what(),
            .where = std::string(probe.name),
            .advice = std::move(advice)};
}

}  // namespace

Result<ProbeGpu> probeGpu() {
    Result<Gpu> found = currentGpu();
    if (!found) {
        Error error = found.error();
        error.advice = "measuring roofs needs a GPU with its driver; --list works without";
        return error;
    }
    int device = 0;
    cudaDeviceProp properties{};
    ProbeGpu gpu{.name = found->name, .computeCapability = found->computeCapability};
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
        cudaMemGetInfo(&gpu.freeBytes, &gpu.memoryBytes) != cudaSuccess)
        return Error{.code = ErrorCode::Unavailable,
                     .what = std::string("the GPU does not respond: ") +
                             cudaGetErrorString(cudaGetLastError())};
    gpu.uuid = uuidText(properties.uuid.bytes);
    gpu.smCount = properties.multiProcessorCount;
    gpu.l2Bytes = static_cast<std::size_t>(std::max(properties.l2CacheSize, 0));
    const auto attribute = [device](cudaDeviceAttr which) -> std::optional<int> {
        int value = 0;
        if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess || value <= 0) return {};
        return value;
    };
    constexpr double kKilo = 1e3;  // the driver reports kHz
    if (const auto khz = attribute(cudaDevAttrClockRate)) gpu.smClockMax = Hertz{*khz * kKilo};
    if (const auto khz = attribute(cudaDevAttrMemoryClockRate))
        gpu.memoryClockMax = Hertz{*khz * kKilo};
    gpu.memoryBusBits = attribute(cudaDevAttrGlobalMemoryBusWidth);
    return gpu;
}

Result<Ceiling> measureCeiling(const Probe& probe, const ProbeGpu& gpu,
                               const MeasureOptions& options, ClockWatch& clocks) try {
    Ceiling ceiling{.name = std::string(probe.name), .kind = probe.kind};
    ceiling.measuredUtc = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ}",
        fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    const std::vector<Workload> variants = probe.make(gpu);
    for (const Workload& variant : variants) {
        if (!variant.check) continue;
        if (const std::string wrong = variant.check(); !wrong.empty())
            return Error{.code = ErrorCode::Internal,
                         .what = "wrong result: " + wrong,
                         .where = std::string(probe.name)};
    }
    Timer timer;
    const Workload& best = quickest(timer, variants);

    clocks.start();
    const std::vector<double> rates = shortRuns(timer, best, kShortRuns);
    note(ceiling, "short runs", clocks.stop());
    ceiling.burst = rates.back();
    ceiling.burstMedian = quantile(rates, 0.5);
    ceiling.spread = Ratio{(quantile(rates, 0.75) - quantile(rates, 0.25)) / *ceiling.burstMedian};

    const int launches = launchesFor(options.sustained.value, best.work / ceiling.burst);
    clocks.start();
    ceiling.sustained = best.work * launches / timer.secondsOf(best, launches);
    const ClockReport report = clocks.stop();
    note(ceiling, "sustained", report);
    ceiling.sustainedSmClock = report.lowestSm;

    ceiling.theoretical = probe.theoretical(gpu);
    if (best.footprint > 0) ceiling.bufferBytes = best.footprint;
    ceiling.method = best.method;
    return ceiling;
} catch (const CudaFailure& problem) {
    return failure(probe, gpu, problem);
} catch (const std::bad_alloc& problem) {
    return failure(probe, gpu, problem);
}

Result<void> launchOnce(const Probe& probe, const ProbeGpu& gpu) try {
    for (const Workload& variant : probe.make(gpu)) {
        const std::string range =
            "ceilings/" + std::string(probe.name) + "/" + variant.method +
            fmt::format(" ({:.0f} {})", variant.work,
                        probe.kind == Ceiling::Kind::Bandwidth ? "bytes" : "operations");
        variant.launch(nullptr);
        nvtxRangePushA(range.c_str());
        variant.launch(nullptr);
        nvtxRangePop();
    }
    require(cudaDeviceSynchronize(), "running the kernel");
    return {};
} catch (const CudaFailure& problem) {
    return failure(probe, gpu, problem);
} catch (const std::bad_alloc& problem) {
    return failure(probe, gpu, problem);
}

}  // namespace roofscope::kernels
