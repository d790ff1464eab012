// SPDX-License-Identifier: Apache-2.0
// What is worth an edit, in which order.
#include <string>
#include <vector>

#include "analyzer/program/actions/worthwhile.h"
#include "tests/support/catch.h"

using namespace roofscope;
using program::Proposal;
using program::Worth;

namespace {

Finding findingOf(const char* rule, double gain, double share) {
    Finding finding;
    finding.ruleId = rule;
    finding.gain = Derived<Seconds>::of({gain}, "");
    finding.gainShare = Derived<Ratio>::of({share}, "");
    return finding;
}

KernelAnalysis kernelOf(KernelOrigin origin, double duration, double total,
                        std::vector<Finding> findings) {
    KernelAnalysis kernel;
    kernel.origin = origin;
    kernel.quantities.duration.median = {duration};
    kernel.quantities.duration.total = {total};
    kernel.quantities.duration.count = 1;
    kernel.findings = std::move(findings);
    return kernel;
}

/// Three kernels that take 1 ms a launch. The first runs 4 times a window of 10 ms, the second
/// once, the third only before the loop.
Analysis threeKernels() {
    Analysis analysis;
    const double ms = 1e-3;
    analysis.kernels = {
        kernelOf(KernelOrigin::Library, ms, 40 * ms,
                 {findingOf("missing-tensor-core", 0.5 * ms, 0.5),
                  findingOf("wave-tail", 0.05 * ms, 0.05)}),
        kernelOf(KernelOrigin::Own, ms, 10 * ms,
                 {findingOf("missing-tensor-core", 0.2 * ms, 0.2),
                  findingOf("shared-bank-conflict", 0.4 * ms, 0.4)}),
        kernelOf(KernelOrigin::Own, ms, 50 * ms, {findingOf("wave-tail", 0.5 * ms, 0.5)})};
    return analysis;
}

Program windowOfThree() {
    Program program;
    program.lanes.resize(1);
    program.window.kind = WindowKind::Range;
    program.window.seconds = {10e-3};
    program.kernels = {{.timed = 40, .perWindow = 4, .time = {4e-3}, .standsFor = {4e-3}},
                       {.timed = 10, .perWindow = 1, .time = {1e-3}, .standsFor = {1e-3}},
                       {.timed = 50}};
    return program;
}

std::vector<std::string> namesOf(const std::vector<Proposal>& proposals) {
    std::vector<std::string> names;
    for (const Proposal& one : proposals)
        names.push_back(one.finding ? std::to_string(one.kernel) + "/" + one.finding->ruleId.str()
                                    : one.action->rule);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a finding is worthwhile by its share of the window") {
    const Analysis analysis = threeKernels();
    const Program program = windowOfThree();
    const Worth worth(analysis, program);
    const auto of = [&](std::uint32_t kernel, std::size_t finding) {
        return worth.of(kernel, analysis.kernels[kernel].findings[finding]);
    };
    CHECK(of(0, 0).perWindow->value == Approx(2e-3));  // 4 × 0.5 ms
    CHECK(of(0, 0).worthwhile);
    CHECK(of(0, 1).perWindow->value == Approx(0.2e-3));  // 2 % of the window
    CHECK_FALSE(of(0, 1).worthwhile);
    CHECK(of(1, 1).perWindow->value == Approx(0.4e-3));
    CHECK(of(1, 1).worthwhile);
    // It takes most of the GPU time, but not within the window.
    CHECK(of(2, 0).perWindow->value == 0);
    CHECK(of(2, 0).recorded->value == Approx(25e-3));
    CHECK_FALSE(of(2, 0).worthwhile);
    CHECK(namesOf(worth.proposals()) == Names{"0/missing-tensor-core", "1/shared-bank-conflict"});
}

TEST_CASE("a finding is worthwhile by its share of the kernels' time if no window was timed") {
    Analysis analysis = threeKernels();
    Program program = windowOfThree();
    program.lanes.clear();
    const Worth worth(analysis, program);
    CHECK_FALSE(worth.of(0, analysis.kernels[0].findings[0]).perWindow);
    CHECK(worth.of(0, analysis.kernels[0].findings[0]).recorded->value == Approx(20e-3));
    // 25, 20, 4, 2 and 2 ms of 100 ms.
    CHECK(namesOf(worth.proposals()) ==
          Names{"2/wave-tail", "0/missing-tensor-core", "1/shared-bank-conflict"});
    analysis.kernels[2].findings[0].minor = true;
    analysis.kernels[0].findings[0].gain = {};
    CHECK(namesOf(worth.proposals()) == Names{"1/shared-bank-conflict"});
}

TEST_CASE("if the window is the whole run, idle time does not make findings small") {
    const Analysis analysis = threeKernels();
    Program program = windowOfThree();
    program.window.kind = WindowKind::Whole;
    program.window.seconds = {1};
    program.account.time[TimeClass::Kernels] = {4e-3};
    program.account.time[TimeClass::IdleHost] = {0.996};
    CHECK(program::judgedTime(program).value == Approx(4e-3));
    const Worth worth(analysis, program);
    CHECK(worth.of(0, analysis.kernels[0].findings[1]).worthwhile);  // 0.2 of 4 ms
}

TEST_CASE("an action over several kernels is one proposal") {
    const Analysis analysis = threeKernels();
    Program program = windowOfThree();
    program.actions = {{.rule = "pageable-copy"},
                       {.rule = "missing-tensor-core", .kernels = {0, 1}, .finding = 0},
                       {.rule = "wave-tail", .kernels = {0}, .finding = 1}};
    const Worth worth(analysis, program);
    CHECK(namesOf(worth.findingsOf(program.actions[0])).empty());
    CHECK(namesOf(worth.findingsOf(program.actions[1])) ==
          Names{"0/missing-tensor-core", "1/missing-tensor-core"});
    CHECK(namesOf(worth.proposals()) ==
          Names{"pageable-copy", "missing-tensor-core", "wave-tail", "1/shared-bank-conflict"});
    CHECK(worth.of(0, analysis.kernels[0].findings[1]).action == &program.actions[2]);
    CHECK(worth.of(1, analysis.kernels[1].findings[1]).action == nullptr);
}

TEST_CASE("trials change how libraries are used, not the program's own kernels") {
    const Analysis analysis = threeKernels();
    CHECK(program::canBeTried(analysis.kernels[0]));
    CHECK_FALSE(program::canBeTried(analysis.kernels[1]));
    CHECK(program::canBeTried(analysis, {.rule = "host-bound"}));
    CHECK(program::canBeTried(analysis, {.rule = "missing-tensor-core", .kernels = {1, 0}}));
    CHECK_FALSE(program::canBeTried(analysis, {.rule = "missing-tensor-core", .kernels = {1, 2}}));
}
