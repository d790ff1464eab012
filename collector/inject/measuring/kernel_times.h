// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/cupti/cupti_api.h"
#include "collector/inject/sessions/activity_timer.h"
#include "collector/inject/sessions/issue_log.h"

namespace roofscope::inject {

/// The times of kernels from CUPTI's activity records, for one measurement.
class KernelTimes {
public:
    KernelTimes(const CuptiApi& cupti, SpoolWriter& spool, IssueLog& issues)
        : m_cupti(cupti), m_spool(spool), m_issues(issues) {}

    /// False if CUPTI refuses; an issue then says why.
    bool start(const activity_timer::What& what);
    /// Writes all times, and reports those that CUPTI lost.
    void writeRest();
    /// Whether kernels take so long, on average of those that ended until now, that tracing their
    /// launches hardly slows the program down.
    [[nodiscard]] bool areLong() const;
    /// Stops timing.
    void stop();

private:
    const CuptiApi& m_cupti;
    SpoolWriter& m_spool;
    IssueLog& m_issues;
    bool m_asked = false;  ///< start() was called
};

}  // namespace roofscope::inject
