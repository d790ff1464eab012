// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// A small process between us and a program. Orphans become the guard's children, so everything
/// that the program starts, even in other sessions, stays below the guard. So all of it can be
/// found and ended, even if we are killed: the guard then sees its channel close.
///
///   roofscope ◀── channel ──▶ guard ──▶ program ──▶ …
///
/// If the program kills the guard, it dies with it, and what else it has started becomes ours and
/// is ended.
///
/// The guard passes on to us the signals that the program sends to its parent (SIGINT, SIGUSR1, …).
class Guard {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts the guard and, below it, a process that calls `become`. `become` gets the guard's id,
    /// must be async-signal-safe, and must not return. The caller has to block the signals that the
    /// guard passes on. `own` are descriptors that only the program may keep open. After an error,
    /// no process is left.
    static Result<Guard> start(const std::function<void(pid_t guard)>& become,
                               const std::vector<int>& own);
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&&) = delete;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    /// Like endAll(), unless endAll() or leave() was called.
    ~Guard();

    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] pid_t program() const { return m_program; }

    /// Waits until the program ended, `until` is reached, a signal came, or a moment passed
    /// (because a signal may have reached another of our threads). True if the program ended.
    bool pause(std::optional<Clock::time_point> until);
    /// The status that waitpid() gave. Only valid after the program has ended.
    [[nodiscard]] int status() const { return m_status.value_or(0); }

    /// Kills the program and everything started below it, and waits until that is done.
    void endAll();
    /// Lets the processes that still run go on without us.
    void leave();

private:
    Guard() = default;
    void dismiss();
    void readStatus();

    pid_t m_pid = 0, m_program = 0;
    std::uint64_t m_begun = 0;  ///< when the guard began, in clock ticks since boot
    int m_channel = -1;
    std::optional<int> m_status;
    bool m_wasKilled = false;  ///< the guard, by somebody else
    bool m_leftAlone = false;  ///< what still runs does not become ours
};

}  // namespace roofscope
