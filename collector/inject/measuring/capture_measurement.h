// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/capture/launch_capture.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Keeps one launch with all that it needs to run again (CaptureMode); no other launch is recorded.
/// If that is impossible, an issue `capture-refused` says why.
class CaptureMeasurement final : public LaunchMeasurement {
public:
    CaptureMeasurement(const MeasurementParts& parts, const CaptureMode& mode);

    [[nodiscard]] Choice choose(std::uint64_t signature) override;
    bool begin(BegunLaunch& launch) override;
    [[nodiscard]] bool times(const Choice&) const override { return false; }
    void end(const EndedLaunch& launch) override;
    void cancel(CUcontext context) override;
    void codeLoaded(const void* cubin, std::size_t bytes) override {
        m_capture.moduleLoaded(cubin, bytes);
    }

private:
    void refuse(const Error& error);

    const MeasurementParts& m_parts;
    const CaptureMode m_mode;
    LaunchCapture m_capture;
    std::uint64_t m_seen = 0;  ///< launches so far that match the mode's signature
    const OpenLaunch* m_open = nullptr;
};

}  // namespace roofscope::inject
