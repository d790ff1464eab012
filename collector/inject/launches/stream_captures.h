// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "collector/cupti/driver_api.h"

namespace roofscope::inject {

/// The stream captures of a process. Launches that are captured do not run, and most questions to
/// the driver must wait until the capture ends. Thread-safe.
class StreamCaptures {
public:
    void began() {
        ++m_open;
        ++t_own;
    }
    /// Also called for a capture that began before the recording.
    void ended() {
        if (m_open > 0) --m_open;
        if (t_own > 0) --t_own;
    }
    /// Whether another thread is capturing, and a launch of this thread should wait until it ends:
    /// counting saves memory and waits for the GPU, which invalidates a capture.
    [[nodiscard]] bool mustWait() const { return !m_waitedInVain && m_open > t_own; }
    /// Waits while mustWait(). The capturing thread may itself wait for this one, so the wait is
    /// limited to kPatience. After one wait that reached the limit, no thread waits any more.
    void waitForOthers() {
        const auto until = std::chrono::steady_clock::now() + kPatience;
        while (mustWait()) {
            if (std::chrono::steady_clock::now() >= until) m_waitedInVain = true;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
    /// Whether any stream is being captured.
    [[nodiscard]] bool open() const { return m_open > 0; }

    [[nodiscard]] static bool capturing(const DriverApi& driver, CUstream stream) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        return driver.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
               status != CU_STREAM_CAPTURE_STATUS_NONE;
    }

private:
    static constexpr std::chrono::seconds kPatience{2};
    static thread_local inline int t_own = 0;  ///< captures that this thread began
    std::atomic<int> m_open{0};
    std::atomic<bool> m_waitedInVain{false};
};

}  // namespace roofscope::inject
