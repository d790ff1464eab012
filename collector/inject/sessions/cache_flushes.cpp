// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/cache_flushes.h"

namespace roofscope::inject {

bool CacheFlushes::before(const KnownContext& context, CUstream stream, bool possible) {
    if (!m_wanted) return false;
    Issue issue{.severity = Severity::DataLoss, .source = "inject", .code = "caches-not-flushed"};
    if (!possible) {
        issue.message =
            "caches were not flushed before launches of CUDA graphs and launches during a stream "
            "capture";
        issue.advice = "leave these launches out (--kernel, --nvtx)";
        m_issues.once(issue);
        return false;
    }
    const auto flushed = m_flushes.try_emplace(context.handle, m_driver, context.facts.l2Bytes)
                             .first->second.before(stream);
    if (flushed) return true;
    issue.message = "caches could not be flushed: " + flushed.error().what;
    issue.advice = flushed.error().advice;
    m_issues.once(issue);
    return false;
}

}  // namespace roofscope::inject
