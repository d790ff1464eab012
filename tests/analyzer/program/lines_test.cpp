// SPDX-License-Identifier: Apache-2.0
// Which lines take the GPU's time, and what is said where no action is about the line with most.
#include "analyzer/program/account/lines.h"

#include <memory>
#include <string>

#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/actions.h"
#include "analyzer/program/program.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;

namespace {

struct OfLine {
    const char* kernel;
    double microseconds;
    std::uint32_t line;
};

/// Six steps with these launches; `copies`: microseconds of a pageable copy in each step.
Program stepOf(std::initializer_list<OfLine> launches, double copies = 0, bool sites = true) {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        for (const OfLine& l : launches) p.launch(l.kernel, l.microseconds);
        p.sync();
        if (copies > 0) p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, copies);
        p.pop();
    }
    Profile profile = p.build();
    if (sites)
        for (const OfLine& l : launches)
            for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
                if (profile.kernels[k].name == l.kernel)
                    profile.callSites.push_back(
                        {.kernel = k, .file = "/a/train.py", .line = l.line, .count = 6});
    return judged(profile);
}

}  // namespace

TEST_CASE("lines have the time of what they launch, by how often each launches it") {
    // "mul" is launched by two lines.
    const Program program =
        stepOf({{"gemm", 1000, 7}, {"add", 100, 7}, {"mul", 300, 8}, {"mul", 300, 9}});
    REQUIRE(program.lines.size() == 3);
    CHECK(program.lines[0].place == "train.py:7");
    CHECK(program.lines[0].time.value * 1e6 == Approx(1100));
    CHECK(program.lines[0].kernels.size() == 2);
    for (const std::size_t i : {1, 2}) CHECK(program.lines[i].time.value * 1e6 == Approx(300));
    CHECK(stepOf({{"gemm", 1000, 7}}, 0, false).lines.empty());
}

TEST_CASE("where shapes differ, a line has the least that its launches can take") {
    // "gemm" takes 2,000 us in one shape and 10 us in another; line 8 launches it three times
    // as often as line 7.
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.push("step").launch("gemm", 2000).launch("gemm", 10).sync().pop();
    Profile profile = p.build();
    for (std::size_t i = 1; i < profile.launches.size(); i += 2) profile.launches[i].grid.x = 7;
    for (const std::uint32_t line : {7U, 8U})
        profile.callSites.push_back(
            {.kernel = 0, .file = "/a/train.py", .line = line, .count = line == 7 ? 6U : 18U});
    const Program program = judged(profile);
    REQUIRE(program.lines.size() == 2);
    // 1.5 launches of 2: the short one and half of the long one. Line 7 has half of the short one.
    CHECK(program.lines[0].place == "train.py:8");
    CHECK(program.lines[0].time.value * 1e6 == Approx(1010));
    CHECK(program.lines[1].time.value * 1e6 == Approx(5));
}

TEST_CASE("a line has the time of the shapes that it launches, where they are known") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.push("step").launch("gemm", 2000).launch("gemm", 10).sync().pop();
    Profile profile = p.build();
    for (std::size_t i = 1; i < profile.launches.size(); i += 2) profile.launches[i].grid.x = 7;
    for (const std::size_t launch : {0, 1})
        profile.callSites.push_back({.kernel = 0,
                                     .shape = LaunchShape{.grid = profile.launches[launch].grid,
                                                          .block = profile.launches[launch].block},
                                     .file = "/a/train.py",
                                     .line = launch == 0 ? 7U : 8U,
                                     .count = launch == 0 ? 6U : 18U});
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    const Program program = analyzeProgram(analysis);
    REQUIRE(program.lines.size() == 2);
    CHECK(program.lines[0].place == "train.py:7");
    CHECK(program.lines[0].time.value * 1e6 == Approx(2000));
    CHECK(program.lines[1].time.value * 1e6 == Approx(10));
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const auto sites = program::launchSitesOf(profile, kernel);
        REQUIRE(sites.size() == 1);
        CHECK(sites.front()->line == (kernel.group.grid.x == 7 ? 8 : 7));
    }
}

TEST_CASE("a line that takes most without an action is named, and not its largest kernel") {
    // Three kernels of a line take 3,000 us; the first action saves at most 900.
    const std::initializer_list<OfLine> step{
        {"a", 1000, 7}, {"b", 1000, 7}, {"c", 1000, 7}, {"d", 400, 8}};
    const Program program = stepOf(step, 900);
    REQUIRE_FALSE(program.actions.empty());
    REQUIRE(program.unanswered);
    CHECK(program.unanswered->place == "train.py:7");
    CHECK(program.unanswered->time.value * 1e6 == Approx(3000));
    CHECK(program.unanswered->kernels.size() == 3);
    // With an action of a third of that, nothing is said.
    CHECK_FALSE(stepOf(step, 1300).unanswered);
    // A function alone says more than its line.
    const Program one = stepOf({{"a", 3000, 7}, {"d", 400, 8}}, 900);
    REQUIRE(one.unanswered);
    CHECK(one.unanswered->place.empty());
}

TEST_CASE("kernels of cuFFT are one kind, whichever lines and sizes they have") {
    constexpr const char* kFactor = "_Z18regular_fft_factorILj3E3EPTIJLj3EEELj256E9twiddle_t0E";
    constexpr const char* kLast = "_Z18postprocess_kernelIfjEv19real_complex_args_tIT0_E";
    const Program program =
        stepOf({{kFactor, 1000, 7}, {kLast, 400, 8}, {"mask", 1200, 9}, {"scale", 100, 7}}, 400);
    REQUIRE(program.unanswered);
    CHECK(program.unanswered->transforms);
    CHECK(program.unanswered->time.value * 1e6 == Approx(1400));
    // A larger kernel comes first.
    CHECK_FALSE(stepOf({{kFactor, 1000, 7}, {"mask", 1200, 9}}, 300).unanswered->transforms);
}
