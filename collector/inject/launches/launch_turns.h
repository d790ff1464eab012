// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace roofscope::inject {

/// A lock that lets only one thread launch at a time, so that measured ranges can be assigned to
/// launches by their order.
///
/// Kernels of two threads may wait for each other and would then never end, so waiting has a time
/// limit: after it, a thread launches without a turn, and from then on threads wait only briefly.
/// But a launch may just be slow (saving memory to the host can take half a minute). If it ends
/// long after another thread went ahead, the two did not wait for each other: threads wait again,
/// longer than that launch took.
///
/// Also usable with std::unique_lock, for work that must not run during a launch. Thread-safe.
class LaunchTurns {
public:
    using Clock = std::chrono::steady_clock;
    struct Options {
        Clock::duration least = std::chrono::seconds(10);  ///< first time limit
        Clock::duration most = std::chrono::seconds(120);  ///< patience
        Clock::duration soon =
            std::chrono::milliseconds(50);  ///< time limit after a thread gave up
        /// A launch that ends this much later than another went ahead was not waiting for it.
        Clock::duration apart = std::chrono::seconds(2);
        /// How often threads go back to full waiting: a launch that seems slow may still be one
        /// that waits for another.
        int chances = 3;
        /// After so many turns in a row without waiting, threads go back to it once more.
        int calm = 100;
    };
    LaunchTurns() : LaunchTurns(Options()) {}
    explicit LaunchTurns(Options options) : m_options(options) {}
    LaunchTurns(const LaunchTurns&) = delete;
    LaunchTurns& operator=(const LaunchTurns&) = delete;

    struct Turn {
        bool ours = false;         ///< to be given back by unlock()
        bool firstInVain = false;  ///< the first time that a thread gave up waiting
        Clock::duration patience{};
    };
    /// Waits for the calling thread's turn.
    [[nodiscard]] Turn take();
    [[nodiscard]] bool try_lock();
    [[nodiscard]] bool try_lock_for(Clock::duration patience);
    void unlock();
    /// Whether threads wait only briefly at present.
    [[nodiscard]] bool overlap() const { return m_overlap; }

private:
    [[nodiscard]] Clock::duration patience() const;
    void begun();

    Options m_options;
    std::timed_mutex m_mutex;
    Clock::time_point m_since;  ///< with m_mutex: when this turn began
    std::atomic<bool> m_overlap{false};
    std::atomic<Clock::rep> m_longest{0};    ///< turn during which no thread went ahead
    std::atomic<Clock::rep> m_inVain{0};     ///< the longest time that a thread waited in vain
    std::atomic<Clock::rep> m_wentAhead{0};  ///< when a thread first did, in this turn; 0: none
    std::atomic<int> m_inTime{0};            ///< turns in a row while m_overlap
    int m_chancesTaken = 0;                  ///< with m_mutex
    bool m_calmTaken = false;                ///< with m_mutex
};

}  // namespace roofscope::inject
