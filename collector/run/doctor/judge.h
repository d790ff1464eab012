// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/doctor/doctor.h"
#include "collector/run/doctor/facts.h"

/// Turns facts into checks. Pure functions, so that tests can pass the facts of any machine.
namespace roofscope::doctor {

/// Every check, in the order in which a recording needs them, and the exit code.
[[nodiscard]] Diagnosis judge(const Facts& facts);

}  // namespace roofscope::doctor
