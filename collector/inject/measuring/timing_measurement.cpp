// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/timing_measurement.h"

#include <utility>

namespace roofscope::inject {

TimingMeasurement::TimingMeasurement(const MeasurementParts& parts, TimingMode mode)
    : LaunchMeasurement({.turns = false, .writesLater = true}),
      m_parts(parts),
      m_mode(std::move(mode)),
      m_times(parts.cupti, parts.spool, parts.issues) {}

void TimingMeasurement::start() {
    m_parts.timeline.prepare(m_mode);
    if (!m_mode.ranges.empty()) m_parts.ranges.follow({.globs = m_mode.ranges}, nullptr);
}

void TimingMeasurement::wanted() {
    if (m_tracing.exchange(true)) return;
    m_parts.writer.start();
    const bool timeline =
        m_parts.timeline.log() && !m_mode.serial && m_mode.timeline != TimelineDetail::Off;
    if (m_times.start({.serial = m_mode.serial, .transfers = timeline}) && timeline)
        m_parts.timeline.start();
    m_parts.pace.trace();
}

void TimingMeasurement::finish() {
    if (!m_mode.ranges.empty()) m_parts.ranges.finish();
}

void TimingMeasurement::stop() {
    m_tracing = false;
    m_parts.spool.pace(m_parts.pace.take());
    m_parts.timeline.stop();
    m_times.stop();
    m_parts.writer.stop();
}

bool TimingMeasurement::begin(BegunLaunch& launch) {
    if (launch.anyRecorded)
        m_parts.flushes.before(launch.context, launch.launched.kernels.front().stream,
                               !launch.launched.fromGraph && !launch.capturing);
    return false;
}

}  // namespace roofscope::inject
