// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/measuring.h"

#include <utility>
#include <variant>

#include "collector/inject/frameworks/frameworks.h"
#include "collector/inject/measuring/capture_measurement.h"
#include "collector/inject/measuring/counting_measurement.h"
#include "collector/inject/measuring/detail_measurement.h"
#include "collector/inject/measuring/range_counting.h"
#include "collector/inject/measuring/rest_measurement.h"
#include "collector/inject/measuring/site_measurement.h"
#include "collector/inject/measuring/timing_measurement.h"
#include "collector/rank/rank.h"

namespace roofscope::inject {
namespace {

/// Makes the measurement for each alternative of RunConfiguration::Mode.
struct MakeMeasurement {
    const MeasurementParts& parts;
    using Made = std::unique_ptr<LaunchMeasurement>;

    Made operator()(const CountersMode& m) const {
        return std::make_unique<CountingMeasurement>(parts, m);
    }
    Made operator()(const CountFirstMode& m) const {
        return std::make_unique<CountingMeasurement>(parts, m);
    }
    Made operator()(const TimingMode& m) const {
        return std::make_unique<TimingMeasurement>(parts, m);
    }
    Made operator()(const SourceMode& m) const {
        return std::make_unique<SourceMeasurement>(parts, m);
    }
    Made operator()(const StallsMode& m) const {
        return std::make_unique<StallMeasurement>(parts, m);
    }
    Made operator()(const OverTimeMode& m) const {
        return std::make_unique<OverTimeMeasurement>(parts, m);
    }
    Made operator()(const RangesMode& m) const { return std::make_unique<RangeCounting>(parts, m); }
    Made operator()(const CaptureMode& m) const {
        return std::make_unique<CaptureMeasurement>(parts, m);
    }
    Made operator()(const SitesMode&) const { return std::make_unique<SiteMeasurement>(parts); }
    Made operator()(const RestMode&) const { return std::make_unique<RestMeasurement>(parts); }
};

}  // namespace

std::unique_ptr<LaunchMeasurement> makeMeasurement(const RunConfiguration::Mode& mode,
                                                   const MeasurementParts& parts) {
    return std::visit(MakeMeasurement{parts}, mode);
}

RunConfiguration::Mode firstModeOf(const RunConfiguration::Mode& mode) {
    const auto* const first = std::get_if<CountFirstMode>(&mode);
    if (!first || (processAge().count() >= first->leastStart && !launchesOneByOneWhileCounted() &&
                   !isOneOfRanks()))
        return mode;
    return first->timing;
}

Measuring::Measuring(const RunConfiguration::Mode& mode, const MeasurementParts& parts)
    : m_parts(parts) {
    m_all.push_back(makeMeasurement(mode, parts));
    m_current = m_all.back().get();
}

void Measuring::goOn(const RunConfiguration::Mode& mode) {
    auto next = makeMeasurement(mode, m_parts);
    m_all.reserve(m_all.size() + 1);  // so that push_back() below cannot fail
    LaunchMeasurement& before = current();
    before.finish();
    before.writeRest();
    before.stop();
    m_all.push_back(std::move(next));
    m_current.store(m_all.back().get(), std::memory_order_release);
    start();
}

}  // namespace roofscope::inject
