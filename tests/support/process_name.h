// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>

namespace roofscope::test {

/// The name of this process while it lives, as /proc/PID/comm has it.
class ProcessName {
public:
    /// The name of the process with which roofscope starts programs.
    static constexpr const char* kGuard = "roofscope-guard";

    explicit ProcessName(const char* name) {
        prctl(PR_GET_NAME, m_before);
        prctl(PR_SET_NAME, name);
    }
    ~ProcessName() { prctl(PR_SET_NAME, m_before); }
    ProcessName(const ProcessName&) = delete;
    ProcessName& operator=(const ProcessName&) = delete;

private:
    char m_before[16] = {};
};

}  // namespace roofscope::test
