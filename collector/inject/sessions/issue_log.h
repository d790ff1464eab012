// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Writes each issue once, however often it occurs. Callers serialise calls.
class IssueLog {
public:
    explicit IssueLog(SpoolWriter& spool) : m_spool(spool) {}

    void once(const Issue& issue) {
        if (m_written.insert(issue.code + issue.message).second) m_spool.issue(issue);
    }

private:
    SpoolWriter& m_spool;
    std::set<std::string> m_written;  ///< code and message
};

}  // namespace roofscope::inject
