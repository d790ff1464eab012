// SPDX-License-Identifier: Apache-2.0
// What an empty list of actions means: nothing is left to do, or nothing was examined.
#include <algorithm>
#include <memory>

#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;
using Conclusion = Program::Conclusion;

namespace {

/// Kernels one after the other without counters; the program has nothing else to improve.
Profile kernelsOnly(const std::vector<std::pair<const char*, double>>& kernels) {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        for (const auto& [name, time] : kernels) p.launch(name, time);
        p.pop();
    }
    return p.build();
}

Analysis analysed(Profile profile) {
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

}  // namespace

TEST_CASE("without counters nobody can say that nothing is left to do") {
    Analysis analysis = analysed(kernelsOnly({{"k", 1000}}));
    REQUIRE(analysis.kernels.size() == 1);
    REQUIRE(analysis.kernels[0].verdict.cls == VerdictClass::Unknown);
    Program program = analyzeProgram(analysis);
    REQUIRE(program.actions.empty());
    CHECK(program.conclusion() == Conclusion::CannotTell);
    REQUIRE(program.undecided.has_value());
    CHECK(program.undecided->value > 0.9);
    CHECK(program.undecided->value <= 1);

    // The same kernel, now examined.
    analysis.kernels[0].verdict.cls = VerdictClass::MemoryBound;
    program = analyzeProgram(analysis);
    CHECK(program.conclusion() == Conclusion::NothingFound);
    CHECK(program.undecided == Ratio{0});
}

TEST_CASE("kernels that take too little to matter need no counters, others do") {
    for (const double time : {10.0, 100.0}) {
        Analysis analysis = analysed(kernelsOnly({{"k", 1000}, {"l", time}}));
        for (KernelAnalysis& kernel : analysis.kernels)
            if (kernel.name == "k") kernel.verdict.cls = VerdictClass::MemoryBound;
        const Program program = analyzeProgram(analysis);
        REQUIRE(program.undecided.has_value());
        CHECK(program.undecided->value == Approx(time / (1000 + time)).epsilon(0.02));
        CHECK(program.conclusion() ==
              (time < 50 ? Conclusion::NothingFound : Conclusion::CannotTell));
    }
}

TEST_CASE("where it is not known why the GPU idled, nobody can say that nothing is left to do") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.push("step").launch("k", 1000).sync().work(3000).pop();
    const auto judged = [&](bool calls) {
        Profile profile = p.build();
        if (!calls) profile.processes[0].timeline.reset();
        Analysis analysis = analysed(std::move(profile));
        analysis.kernels[0].verdict.cls = VerdictClass::MemoryBound;
        return analyzeProgram(analysis);
    };
    const Program unexplained = judged(false);
    REQUIRE(unexplained.actions.empty());
    REQUIRE(unexplained.account.share(TimeClass::IdleUnknown).value > 0.5);
    CHECK(unexplained.undecided == Ratio{0});
    CHECK(unexplained.conclusion() == Conclusion::CannotTell);

    const Program explained = judged(true);
    CHECK(explained.account.share(TimeClass::IdleUnknown).value < 0.01);
    CHECK(explained.conclusion() != Conclusion::CannotTell);
}

TEST_CASE("actions beside much larger kernels that were not counted say so") {
    const auto said = [](double kernel, double host, bool examined, bool counters = true) {
        SyntheticProgram p;
        for (int i = 0; i < 6; ++i) p.push("step").launch("k", kernel).sync().work(host).pop();
        Profile profile = p.build();
        if (counters) {
            profile.counters = CounterTable(profile.launches.size());
            profile.counters.addColumn("sm__cycles_active.avg",
                                       std::vector<double>(profile.launches.size(), 1));
        }
        Analysis analysis = analysed(std::move(profile));
        if (examined) analysis.kernels[0].verdict.cls = VerdictClass::MemoryBound;
        const Program program = analyzeProgram(analysis);
        REQUIRE_FALSE(program.actions.empty());
        return std::ranges::any_of(program.unknown, [](const Words& words) {
            return words.in(Language::En).find("was not measured: there may be a larger") !=
                   std::string::npos;
        });
    };
    CHECK(said(3000, 1000, false));
    CHECK_FALSE(said(3000, 1000, true));
    CHECK_FALSE(said(1000, 3000, false));  // the action concerns more time
    // without counters, the report says that once for all kernels
    CHECK_FALSE(said(3000, 1000, false, false));
}

TEST_CASE("kernels that wait for other GPUs are not counted, and are no gap") {
    const Program program =
        analyzeProgram(analysed(kernelsOnly({{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000}})));
    CHECK(program.undecided == Ratio{0});
}

TEST_CASE("without any time the conclusion is \"cannot tell\"") {
    Profile profile = kernelsOnly({{"k", 1000}});
    for (Launch& launch : profile.launches) launch.duration.reset();
    profile.timeline = {};
    profile.processes[0].timeline.reset();
    Analysis analysis = analysed(profile);
    analysis.kernels[0].verdict.cls = VerdictClass::MemoryBound;
    const Program program = analyzeProgram(analysis);
    CHECK_FALSE(program.undecided.has_value());
    CHECK(program.conclusion() == Conclusion::CannotTell);
}
