// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace roofscope::inject {

/// Lets only one thread launch at a time, so that measured ranges can be assigned
/// to launches by their order.
///
/// Kernels of two threads may wait for each other. If one thread then had to wait for its turn,
/// they would never end. So waiting has a time limit: after it, a thread launches without a turn,
/// and from then on threads wait only briefly. But a launch may also just be slow (saving memory to
/// the host can take half a minute). If it ends long after another thread went ahead, the two did
/// not wait for each other. Threads then wait again, for longer than that launch took.
/// Also usable with std::unique_lock, for work that must not run during a launch. Thread-safe.
class LaunchTurns {
public:
    using Clock = std::chrono::steady_clock;
    struct Options {
        Clock::duration least = std::chrono::seconds(10);  ///< first time limit
        Clock::duration most = std::chrono::seconds(120);  ///< longest time limit
        Clock::duration soon =
            std::chrono::milliseconds(50);  ///< time limit after a thread gave up
        /// A launch that ends this much later than another went ahead was not waiting for it.
        Clock::duration apart = std::chrono::seconds(2);
        /// How often threads go back to full waiting. Limited, because a launch that seems slow may
        /// in fact be waiting for another one.
        int chances = 3;
        /// After this many turns in a row without giving up, threads go back
        /// to full waiting once more.
        int calm = 100;
    };
    LaunchTurns() : LaunchTurns(Options()) {}
    explicit LaunchTurns(Options options) : m_options(options) {}
    LaunchTurns(const LaunchTurns&) = delete;
    LaunchTurns& operator=(const LaunchTurns&) = delete;

    struct Turn {
        bool ours = false;           ///< must be given back with unlock()
        bool firstToGiveUp = false;  ///< no thread gave up waiting before
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
    Clock::time_point m_since;  ///< guarded by m_mutex: when this turn began
    std::atomic<bool> m_overlap{false};
    std::atomic<Clock::rep> m_longest{0};  ///< longest turn that did not wait for another thread
    std::atomic<Clock::rep> m_longestVainWait{
        0};  ///< the longest time that a thread waited in vain
    /// When a thread first went ahead in this turn; 0: none did.
    std::atomic<Clock::rep> m_wentAhead{0};
    /// Consecutive turns that were granted in time while m_overlap is set.
    std::atomic<int> m_inTime{0};
    int m_chancesTaken = 0;    ///< guarded by m_mutex
    bool m_calmTaken = false;  ///< guarded by m_mutex
};

}  // namespace roofscope::inject
