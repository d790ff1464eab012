// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

/// A program that repeats a step, and the actions that it is given.
namespace roofscope::test {

inline Program judged(const Profile& profile) {
    return analyzeProgram(analyze(std::make_shared<const Profile>(profile)));
}

/// Six steps, after a launch and a wait.
template <class Step>
Profile repeated(Step step) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        step(p);
        p.pop();
    }
    return p.build();
}

using Rules = std::vector<std::string>;
inline Rules rulesOf(const Program& program) {
    Rules rules;
    for (const Action& action : program.actions) rules.push_back(action.rule);
    return rules;
}
/// Null if there is none.
inline const Action* actionNamed(const Program& program, std::string_view rule) {
    const auto found = std::ranges::find(program.actions, rule, &Action::rule);
    return found == program.actions.end() ? nullptr : &*found;
}
/// The value of the action's argument; it has one of that name.
inline double argument(const Action& action, std::string_view name) {
    return std::ranges::find(action.args, name, &Arg::name)->value;
}
inline const Action& actionOf(const Program& program, std::string_view rule) {
    const Action* found = actionNamed(program, rule);
    REQUIRE(found);
    return *found;
}
inline bool says(const Program& program, std::string_view rule) {
    return actionNamed(program, rule) != nullptr;
}

}  // namespace roofscope::test
