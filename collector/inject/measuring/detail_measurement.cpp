// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/detail_measurement.h"

#include <utility>

#include "collector/inject/launches/counter_attribution.h"

namespace roofscope::inject {
namespace {

constexpr LaunchMeasurement::Demands kDetail{.signatures = true, .symbols = true};
constexpr LaunchMeasurement::Demands kSource{.signatures = true, .symbols = true, .code = true};

}  // namespace

DetailMeasurement::DetailMeasurement(const Demands& demands, const MeasurementParts& parts,
                                     LaunchPicks picks)
    : LaunchMeasurement(demands), m_parts(parts), m_picked(std::move(picks)) {}

Choice DetailMeasurement::choose(std::uint64_t signature) {
    const bool wanted = m_picked.takesNext(signature);
    return {.recorded = wanted, .counted = wanted};
}

bool DetailMeasurement::begin(BegunLaunch& launch) {
    if (launch.anyCounted && launch.single()) measure(launch);
    return false;
}

void DetailMeasurement::end(const EndedLaunch& launch) {
    const OpenLaunch& open = launch.open;
    // Only this launch may get the result of what was begun for it.
    if (open.sequences.size() == 1 && open.sequences.front() != CounterAttribution::kUnwanted)
        measured(launch, {open.sequences.front(), open.kernel, open.symbol});
    if (m_picked.done()) setHasAll();
}

SourceMeasurement::SourceMeasurement(const MeasurementParts& parts, const SourceMode& mode)
    : DetailMeasurement(kSource, parts, {{mode.signature, {mode.ordinal}}}),
      m_session(parts.cupti, parts.driver, parts.spool, parts.folder) {}

void SourceMeasurement::measure(const BegunLaunch& launch) {
    m_session.begin(launch.context.handle, launch.context.gpu);
}

void SourceMeasurement::measured(const EndedLaunch& launch, const Measured& one) {
    if (m_session.begun() && launch.context)
        m_session.end(launch.handle, launch.context->gpu, one.sequence, one.kernel, one.symbol);
}

StallMeasurement::StallMeasurement(const MeasurementParts& parts, const StallsMode& mode)
    : DetailMeasurement(mode.code ? kSource : kDetail, parts, mode.picks),
      m_session(parts.cupti, parts.driver, parts.spool, parts.folder, mode) {}

bool StallMeasurement::contextLost(CUcontext context) {
    m_session.forget(context);
    return false;
}

void StallMeasurement::measure(const BegunLaunch& launch) {
    m_parts.flushes.before(launch.context, launch.launched.kernels.front().stream, true);
    m_session.begin(launch.context.handle);
}

void StallMeasurement::measured(const EndedLaunch& launch, const Measured& one) {
    m_session.end(launch.handle, one.sequence, one.kernel, one.symbol);
}

OverTimeMeasurement::OverTimeMeasurement(const MeasurementParts& parts, const OverTimeMode& mode)
    : DetailMeasurement(kDetail, parts, mode.picks),
      m_intervals(mode.intervals),
      m_session(parts.cupti, parts.driver, parts.spool) {}

void OverTimeMeasurement::measure(const BegunLaunch& launch) {
    m_parts.flushes.before(launch.context, launch.launched.kernels.front().stream, true);
    if (!launch.signature) return;
    if (const auto interval = m_intervals.find(*launch.signature); interval != m_intervals.end())
        m_session.begin(launch.context.ordinal, interval->second);
}

void OverTimeMeasurement::measured(const EndedLaunch&, const Measured& one) {
    m_session.end(one.sequence, one.kernel, one.symbol);
}

}  // namespace roofscope::inject
