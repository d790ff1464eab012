// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope {

/// What an action is about, as six digits that another recording of the program has, too: its
/// kernels, its first site without the number of its line, and the function that takes most.
[[nodiscard]] std::string subjectOf(const Analysis& analysis, const Action& action);

/// The ids of Program::actions in commands: "program/pageable-copy". Where several are of one rule
/// they differ by their subjects: "program/host-bound-3f09".
[[nodiscard]] std::vector<std::string> actionIds(const Analysis& analysis, const Program& program);

}  // namespace roofscope
