// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Only notes when launch calls come (RestMode).
class RestMeasurement final : public LaunchMeasurement {
public:
    explicit RestMeasurement(const MeasurementParts& parts)
        : LaunchMeasurement({.turns = false, .launches = false}), m_parts(parts) {}

    void start() override { m_parts.pace.rest(0, true); }
    void stop() override {
        m_parts.pace.endRest();
        m_parts.spool.pace(m_parts.pace.take());
    }
    [[nodiscard]] Choice choose(std::uint64_t) override { return {}; }
    bool begin(BegunLaunch&) override { return false; }
    [[nodiscard]] bool times(const Choice&) const override { return false; }

private:
    const MeasurementParts& m_parts;
};

}  // namespace roofscope::inject
