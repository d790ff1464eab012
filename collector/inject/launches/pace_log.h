// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "collector/spool/timeline_records.h"

namespace roofscope::inject {

/// Counts the launch calls of this process, and notes when they came: while the process is traced,
/// and while it rests. In a rest, launches are only counted here, so that the program is as fast as
/// without us. It lasts until the process ends, or until the program has repeated itself.
///
/// What is noted in a rest begins after a wait for the GPU, or when so many calls have come that
/// the GPU's queue is full: before, a program may issue faster than the GPU works.
///
/// Marks stay few and evenly spread: of a long stretch every second one is dropped, again and
/// again. May be called from any thread.
class PaceLog {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMostMarks = 2048;

    /// `gpuNow`: CUPTI's clock in ns. Tests pass their own clock for the length of rests.
    explicit PaceLog(
        std::function<std::uint64_t()> gpuNow,
        std::function<Clock::time_point()> now = [] { return Clock::now(); })
        : m_gpuNow(std::move(gpuNow)), m_now(std::move(now)) {}

    /// The program calls a function that launches.
    void launching() {
        const std::uint64_t call = m_calls.fetch_add(1, std::memory_order_relaxed);
        if ((call & m_skipped.load(std::memory_order_relaxed)) == 0) note(call);
    }
    /// Launch calls of the process until now.
    [[nodiscard]] std::uint64_t calls() const { return m_calls.load(std::memory_order_relaxed); }
    /// The program has waited for the GPU.
    void waited() {
        if (m_awaitsStart.load(std::memory_order_relaxed)) startInRest();
    }
    /// From now on launches are traced, and noted.
    void trace();
    /// From now on launches are only counted. The rest is over after `round` calls, in which the
    /// program repeats itself, or after more of them: if they take little time, or as long as a
    /// program that warms up gets faster; never if it is 0.
    /// `alone`: nothing else slows the program down, so that the calls are noted.
    void rest(std::uint64_t round, bool alone);
    [[nodiscard]] bool resting() const { return m_resting.load(std::memory_order_acquire); }
    [[nodiscard]] bool restIsOver();
    /// In a rest: whether it has shown for so long how fast the program is alone.
    [[nodiscard]] bool restedFor(std::chrono::duration<double> time);
    /// The process goes on in another way.
    void endRest();
    /// What was noted since the stretch began, which ends.
    [[nodiscard]] std::vector<spool::PaceRow> take();

private:
    enum class Stretch : std::uint8_t { None, Traced, Alone };
    void begin(Stretch stretch);
    void note(std::uint64_t call);
    void startInRest();
    /// Begins a slice of the rest, in which the time of a call is measured.
    void beginSlice(Clock::time_point now, std::uint64_t calls);
    /// Whether a call takes as long as it did before.
    bool isSteady(Clock::time_point now, std::uint64_t calls);

    std::function<std::uint64_t()> m_gpuNow;
    std::function<Clock::time_point()> m_now;
    std::atomic<std::uint64_t> m_calls{0};
    /// A call is noted if its number has none of these bits.
    std::atomic<std::uint64_t> m_skipped{~std::uint64_t{0}};
    std::atomic<bool> m_resting{false};
    /// In a rest: nothing is noted yet.
    std::atomic<bool> m_awaitsStart{false};
    /// Calls. Written under the mutex.
    std::atomic<std::uint64_t> m_round{0}, m_from{0};

    std::atomic<Clock::rep> m_sliceEnd{0};  ///< since the clock's epoch
    std::atomic<bool> m_steady{false};

    std::mutex m_mutex;  ///< for what follows
    Clock::time_point m_began, m_fromAt;
    Clock::time_point m_sliceAt;
    std::uint64_t m_sliceFrom = 0;  ///< calls
    double m_each = 0;              ///< time of a call in the slice before, in the clock's ticks
    Stretch m_stretch = Stretch::None;
    std::vector<spool::PaceRow> m_rows;
};

}  // namespace roofscope::inject
