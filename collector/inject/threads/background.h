// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

namespace roofscope::inject {

/// A thread for work that must not delay the program. It calls the same function again and again:
/// every few milliseconds while there is something to do, otherwise less often. It blocks all
/// signals, because they are meant for the program.
class Background {
public:
    /// Returns whether there was anything to do. Its exceptions are ignored.
    using Work = std::function<bool()>;
    /// How long to wait before the next call.
    using Pause = std::function<std::chrono::microseconds()>;

    Background() = default;
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// False if no further thread can be created. `pause` replaces the pauses above.
    bool start(Work work, Pause pause = {});
    /// Waits until the current work is done, but not forever. False: the thread is still running,
    /// and everything that it uses must be kept alive.
    bool stop();
    [[nodiscard]] bool running() const { return m_running; }

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    std::atomic<bool> m_running{false};
};

}  // namespace roofscope::inject
