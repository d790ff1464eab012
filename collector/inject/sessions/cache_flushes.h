// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "collector/inject/sessions/cache_flush.h"
#include "collector/inject/sessions/context_table.h"
#include "collector/inject/sessions/issue_log.h"

namespace roofscope::inject {

/// Empties the L2 before launches, in any context, where the run configuration says so. What cannot
/// be flushed is reported once. Callers serialise calls.
class CacheFlushes {
public:
    CacheFlushes(const DriverApi& driver, IssueLog& issues, bool wanted)
        : m_driver(driver), m_issues(issues), m_wanted(wanted) {}

    [[nodiscard]] bool wanted() const { return m_wanted; }
    /// Just before a launch on `stream` in this context, which is current. `possible`: not for the
    /// launch of a graph, nor while a stream is captured. Returns whether the caches were flushed.
    bool before(const KnownContext& context, CUstream stream, bool possible);
    void forget(CUcontext handle) { m_flushes.erase(handle); }

private:
    const DriverApi& m_driver;
    IssueLog& m_issues;
    bool m_wanted;
    std::map<CUcontext, CacheFlush> m_flushes;
};

}  // namespace roofscope::inject
