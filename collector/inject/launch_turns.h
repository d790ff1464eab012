// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace roofscope::inject {

/// Has the launches of several threads take turns, for as long as none waits for another's: the
/// order of what is measured must be known.
///
/// Kernels of two threads that wait for each other would never end in turns, so patience is
/// limited: who has waited in vain goes on without its turn, and after that everybody soon does.
/// But a launch may just take long, saving memory in the host for half a minute. It is known by
/// that it goes on for long after another thread went ahead. Then turns are waited for again, for
/// longer than it took.
///
/// A Lockable besides, for what must not happen in the midst of a launch. Thread-safe.
class LaunchTurns {
public:
    using Clock = std::chrono::steady_clock;
    struct Options {
        Clock::duration least = std::chrono::seconds(10);  ///< patience, before anything is known
        Clock::duration most = std::chrono::seconds(120);  ///< patience
        Clock::duration soon = std::chrono::milliseconds(50);  ///< patience once it was in vain
        /// Who ends that much later than another went ahead was not waiting for it.
        Clock::duration apart = std::chrono::seconds(2);
        /// So often turns are waited for again: what is taken for slow may be waiting after all.
        int chances = 3;
        /// So many turns in a row that came in time are such a chance as well, once.
        int calm = 100;
    };
    LaunchTurns() : LaunchTurns(Options()) {}
    explicit LaunchTurns(Options options) : m_options(options) {}
    LaunchTurns(const LaunchTurns&) = delete;
    LaunchTurns& operator=(const LaunchTurns&) = delete;

    struct Turn {
        bool ours = false;         ///< to be given back by unlock()
        bool firstInVain = false;  ///< turns were waited for until now
        Clock::duration patience{};
    };
    /// Waits for the calling thread's turn.
    [[nodiscard]] Turn take();
    [[nodiscard]] bool try_lock();
    [[nodiscard]] bool try_lock_for(Clock::duration patience);
    void unlock();
    /// Whether turns are hardly waited for at present.
    [[nodiscard]] bool overlap() const { return m_overlap; }

private:
    [[nodiscard]] Clock::duration patience() const;
    void begun();

    Options m_options;
    std::timed_mutex m_mutex;
    Clock::time_point m_since;  ///< with m_mutex: when this turn began
    std::atomic<bool> m_overlap{false};
    std::atomic<Clock::rep> m_longest{0};    ///< turn that nobody's going ahead ended
    std::atomic<Clock::rep> m_inVain{0};     ///< the longest patience that was
    std::atomic<Clock::rep> m_wentAhead{0};  ///< when a thread first did, in this turn; 0: none
    std::atomic<int> m_inTime{0};            ///< turns in a row while m_overlap
    int m_chancesTaken = 0;                  ///< with m_mutex
    bool m_calmTaken = false;                ///< with m_mutex
};

}  // namespace roofscope::inject
