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

/// Counts the launch calls of this process and notes when they come, both while the process is
/// traced and while it rests. During a rest, launches are only counted here, so that the program
/// runs as fast as without roofscope. A rest lasts until the process ends or the program has
/// repeated itself.
///
/// In a rest, notes begin only after the program has waited for the GPU, or when enough calls have
/// come to fill the GPU's queue. Until then, a program may issue launches faster than the GPU
/// works.
///
/// The number of marks is limited, and they stay evenly spread: when there are too many, every
/// second one is dropped. May be called from any thread.
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
    /// From now on launches are only counted. The rest is over after at least `round` calls, in
    /// which the program repeats itself. It lasts longer while calls are short or the program is
    /// still warming up; with `round` 0 it never ends. `alone`: nothing else slows the program
    /// down, so the calls are noted.
    void rest(std::uint64_t round, bool alone);
    [[nodiscard]] bool resting() const { return m_resting.load(std::memory_order_acquire); }
    [[nodiscard]] bool restIsOver();
    /// In a rest: whether the program's own pace has been recorded for this long.
    [[nodiscard]] bool restedFor(std::chrono::duration<double> time);
    /// Ends the rest; the process goes on in another mode.
    void endRest();
    /// Ends the stretch and returns what was noted in it.
    [[nodiscard]] std::vector<spool::PaceRow> take();

private:
    enum class Stretch : std::uint8_t { None, Traced, Alone };
    void begin(Stretch stretch);
    void note(std::uint64_t call);
    void startInRest();
    /// Begins a slice of the rest, in which the time of a call is measured.
    void beginSlice(Clock::time_point now, std::uint64_t calls);
    /// Whether a call takes as long as in the slice before.
    bool isSteady(Clock::time_point now, std::uint64_t calls);

    std::function<std::uint64_t()> m_gpuNow;
    std::function<Clock::time_point()> m_now;
    std::atomic<std::uint64_t> m_calls{0};
    /// A call is noted if its number has none of these bits.
    std::atomic<std::uint64_t> m_skipped{~std::uint64_t{0}};
    std::atomic<bool> m_resting{false};
    /// In a rest: notes have not begun yet.
    std::atomic<bool> m_awaitsStart{false};
    /// Numbers of calls. Written with the mutex held.
    std::atomic<std::uint64_t> m_round{0}, m_from{0};

    std::atomic<Clock::rep> m_sliceEnd{0};  ///< since the clock's epoch
    std::atomic<bool> m_steady{false};

    std::mutex m_mutex;  ///< guards the members below
    Clock::time_point m_began, m_fromAt;
    Clock::time_point m_sliceAt;
    std::uint64_t m_sliceFrom = 0;  ///< calls
    double m_each = 0;              ///< time per call in the previous slice, in ticks of the clock
    Stretch m_stretch = Stretch::None;
    std::vector<spool::PaceRow> m_rows;
};

}  // namespace roofscope::inject
