// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "collector/inject/sessions/cache_flush.h"
#include "collector/inject/sessions/context_table.h"
#include "collector/inject/sessions/issue_log.h"

namespace roofscope::inject {

/// Flushes the L2 cache before launches, in any context, if the run configuration asks for it.
/// Reports once if that is impossible for some launches. Callers serialise calls.
class CacheFlushes {
public:
    CacheFlushes(const DriverApi& driver, IssueLog& issues, bool wanted)
        : m_driver(driver), m_issues(issues), m_wanted(wanted) {}

    [[nodiscard]] bool wanted() const { return m_wanted; }
    /// Call it just before a launch on `stream` in this context, which must be current.
    /// `possible` is false for the launch of a graph and while a stream is captured. Returns
    /// whether the caches were flushed.
    bool before(const KnownContext& context, CUstream stream, bool possible);
    void forget(CUcontext handle) { m_flushes.erase(handle); }

private:
    const DriverApi& m_driver;
    IssueLog& m_issues;
    bool m_wanted;
    std::map<CUcontext, CacheFlush> m_flushes;
};

}  // namespace roofscope::inject
