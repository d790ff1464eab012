// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/timeline_log.h"

#include <utility>

namespace roofscope::inject {

void TimelineLog::prepare(const TimingMode& timing) {
    if (m_owned || timing.serial || timing.timeline == TimelineDetail::Off) return;
    m_detail = timing.timeline;
    m_owned = std::make_unique<CallLog>(m_cupti, m_spool, m_detail);
    m_log.store(m_owned.get(), std::memory_order_release);
}

void TimelineLog::start() {
    if (!m_owned) return;
    if (!std::exchange(m_written, true)) {
        TimelineParts parts{.copies = true, .waits = true};
        if (m_detail == TimelineDetail::Full)
            for (const auto& [name, member] : kTimelineParts) parts.*member = true;
        m_spool.timeline(parts);
    }
    m_owned->start();
}

void TimelineLog::stop() {
    if (m_owned) m_owned->stop();
}

}  // namespace roofscope::inject
