// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Reads counters of whole NVTX ranges. Launches are not recorded, and several
/// threads may launch at once.
class RangeCounting final : public LaunchMeasurement {
public:
    RangeCounting(const MeasurementParts& parts, RangesMode mode);

    void start() override;
    void finish() override { m_parts.ranges.finish(); }

    [[nodiscard]] Choice choose(std::uint64_t) override { return {}; }
    bool begin(BegunLaunch&) override { return false; }
    [[nodiscard]] bool times(const Choice&) const override { return false; }

private:
    std::unique_ptr<RangeSession> open(CUcontext handle);

    const MeasurementParts& m_parts;
    RangesMode m_mode;
};

}  // namespace roofscope::inject
