// SPDX-License-Identifier: Apache-2.0
// Launch shapes of one function are one row, by their time in the window.
#include <algorithm>
#include <memory>

#include "analyzer/program/program.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::SyntheticProgram;

TEST_CASE("a function's time is the sum over its shapes, in the window only") {
    SyntheticProgram p;
    for (int i = 0; i < 30; ++i) p.launch("trial", 50);  // before the window
    p.sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step").launch("many", 100).launch("many", 300).launch("one", 250);
        p.sync().pop();
    }
    Profile profile = p.build();
    // Every second launch of "many" has another grid.
    std::size_t seen = 0;
    for (Launch& launch : profile.launches)
        if (profile.kernels[launch.kernel].name == "many" && seen++ % 2 == 0)
            launch.grid = {7, 1, 1};
    const Program program = test::judged(profile);
    REQUIRE(program.functions.size() == 2);
    const KernelFunction& first = program.functions[0];
    CHECK(first.kernels.size() == 2);
    CHECK(first.launches == Approx(2));
    CHECK(first.time.value == Approx(400e-6));
    CHECK(first.share.value == Approx(400. / 650));
    CHECK(program.functions[1].share.value == Approx(250. / 650));
    CHECK(program.kernels[first.kernels[0]].time.value == Approx(300e-6));
}

TEST_CASE("a gain is a share of the time of launches that differ in their work") {
    SyntheticProgram p;
    // Levels of a search: the same grid, very different times.
    for (const double time : {10., 14'000., 9'000., 250., 20., 10.}) p.launch("level", time).sync();
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == 1);
    KernelAnalysis& kernel = analysis.kernels[0];
    const Seconds median = kernel.quantities.duration.median;
    Finding half;
    half.ruleId = "imbalance";
    half.gain = Derived<Seconds>::of(median * 0.5, "half of it");
    kernel.findings = {half};
    const Program program = analyzeProgram(analysis);
    REQUIRE_FALSE(program.actions.empty());
    // Half of 23.29 ms, not six times half of the median.
    CHECK(program.actions.front().bound.value == Approx(0.5 * 23.29e-3).epsilon(0.01));
}

TEST_CASE("three counted shapes of a function stand for those that nobody counted") {
    SyntheticProgram p;
    for (int i = 0; i < 20; ++i) p.launch("shapes", 100).sync();
    Profile profile = p.build();
    for (std::uint32_t i = 0; i < 20; ++i) profile.launches[i].grid = {i + 1, 1, 1};
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    REQUIRE(analysis.kernels.size() == 20);
    const auto decide = [&](std::size_t shapes, VerdictClass cls = VerdictClass::MemoryBound) {
        for (std::size_t k = 0; k < 20; ++k) {
            KernelAnalysis& kernel = analysis.kernels[k];
            kernel.cannotTell.clear();
            kernel.findings.clear();
            kernel.verdict.cls = k < shapes ? cls : VerdictClass::Unknown;
            if (k >= shapes) continue;
            Finding half;
            half.ruleId = "imbalance";
            half.gain = Derived<Seconds>::of({50e-6}, "half of it");
            kernel.findings = {half};
        }
        return analyzeProgram(analysis);
    };
    const auto boundOf = [](const Program& program) {
        const Action* action = actionNamed(program, "imbalance");
        REQUIRE(action);
        return action->bound.value;
    };
    const Program three = decide(3);
    CHECK(boundOf(three) == Approx(20 * 50e-6));
    CHECK(std::ranges::find(three.actions, "imbalance", &Action::rule)->estimate);
    CHECK(three.undecided->value == 0);
    // Two counted shapes may be chance: the bound covers only their own time.
    const Program two = decide(2);
    CHECK(boundOf(two) == Approx(2 * 50e-6));
    CHECK(two.undecided->value > 0.5);
    // With page faults in all of their times, no finding claims those times.
    profile.timeline.callNames.push_back({"cudaMallocManaged", CallKind::Allocate});
    analysis.profile = std::make_shared<const Profile>(profile);
    for (std::size_t k = 0; k < 3; ++k)
        analysis.kernels[k].quantities.duration.whileCounted = Seconds{10e-6};
    const Program faults = decide(3, VerdictClass::WaitsForPages);
    const Action* action = actionNamed(faults, "page-faults");
    REQUIRE(action);
    CHECK(action->kernels.size() == 20);
    CHECK(action->bound.value == Approx(20 * 90e-6));
    CHECK(boundOf(faults) <= 3 * 50e-6);
}

TEST_CASE("shapes that were counted before the window stand for those in it") {
    constexpr std::size_t kCounted = 4;
    SyntheticProgram p;
    for (int i = 0; i < 24; ++i) p.launch("shapes", 100).sync();
    Profile profile = p.build();
    for (std::uint32_t i = 0; i < 24; ++i) profile.launches[i].grid = {i + 1, 1, 1};
    // As in a program that is counted first and timed then.
    for (std::size_t i = 0; i < kCounted; ++i) profile.launches[i].start.reset();
    const auto decide = [&](double each, std::size_t counted) {
        Analysis analysis = analyze(std::make_shared<const Profile>(profile));
        REQUIRE(analysis.kernels.size() == 24);
        for (KernelAnalysis& kernel : analysis.kernels) {
            const std::size_t launch = kernel.group.launches.front();
            kernel.cannotTell.clear();
            kernel.findings.clear();
            kernel.verdict.cls = VerdictClass::Unknown;
            // What only its grid shows does not stand for others.
            if (launch >= 20) kernel.verdict.cls = VerdictClass::Underfilled;
            if (launch >= counted) continue;
            kernel.verdict.cls = VerdictClass::MemoryBound;
            kernel.quantities.warpInstructions = Derived<double>::of(1e6, "counted");
            auto& duration = kernel.quantities.duration;
            duration.count = 1;
            duration.median = duration.total = {each};
            Finding half;
            half.ruleId = "imbalance";
            half.gain = Derived<Seconds>::of({each / 2}, "half of it");
            kernel.findings = {half};
        }
        return analyzeProgram(analysis);
    };
    const Program program = decide(150e-6, kCounted);
    REQUIRE(program.functions.size() == 1);
    CHECK(program.functions[0].kernels.size() == 20);
    CHECK(program.functions[0].elsewhere.size() == kCounted);
    const Action* action = actionNamed(program, "imbalance");
    REQUIRE(action);
    CHECK(action->bound.value == Approx(20 * 50e-6));
    CHECK(action->estimate);
    CHECK(program.undecided->value == 0);
    CHECK_FALSE(program.unanswered);
    // Launches of another length are another case, and two may be chance.
    CHECK(decide(2e-3, kCounted).functions[0].elsewhere.empty());
    CHECK(decide(150e-6, 2).functions[0].elsewhere.empty());
}
