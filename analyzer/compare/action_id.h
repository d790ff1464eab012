// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope {

/// Six digits for what an action is about, which are the same in another recording of the program:
/// a hash of its kernels, of its first site without digits (lines move), and of the function that
/// takes most.
[[nodiscard]] std::string subjectOf(const Analysis& analysis, const Action& action);

/// The ids of Program::actions in commands: "program/pageable-copy". Several actions of one rule
/// are told apart by their subjects: "program/host-bound-3f09".
[[nodiscard]] std::vector<std::string> actionIds(const Analysis& analysis, const Program& program);

}  // namespace roofscope
