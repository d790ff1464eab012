// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// The measurement for a mode of a run configuration.
[[nodiscard]] std::unique_ptr<LaunchMeasurement> makeMeasurement(const RunConfiguration::Mode& mode,
                                                                 const MeasurementParts& parts);

/// The mode in which this process begins. CountFirstMode is only its timing mode if the process
/// used CUDA at once, is one of several ranks, or would not run as usual while counters are read.
[[nodiscard]] RunConfiguration::Mode firstModeOf(const RunConfiguration::Mode& mode);

/// The measurements of a recording, one after the other: count, then time, then count again.
/// Callers serialise calls, except those of current().
class Measuring {
public:
    /// Creates the first measurement; start() begins it.
    Measuring(const RunConfiguration::Mode& mode, const MeasurementParts& parts);

    /// The measurement that launches are passed to. Thread-safe. The reference is valid as long as
    /// this object, because a launch of another thread may still be open in an earlier measurement.
    [[nodiscard]] LaunchMeasurement& current() const {
        return *m_current.load(std::memory_order_acquire);
    }
    void start() { current().start(); }
    /// Ends the current measurement and begins the next.
    void goOn(const RunConfiguration::Mode& mode);
    /// How many measurements came before the current one.
    [[nodiscard]] std::size_t before() const { return m_all.size() - 1; }

private:
    const MeasurementParts& m_parts;
    std::vector<std::unique_ptr<LaunchMeasurement>> m_all;
    std::atomic<LaunchMeasurement*> m_current;
};

}  // namespace roofscope::inject
