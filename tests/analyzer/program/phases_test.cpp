// SPDX-License-Identifier: Apache-2.0
// Programs of known phases, and programs that have none.
#include "analyzer/program/window/phases.h"

#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

Program judged(const SyntheticProgram& p) { return test::judged(p.build()); }

/// Plays `steps` steps, with host work before each.
void rollout(SyntheticProgram& p, int steps, double work = 400) {
    for (int i = 0; i < steps; ++i) {
        p.work(work);
        p.launch("act", 5).launch("environment", 5).sync();
    }
}

void update(SyntheticProgram& p, int batches) {
    for (int i = 0; i < batches; ++i)
        p.launch("forward", 100).launch("backward", 200).launch("optimizer", 50);
    p.sync();
}

void checkRolloutAndUpdate(const Program& program) {
    REQUIRE(program.phases.size() == 2);
    const WindowPhase& first = program.phases[0];
    const WindowPhase& second = program.phases[1];
    CHECK(first.program->account.share(TimeClass::IdleHost).value > 0.7);
    CHECK(second.program->account.share(TimeClass::Kernels).value > 0.98);
    // 20 batches of 350 us.
    CHECK(second.program->window.seconds.value * 1e6 == Approx(7000).epsilon(0.02));
    CHECK(first.share.value + second.share.value == Approx(1).epsilon(0.03));
    REQUIRE_FALSE(first.program->actions.empty());
    CHECK(first.program->actions[0].timeClass == TimeClass::IdleHost);
    for (const Action& action : second.program->actions)
        CHECK(action.timeClass != TimeClass::IdleHost);
}

}  // namespace

TEST_CASE("stretches that repeat are found within a sequence") {
    // 15 × (1 2), 12 × (3 4 5), 7, 15 × (1 2), 3 × (8 9)
    std::vector<std::uint32_t> sequence;
    for (int i = 0; i < 15; ++i) sequence.insert(sequence.end(), {1, 2});
    for (int i = 0; i < 12; ++i) sequence.insert(sequence.end(), {3, 4, 5});
    sequence.push_back(7);
    for (int i = 0; i < 15; ++i) sequence.insert(sequence.end(), {1, 2});
    for (int i = 0; i < 3; ++i) sequence.insert(sequence.end(), {8, 9});  // too few
    const auto stretches = program::stretchesOf(sequence);
    REQUIRE(stretches.size() == 3);
    CHECK(stretches[0].first == 0);
    CHECK(stretches[0].end() == 30);
    CHECK(stretches[1].first == 30);
    CHECK(stretches[1].length == 3);
    CHECK(stretches[1].repeats == 12);
    CHECK(stretches[2].first == 67);
    CHECK(stretches[2].repeats == 15);
    CHECK(program::stretchesOf(std::vector<std::uint32_t>{1, 2, 3, 4, 5}).empty());
    CHECK(program::stretchesOf({}).empty());
}

TEST_CASE("what a loop does in turns is judged apart, by what is launched") {
    SyntheticProgram p;
    for (int i = 0; i < 5; ++i) {
        rollout(p, 60);
        update(p, 20);
    }
    const Program program = judged(p);
    CHECK(program.window.kind == WindowKind::Period);
    checkRolloutAndUpdate(program);
    CHECK(program.phases[0].name.empty());
    CHECK(program.phases[0].repeats == 60);
    CHECK(program.phases[0].launches == 2);
    CHECK(program.phases[1].repeats == 20);
    CHECK(program.phases[1].launches == 3);
    CHECK(program.phases[1].perWindow == Approx(1));
}

TEST_CASE("ranges within a step are its phases") {
    const auto checkNamed = [](std::string_view step, std::string_view first,
                               std::string_view second, std::string_view ofLibrary = {}) {
        SyntheticProgram p;
        for (int i = 0; i < 5; ++i) {
            p.push(step).push(first);
            rollout(p, 60);
            p.pop().push(second);
            if (!ofLibrary.empty()) p.push(ofLibrary);
            update(p, 20);
            if (!ofLibrary.empty()) p.pop();
            p.pop().pop();
        }
        const Program program = judged(p);
        CHECK(program.window.name == step);
        checkRolloutAndUpdate(program);
        CHECK(program.phases[0].name == first);
        CHECK(program.phases[1].name == second);
    };
    checkNamed("iteration", "rollout", "update");
    // A program's own classes name phases, a library's functions do not.
    checkNamed("Solver::step", "Solver::rollout", "Solver::update", "torch::jit");
}

TEST_CASE("two turns are no period, but have phases") {
    SyntheticProgram p;
    for (int i = 0; i < 2; ++i) {
        rollout(p, 60);
        update(p, 20);
    }
    const Program program = judged(p);
    CHECK(program.window.kind == WindowKind::Whole);
    checkRolloutAndUpdate(program);
    CHECK(program.phases[0].perWindow == Approx(2));
}

TEST_CASE("layers that are alike are no phases, and neither is a small part of a step") {
    SyntheticProgram layers;
    for (int i = 0; i < 5; ++i) {
        for (int layer = 0; layer < 12; ++layer) layers.launch("norm", 100).launch("gemm", 200);
        for (int layer = 0; layer < 12; ++layer) layers.launch("gemm_t", 400).launch("norm_b", 200);
        layers.sync();
    }
    CHECK(judged(layers).phases.empty());

    SyntheticProgram small;
    for (int i = 0; i < 5; ++i) {
        rollout(small, 1);
        update(small, 40);
    }
    CHECK(judged(small).phases.empty());

    SyntheticProgram one;
    for (int i = 0; i < 30; ++i) update(one, 4);
    CHECK(judged(one).phases.empty());
}
