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

/// One check of doctor. docs/doctor.md lists ids and causes.
struct Check {
    std::string id;     ///< stable, kebab-case: "counter-permission"
    std::string title;  ///< "Counter permission"
    CheckStatus status = CheckStatus::Skipped;
    std::string detail = {};  ///< what was found
    std::string advice = {};  ///< what to do, in words
    std::string cause = {};   ///< stable name of the cause of a failure ("busy"); may be empty
    /// The exact commands that fix it, to be run in this order; often only one.
    std::vector<std::string> commands = {};
};

struct Diagnosis {
    std::vector<Check> checks;
    /// 0: counters can be read here. 69: there is no driver, GPU, CUPTI or collector, or the GPU
    /// has no readable counters. 75: another program holds the counters. 77: not permitted.
    int exitCode = 0;
};

/// Checks everything that a recording needs, in the order in which it is needed: collector, driver,
/// GPU, libcupti and its helpers, chip, permission; and, unless it is empty, `program`, the file to
/// be recorded. Needs no GPU and never hangs: calls that could hang run in child processes with a
/// time limit.
[[nodiscard]] Diagnosis diagnose(const std::string& program = {});

}  // namespace roofscope
