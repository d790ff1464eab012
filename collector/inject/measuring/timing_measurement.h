// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/inject/measuring/kernel_times.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Takes the times of launches and records the timeline. It does not interfere with launches:
/// several threads may launch at once.
class TimingMeasurement final : public LaunchMeasurement {
public:
    TimingMeasurement(const MeasurementParts& parts, TimingMode mode);

    void start() override;
    /// Starts CUPTI's kernel times, which cost a microsecond per launch.
    void wanted() override;
    void finish() override;
    void writeRest() override { m_times.writeRest(); }
    void stop() override;

    [[nodiscard]] Choice choose(std::uint64_t) override { return {.recorded = true}; }
    bool begin(BegunLaunch& launch) override;
    [[nodiscard]] bool times(const Choice&) const override { return true; }

    [[nodiscard]] bool tracesCalls() const override { return m_tracing; }
    void callTook(std::chrono::nanoseconds took) override { m_parts.callTimes.add(took); }

private:
    const MeasurementParts& m_parts;
    TimingMode m_mode;
    KernelTimes m_times;
    std::atomic<bool> m_tracing{false};
};

}  // namespace roofscope::inject
