// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/range_counting.h"

#include <utility>

#include "collector/inject/sessions/cupti_range_session.h"

namespace roofscope::inject {

RangeCounting::RangeCounting(const MeasurementParts& parts, RangesMode mode)
    : LaunchMeasurement({.turns = false, .launches = false}),
      m_parts(parts),
      m_mode(std::move(mode)) {}

void RangeCounting::start() {
    m_parts.ranges.follow({.globs = m_mode.ranges, .measuredDepth = m_mode.depth},
                          [this](RangeTracker::Context handle) {
                              return open(static_cast<CUcontext>(const_cast<void*>(handle)));
                          });
}

std::unique_ptr<RangeSession> RangeCounting::open(CUcontext handle) {
    const KnownContext* const context = m_parts.contexts.context(handle);
    if (!context) return nullptr;
    auto session =
        CuptiRangeSession::open(m_parts.cupti, handle, context->gpu, m_mode.counters,
                                context->facts, [&](Issue issue) { m_parts.issues.once(issue); });
    if (session) return std::move(*session);
    m_parts.issues.once(countersRefused(session.error()));
    return nullptr;
}

}  // namespace roofscope::inject
