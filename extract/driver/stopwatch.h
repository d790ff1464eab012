// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "extract/driver/cuda_driver.h"
#include "extract/driver/launch_memory.h"
#include "extract/driver/replayed_kernel.h"

namespace roofscope::replay {

/// What is in the L2 cache when a timed launch begins.
enum class CacheState {
    Warm,  ///< what restoring the results and the previous launch left there
    Cold   ///< no data of the launch
};

[[nodiscard]] inline double medianOf(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Opens a gate after `patience` unless destroyed before. A function that waits for a stream that
/// waits for the gate would otherwise hang.
class GateWatch {
public:
    GateWatch(volatile std::uint32_t* gate, std::chrono::milliseconds patience)
        : m_thread([this, gate, patience] {
              std::unique_lock lock(m_mutex);
              if (m_end.wait_for(lock, patience, [this] { return m_done; })) return;
              m_opened = true;
              *gate = 1;
          }) {}
    ~GateWatch() { finish(); }
    GateWatch(const GateWatch&) = delete;
    GateWatch& operator=(const GateWatch&) = delete;

    /// Stops watching. Returns whether it had to open the gate.
    bool finish() {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_end.notify_all();
        if (m_thread.joinable()) m_thread.join();
        return m_opened;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_end;
    bool m_done = false, m_opened = false;
    std::thread m_thread;  // last, since it uses the members above
};

/// Times single launches with CUDA events.
class Stopwatch {
public:
    Stopwatch(const CudaDriver& driver, LaunchMemory& memory, int device, CacheState cache)
        : m_driver(driver), m_memory(memory) {
        driver.check(driver.createStream(&m_stream, 1), "creating a stream");
        driver.check(driver.createEvent(&m_first, 0), "creating an event");
        driver.check(driver.createEvent(&m_last, 0), "creating an event");
        void* gate = nullptr;
        constexpr unsigned kMapped = 2;
        if (driver.allocateHost(&gate, sizeof(std::uint32_t), kMapped) == 0)
            m_gate = static_cast<volatile std::uint32_t*>(gate);
        if (cache == CacheState::Cold) {
            int bytes = 0;
            constexpr int kL2Bytes = 38;
            driver.deviceAttribute(&bytes, kL2Bytes, device);
            m_flushedBytes = std::max<std::size_t>(static_cast<std::size_t>(bytes), 1U << 20) * 2;
            driver.check(driver.allocate(&m_flushed, m_flushedBytes), "allocating GPU memory");
        }
        calibrate();
    }

    /// The duration of one launch in seconds, starting from restored results. Run the kernel once
    /// before: otherwise loading it would be timed, too.
    double time(const ReplayedKernel& kernel) {
        kernel.resetOwnVariables();
        m_memory.restoreWritten(kernel, m_stream);
        if (m_flushed)
            m_driver.check(m_driver.fill(m_flushed, ++m_byte, m_flushedBytes, m_stream),
                           "emptying the cache");
        m_driver.check(m_driver.waitStream(m_stream), "restoring memory");
        if (kernel.isFunction() && waits()) return elapsedOf(kernel);
        return std::max(elapsed([&] { launchWatched(kernel); }) - m_added, kShortest);
    }

    /// Whether a function's time includes its time on the CPU: because it waits for the GPU before
    /// it returns, or because its stream cannot be blocked.
    [[nodiscard]] bool waits() const { return m_waits || !m_gate; }
    /// Forgets that a function has waited: its first launches may.
    void forgetWaits() { m_waits = false; }

    /// Launches a function on a blocked stream. Returns whether `changed` sees results
    /// nevertheless: then the work runs on another stream, which events on this one do not time.
    template <class Changed>
    bool runsElsewhere(const ReplayedKernel& kernel, const Changed& changed) {
        if (waits()) return false;
        m_memory.restoreWritten(kernel, m_stream);
        m_driver.check(m_driver.waitStream(m_stream), "restoring memory");
        bool seen = false;
        elapsed([&] {
            launchWatched(kernel);
            if (m_waits) return;
            std::this_thread::sleep_for(kTimeToStart);
            seen = changed();
        });
        return seen && !m_waits;
    }

    /// The time that events add to a kernel. time() has already subtracted it.
    [[nodiscard]] double added() const { return m_added; }

private:
    /// Duration of an empty kernel by the GPU's time stamps (CUPTI on an H100 and an H200).
    static constexpr double kShortest = 0.64e-6;

    static constexpr std::chrono::milliseconds kTimeToStart{30}, kPatience{500};

    void launchWatched(const ReplayedKernel& kernel) {
        if (!kernel.isFunction() || !m_gate) return kernel.launch(m_stream);
        GateWatch watch(m_gate, kPatience);
        kernel.launch(m_stream);
        m_waits = watch.finish() || m_waits;
    }

    /// The seconds that a function takes that waits for the GPU: from its call to the end of all
    /// its work on any stream.
    double elapsedOf(const ReplayedKernel& function) {
        const auto begun = std::chrono::steady_clock::now();
        function.launch(m_stream);
        m_driver.check(m_driver.synchronise(), "running the candidate");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }

    /// The seconds between two events around a launch.
    template <class Launch>
    double elapsed(const Launch& launch) {
        // Block the GPU until everything is queued, so that CPU time is not measured.
        if (m_gate) {
            *m_gate = 0;
            constexpr unsigned kAtLeast = 0;
            if (m_driver.waitValue(m_stream, reinterpret_cast<DevicePointer>(m_gate), 1,
                                   kAtLeast) != 0)
                m_gate = nullptr;
        }
        m_driver.check(m_driver.recordEvent(m_first, m_stream), "timing");
        try {
            launch();
        } catch (...) {
            open();
            throw;
        }
        m_driver.check(m_driver.recordEvent(m_last, m_stream), "timing");
        open();
        m_driver.check(m_driver.waitStream(m_stream), "running the kernel");
        float milliseconds = 0;
        m_driver.check(m_driver.elapsed(&milliseconds, m_first, m_last), "timing");
        return static_cast<double>(milliseconds) * 1e-3;
    }

    /// Times an empty kernel. Events add about two microseconds to each kernel, which would hide
    /// most of the difference between short kernels. If the empty kernel cannot be compiled,
    /// nothing is subtracted.
    void calibrate() {
        static constexpr const char* kEmpty =
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";
        Handle module = nullptr, function = nullptr;
        if (m_driver.loadModule(&module, kEmpty) != 0 ||
            m_driver.function(&function, module, "empty") != 0)
            return;
        LaunchConfig config{};
        config.stream = m_stream;
        for (int i = 0; i < 3; ++i) config.grid[i] = config.block[i] = 1;
        constexpr int kTimes = 21, kFirst = 4;
        std::vector<double> seconds;
        for (int i = 0; i < kTimes; ++i) {
            const double s = elapsed([&] {
                m_driver.check(m_driver.launch(&config, function, nullptr, nullptr), "timing");
            });
            if (i >= kFirst) seconds.push_back(s);
        }
        m_added = std::max(medianOf(seconds) - kShortest, 0.0);
    }

    void open() {
        if (m_gate) *m_gate = 1;
    }

    const CudaDriver& m_driver;
    LaunchMemory& m_memory;
    Handle m_stream = nullptr, m_first = nullptr, m_last = nullptr;
    volatile std::uint32_t* m_gate = nullptr;
    DevicePointer m_flushed = 0;
    std::size_t m_flushedBytes = 0;
    bool m_waits = false;
    unsigned char m_byte = 0;
    double m_added = 0;
};

/// A ratio of durations with its 99 % confidence interval.
struct RatioEstimate {
    double ratio = 0, low = 0, high = 0;
};

/// The ratio of the second to the first of paired durations: the median of the ratios, with an
/// interval by bootstrapping the pairs. The same numbers always give the same interval.
[[nodiscard]] inline RatioEstimate ratioOf(const std::vector<double>& first,
                                           const std::vector<double>& second) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (first[i] > 0) ratios.push_back(second[i] / first[i]);
    RatioEstimate estimate;
    if (ratios.empty()) return estimate;
    estimate.ratio = medianOf(ratios);
    constexpr int kSamples = 1000;
    std::vector<double> medians, sample(ratios.size());
    std::uint64_t state = 0x9E3779B97F4A7C15ULL;
    for (int s = 0; s < kSamples; ++s) {
        for (double& value : sample) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            value = ratios[(state >> 33) % ratios.size()];
        }
        medians.push_back(medianOf(sample));
    }
    std::sort(medians.begin(), medians.end());
    estimate.low = medians[kSamples / 200];
    estimate.high = medians[kSamples - 1 - kSamples / 200];
    return estimate;
}

}  // namespace roofscope::replay
