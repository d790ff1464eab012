// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

#include "collector/inject/calls/missed_events.h"

namespace roofscope::inject {

/// The lock of a recording's state. It is always taken with a time limit, because the driver may
/// call us while it holds locks of its own. A thread that does not get the lock notes what it
/// missed in missed(), and the next thread that gets the lock handles it.
class StateLock {
public:
    using Held = std::unique_lock<std::timed_mutex>;
    /// How long a callback waits.
    static constexpr std::chrono::seconds kPatience{2};

    /// `makeUp` handles the missed events. It is called with the lock held, before take() returns.
    explicit StateLock(std::function<void(const MissedEvents::News&)> makeUp)
        : m_makeUp(std::move(makeUp)) {}

    /// The result may not own the lock: check it.
    [[nodiscard]] Held take() {
        Held held = tryTake();  // the usual case, without reading the clock
        if (!held.owns_lock()) (void)held.try_lock_for(kPatience);
        if (held.owns_lock() && m_missed.any()) m_makeUp(m_missed.take());
        return held;
    }
    /// Takes the lock only if it is free, and does not handle missed events.
    [[nodiscard]] Held tryTake() { return Held(m_mutex, std::try_to_lock); }
    [[nodiscard]] MissedEvents& missed() { return m_missed; }

private:
    std::timed_mutex m_mutex;
    MissedEvents m_missed;
    std::function<void(const MissedEvents::News&)> m_makeUp;
};

}  // namespace roofscope::inject
