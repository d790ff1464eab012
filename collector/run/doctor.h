// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofscope {

enum class CheckStatus {
    Ok,
    Warning,  ///< works, but read this
    Failed,   ///< counters cannot be read because of this
    Skipped,  ///< could not be checked, because an earlier check failed
};

/// One thing that doctor looked at.
struct Check {
    std::string id;     ///< stable, kebab-case: "counter-permission"
    std::string title;  ///< "Counter permission"
    CheckStatus status = CheckStatus::Skipped;
    std::string detail;  ///< what was found
    std::string advice;  ///< what to do, an exact command where there is one
};

struct Diagnosis {
    std::vector<Check> checks;
    /// 0: counters can be read here. 69: no driver, GPU, CUPTI or collector. 77: not permitted.
    int exitCode = 0;
};

/// Checks everything that a recording needs, in the order in which it is needed: collector, driver,
/// GPU, libcupti and its helpers, chip, permission. Never needs a GPU to give an answer; the checks
/// that talk to the driver run in a child process, because CUPTI can crash without one.
[[nodiscard]] Diagnosis diagnose();

}  // namespace roofscope
