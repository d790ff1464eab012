// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

#include "collector/inject/calls/missed_events.h"

namespace roofscope::inject {

/// The lock of what a recording knows. It is always taken with a time limit, because the driver may
/// call back while it holds locks of its own: whoever waits in vain says what it could not note
/// (missed()), and the next thread that has the lock makes up for it.
class StateLock {
public:
    using Held = std::unique_lock<std::timed_mutex>;
    /// How long a callback waits.
    static constexpr std::chrono::seconds kPatience{2};

    /// `makeUp` is called with the lock held, before whatever it was taken for.
    explicit StateLock(std::function<void(const MissedEvents::News&)> makeUp)
        : m_makeUp(std::move(makeUp)) {}

    /// Ask the result whether it owns the lock.
    [[nodiscard]] Held take() {
        Held held = tryTake();  // as a rule, and then without a look at the clock
        if (!held.owns_lock()) (void)held.try_lock_for(kPatience);
        if (held.owns_lock() && m_missed.any()) m_makeUp(m_missed.take());
        return held;
    }
    /// The same without waiting, for a moment.
    [[nodiscard]] Held tryTake() { return Held(m_mutex, std::try_to_lock); }
    [[nodiscard]] MissedEvents& missed() { return m_missed; }

private:
    std::timed_mutex m_mutex;
    MissedEvents m_missed;
    std::function<void(const MissedEvents::News&)> m_makeUp;
};

}  // namespace roofscope::inject
