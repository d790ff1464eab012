// SPDX-License-Identifier: Apache-2.0
// How much actions can save, beside what else must run; and of two about the same thing, which
// stays.
#include <algorithm>
#include <memory>
#include <string>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

namespace {

Analysis analysisOf(Profile profile) {
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

/// Gives the kernels whose names contain `name` this finding and no other.
void findIn(Analysis& analysis, std::string_view name, const char* rule, double gain) {
    for (KernelAnalysis& kernel : analysis.kernels) {
        if (kernel.fullName.find(name) == std::string::npos) continue;
        Finding finding;
        finding.ruleId = rule;
        finding.gain = Derived<Seconds>::of({gain}, "test");
        kernel.findings = {finding};
    }
}

double inUs(Seconds time) { return time.value * 1e6; }

/// Rows of a field, one small launch each, in so many blocks.
Profile rowByRow(std::uint32_t blocks) {
    Profile profile = repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 200; ++i) p.launch("axpy", 3).work(5);
        p.sync();
    });
    for (Launch& launch : profile.launches) launch.grid = {.x = blocks, .y = 1, .z = 1};
    return profile;
}

/// Kernels that run beside a copy of `copied` microseconds.
Program besideCopies(double copied) {
    Analysis analysis = analysisOf(repeated([&](SyntheticProgram& p) {
        p.copyBeside(TransferKind::HostToDevice, copied * 54e3, copied);
        p.launch("gemm", 5000).sync().work(5200);
    }));
    findIn(analysis, "gemm", "global-uncoalesced", 3e-3);
    return analyzeProgram(analysis);
}

constexpr const char* kGather = "void at::native::vectorized_gather_kernel<16, long>(char*)";
constexpr const char* kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)";

}  // namespace

TEST_CASE("one launch of many small ones saves their kernels' time, too") {
    const Program small = judged(rowByRow(4)), full = judged(rowByRow(1024));
    const Action& one = actionOf(small, "launch-bound-program");
    const Action& other = actionOf(full, "launch-bound-program");
    CHECK(one.edit.in(Language::En).starts_with("Make one launch of many"));
    // All but one of 200 launches of 3 us, and the gaps that a graph leaves between them.
    CHECK(inUs(one.ofKernels) == Approx(199 * 3));
    CHECK(inUs(one.bound - other.bound) == Approx(199 * 3 + 199).epsilon(0.01));
    CHECK(one.bound < small.window.seconds);
    CHECK(one.sentence.in(Language::En).find("{merged}") != std::string::npos);
    // Where each launch fills the GPU, one of all takes as long as they do.
    CHECK(other.ofKernels.value == 0);
    CHECK(other.sentence.in(Language::En).find("{merged}") == std::string::npos);
}

TEST_CASE("a grid that is too small is not told again where one launch of many is") {
    Analysis analysis = analysisOf(rowByRow(4));
    findIn(analysis, "axpy", "grid-too-small", 2e-6);
    CHECK_FALSE(says(analyzeProgram(analysis), "grid-too-small"));
    findIn(analysis, "axpy", "global-uncoalesced", 2e-6);
    CHECK(says(analyzeProgram(analysis), "global-uncoalesced"));
}

TEST_CASE("a kernel that runs while the link is busy saves nothing beside it") {
    CHECK_FALSE(says(besideCopies(10'000), "global-uncoalesced"));
    CHECK(inUs(actionOf(besideCopies(1000), "global-uncoalesced").bound) == Approx(3000));
}

TEST_CASE("no floor is stated where an action may go below it") {
    const auto floorOf = [](double kernel) {
        Analysis analysis = analysisOf(repeated([&](SyntheticProgram& p) {
            p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 540e6, 10'000);
            p.launch("gemm", kernel).sync();
        }));
        for (KernelAnalysis& kernelOf : analysis.kernels) {
            kernelOf.findings.clear();
            kernelOf.jointGain = Derived<Seconds>::of({0}, "test");
        }
        return analyzeProgram(analysis).floor;
    };
    CHECK_FALSE(floorOf(500));  // fewer bytes would shorten the copies
    const auto floor = floorOf(30'000);
    REQUIRE(floor);
    CHECK(inUs(*floor) == Approx(30'000));
}

TEST_CASE("of two actions that take the same launches away the larger one stays") {
    const auto judgedWith = [](const char* kernel, const char* symbol) {
        Profile profile = repeated([&](SyntheticProgram& p) {
            p.launch(kernel, 400).launch("sm80_xmma_gemm_f32f32", 300).sync();
        });
        for (Kernel& of : profile.kernels)
            if (of.name == kernel) of.symbol = symbol;
        Analysis analysis = analysisOf(std::move(profile));
        findIn(analysis, kernel, "block-start-rate", 300e-6);
        return analyzeProgram(analysis);
    };
    const Program moves =
        judgedWith(kGather, "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPc");
    CHECK(says(moves, "data-movement"));
    CHECK_FALSE(says(moves, "block-start-rate"));
    // Nothing takes these launches away.
    const Program adds = judgedWith(kAdd, "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi");
    CHECK(says(adds, "block-start-rate"));
    CHECK(says(judgedWith("own", "own"), "block-start-rate"));
}
