// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/cupti/driver_api.h"

namespace roofscope::inject {

/// The stream captures of a process. What is launched into one does not run, and most questions to
/// the driver must wait until it ends. Thread-safe.
class StreamCaptures {
public:
    void began() { ++m_open; }
    /// Also called for a capture that began before the recording.
    void ended() {
        if (m_open > 0) --m_open;
    }
    /// Whether any stream is being captured.
    [[nodiscard]] bool open() const { return m_open > 0; }

    [[nodiscard]] static bool capturing(const DriverApi& driver, CUstream stream) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        return driver.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
               status != CU_STREAM_CAPTURE_STATUS_NONE;
    }

private:
    std::atomic<int> m_open{0};
};

}  // namespace roofscope::inject
