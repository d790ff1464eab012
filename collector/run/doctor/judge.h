// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/doctor.h"
#include "collector/run/doctor/facts.h"

/// What the facts mean. Pure functions: tests give them the facts of machines that nobody has.
namespace roofscope::doctor {

/// Every check, in the order in which a recording needs them, and the exit code.
[[nodiscard]] Diagnosis judge(const Facts& facts);

}  // namespace roofscope::doctor
