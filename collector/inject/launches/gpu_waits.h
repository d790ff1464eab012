// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {

/// What the program's waits for the GPU tell about the next launch. Thread-safe: the next launch
/// may be in another thread than the one that waited (autograd's).
class GpuWaits {
public:
    /// The calling thread enters a call that waits; left(): it returns from that call.
    static void entering() { t_waiting = Clock::now(); }
    void left() {
        if (t_launches && Clock::now() - t_waiting > kRealWait) m_waited = true;
        if (openLaunch().depth == 0) m_asked = true;  // within a launch, CUPTI waits
    }
    /// Whether a thread has waited since the last call of this function.
    [[nodiscard]] bool takeWaited() { return m_waited.exchange(false); }
    /// The same for all synchronisation calls, even if the GPU had already finished.
    [[nodiscard]] bool takeAsked() { return m_asked.exchange(false); }

private:
    /// A synchronisation that takes longer than this has really waited for the GPU.
    static constexpr auto kRealWait = std::chrono::microseconds(5);

    std::atomic<bool> m_waited{false}, m_asked{false};
};

}  // namespace roofscope::inject
