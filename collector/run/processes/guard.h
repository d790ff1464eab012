// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// A small process between us and a program. Whatever the program starts, in sessions of its own,
/// too, stays below the guard, because orphans become the guard's children. So that all of it can
/// be found and ended, also when we are killed: the guard then sees the end of its channel.
///
///   roofscope ◀── channel ──▶ guard ──▶ program ──▶ …
///
/// What the program sends to its parent (SIGINT, SIGUSR1, …) the guard passes on to us.
class Guard {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts the guard and, below it, a process that calls `become`: it gets the guard's id, must
    /// be async-signal-safe, and must not return. Signals that the guard is to pass on are blocked
    /// by the caller; `own` are descriptors that only the program may keep open. An error means
    /// that there is no process.
    static Result<Guard> start(const std::function<void(pid_t guard)>& become,
                               const std::vector<int>& own);
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&&) = delete;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    /// If neither endAll() nor leave() was called: as endAll().
    ~Guard();

    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] pid_t program() const { return m_program; }

    /// Waits until the program ended, `until` is reached, a signal came, or a moment passed (a
    /// signal may have reached another of our threads). True when it ended.
    bool pause(std::optional<Clock::time_point> until);
    /// As waitpid() gives it. Only after it has ended.
    [[nodiscard]] int status() const { return m_status.value_or(0); }

    /// Kills the program and all that was started below it, and waits for that.
    void endAll();
    /// Lets what still runs go on without us.
    void leave();

private:
    Guard() = default;
    void dismiss();
    void readStatus();

    pid_t m_pid = 0, m_program = 0;
    int m_channel = -1;
    std::optional<int> m_status;
};

}  // namespace roofscope
