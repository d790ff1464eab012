// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace roofscope::inject {

/// A thread for what must not delay the program: it does one piece of work again and again, every
/// few milliseconds while there is some, and seldom while there is none. All signals are blocked in
/// it: they are the program's.
class Background {
public:
    /// Returns whether there was anything to do. What it throws is ignored.
    using Work = std::function<bool()>;

    Background() = default;
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// False when there can be no further thread.
    bool start(Work work);
    /// Waits until the work under way is done, but not for ever. False: it still goes on, and what
    /// it uses must stay.
    bool stop();
    [[nodiscard]] bool running() const { return m_running; }

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    std::atomic<bool> m_running{false};
};

}  // namespace roofscope::inject
