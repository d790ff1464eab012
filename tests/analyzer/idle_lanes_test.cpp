// SPDX-License-Identifier: Apache-2.0
// The rule idle-lanes: where it fires, must not fire, and cannot tell.
#include <limits>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr std::string_view kIdleLanes = "idle-lanes";
constexpr double kWarps = 1e7;

/// A kernel that only issues instructions, with the share `active` of the lanes on average.
LaunchRef issuing(SyntheticProfile& p, double active, double issuePercent, Dim3 block = {256, 1, 1},
                  double microseconds = 280) {
    auto launch = idle(p, "k", {2112, 1, 1}, block, microseconds);
    launch.set(kWarpInstructions, kWarps).set(kThreadInstructions, 32 * kWarps * active);
    launch.set(kThreadInstructionsOn, 32 * kWarps * active);
    return launch.set(kIssueActive, issuePercent);
}

const Arg& argument(const Finding& finding, std::string_view name) {
    for (const Arg& arg : finding.args)
        if (arg.name == name) return arg;
    FAIL("no argument " << name);
    throw;
}

}  // namespace

TEST_CASE("idle-lanes fires on divergent branches that fill the issue slots") {
    // Eight branch sides in turn with an eighth of the lanes each: 7/8 of the instructions could
    // go.
    SyntheticProfile p(testDevice());
    // 98 % of the slots issue, with FP32 work for an eighth of the lanes.
    issuing(p, 0.125, 98).set(kFp32Fma, 0.12 * 16896 * 280e-6 * SyntheticProfile::kSmClockHz);
    const auto kernel = analyzeOne(p);
    REQUIRE(kernel.findings.size() == 1);
    const Finding& finding = kernel.findings.front();
    CHECK(finding.ruleId == kIdleLanes);
    CHECK_FALSE(finding.minor);
    CHECK(finding.gainShare->value == Approx(0.875));
    CHECK(finding.gain->value == Approx(0.875 * 280e-6));
    CHECK(argument(finding, "active").value == 0.125);
    CHECK(argument(finding, "cause").text.in(Language::En).find("branches") != std::string::npos);
    CHECK(argument(finding, "step").text.in(Language::En).find("same kind") != std::string::npos);
    CHECK(finding.evidence[0].threshold == 0.8);
    CHECK(finding.expected[0].from == 0.125);
    CHECK(finding.expected[0].to == 1.0);
}

TEST_CASE("idle-lanes tells where only the first thread of each row of the block works") {
    const auto step = [](double active, Dim3 block) {
        SyntheticProfile p(testDevice());
        issuing(p, active, 90, block);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kIdleLanes);
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return argument(*finding, "step").text.in(Language::En);
    };
    CHECK(step(0.128, {8, 4, 8}).starts_with("Let all threads work"));
    CHECK(step(0.032, {256, 1, 1}).starts_with("Let all threads work"));
    CHECK(step(0.128, {16, 16, 1}).starts_with("Give neighbouring threads work"));
    CHECK(step(0.2, {8, 4, 8}).starts_with("Give neighbouring threads work"));
    CHECK(step(0.28, {4, 64, 1}).starts_with("Give neighbouring threads work"));
    CHECK(step(0.110, {8, 4, 8}).starts_with("Give neighbouring threads work"));
}

TEST_CASE("idle-lanes tells of the last warp where issuing limits") {
    // 100 particles in blocks of 128 threads: a warp in four has 4 lanes.
    const auto found = [](double issuePercent) {
        SyntheticProfile p(testDevice());
        issuing(p, 100.0 / 128, issuePercent);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kIdleLanes);
        if (!finding) return std::string();
        CHECK(finding->gainShare->value == Approx(28.0 / 128));
        return argument(*finding, "step").text.in(Language::En);
    };
    CHECK(found(70).starts_with("Find which lanes idle"));
    CHECK(found(40).empty());  // the kernel waits for something else
}

TEST_CASE("idle-lanes leaves what arithmetic needs with full lanes, too") {
    // Half of the lanes are active; with all of them the FP32 pipe alone takes 60 % of the time.
    SyntheticProfile p(testDevice());
    issuing(p, 0.5, 95).set(kFp32Fma, 0.6 * 16896 * 280e-6 * SyntheticProfile::kSmClockHz);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kIdleLanes);
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.4));
}

TEST_CASE("idle lanes come before the integer pipe that they keep busy") {
    // Hashes for 0 to 32 bonds of a particle: the pipe takes the instruction of a warp whole.
    const auto judged = [](double active, double integer, double issue = 81) {
        SyntheticProfile p(testDevice());
        issuing(p, active, issue)
            .set(kIntegerPipe, integer)
            .set(kSpecialFunctionPipe, 33)
            .set(kFp32Mul, 1e9);
        return analyzeOne(p);
    };
    const auto half = judged(0.51, 70);
    REQUIRE_FALSE(half.findings.empty());
    CHECK(half.findings.front().ruleId == kIdleLanes);
    CHECK(half.findings.front().gainShare->value == Approx(0.49));
    const Finding* pipe = find(half, "integer-arithmetic");
    REQUIRE(pipe);
    CHECK(pipe->cause == kIdleLanes);
    // Where the pipe leads instruction issue, too.
    CHECK(judged(0.51, 90, 62).findings.front().ruleId == kIdleLanes);
    // With full warps the pipe would still be the limit: it stays a fault of its own.
    const auto most = judged(0.69, 95);
    const Finding* stays = find(most, "integer-arithmetic");
    REQUIRE(stays);
    CHECK(stays->cause.empty());
}

TEST_CASE("idle-lanes names the block when its size leaves lanes empty") {
    // 96 + 16 threads: the fourth warp is half empty, 112 of 128 lanes have a thread.
    SyntheticProfile remainder(testDevice());
    issuing(remainder, 0.875, 90, {112, 1, 1});
    const auto kernel = analyzeOne(remainder);
    const Finding* finding = find(kernel, kIdleLanes);
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.125));
    CHECK(argument(*finding, "cause").text.in(Language::En) ==
          "the last warp of a block of 112 threads has only 16 threads");
    CHECK(finding->expected[0].to == Approx(1.0));
    CHECK(finding->before.find("112") != std::string::npos);
    CHECK(finding->after.find("128") != std::string::npos);

    // Half a warp per block, waiting for memory: each access lacks half of its lanes.
    SyntheticProfile half(testDevice());
    issuing(half, 0.5, 5, {16, 1, 1});
    const auto waiting = analyzeOne(half);
    CHECK(waiting.verdict.cls == VerdictClass::LatencyBound);
    REQUIRE(find(waiting, kIdleLanes));
    CHECK(find(waiting, kIdleLanes)->gainShare->value == Approx(0.5));
    CHECK(argument(*find(waiting, kIdleLanes), "cause").text.in(Language::En) ==
          "a block of 16 threads is less than a warp");

    // Threads of a 2-dimensional block count together: 30 · 8 fill 240 of 256 lanes.
    SyntheticProfile plane(testDevice());
    issuing(plane, 0.9375, 90, {30, 8, 1});
    CHECK_FALSE(find(analyzeOne(plane), kIdleLanes));

    // 112 threads, but most lanes idle for another reason.
    SyntheticProfile both(testDevice());
    issuing(both, 0.25, 90, {112, 1, 1});
    const auto divergent = analyzeOne(both);
    REQUIRE(find(divergent, kIdleLanes));
    CHECK(argument(*find(divergent, kIdleLanes), "cause").text.in(Language::En).find("branches") !=
          std::string::npos);
}

TEST_CASE("idle-lanes does not fire on full lanes, epilogues and tiny kernels") {
    for (const double active : {1.0, 0.92, 0.81}) {  // as in the bundled kernels
        CAPTURE(active);
        SyntheticProfile p(testDevice());
        issuing(p, active, 95);
        const auto kernel = analyzeOne(p);
        CHECK_FALSE(find(kernel, kIdleLanes));
        CHECK(isRuledOut(kernel, kIdleLanes) == (active == 1.0));  // else the cost is above 3 %
    }
    // Full warps with a quarter of the lanes switched off by predicates are not healthy.
    SyntheticProfile predicated(testDevice());
    issuing(predicated, 1.0, 50).set(kThreadInstructionsOn, 0.73 * 32 * kWarps);
    const auto off = analyzeOne(predicated);
    CHECK(off.quantities.predicatedOn->value == Approx(0.73));
    CHECK_FALSE(isRuledOut(off, kIdleLanes));
    SyntheticProfile tiny(testDevice());
    issuing(tiny, 0.1, 70, {256, 1, 1}, 2.0);
    CHECK_FALSE(find(analyzeOne(tiny), kIdleLanes));
    // One block: the grid is the problem.
    SyntheticProfile single(testDevice());
    auto launch = idle(single, "k", {1, 1, 1}, {1, 1, 1}, 100);
    launch.set(kThreadInstructions, 1e6).set(kIssueActive, 20);
    CHECK_FALSE(find(analyzeOne(single), kIdleLanes));
}

TEST_CASE("idle-lanes does not fire where something else limits") {
    // A copy near the DRAM roof by one lane per block, the way bulk copies are issued.
    SyntheticProfile bulk(testDevice());
    copy(bulk, "bulk", 268435456, 16, 124).set(kThreadInstructions, 1e6).set(kIssueActive, 10);
    const auto fast = analyzeOne(bulk);
    CHECK(fast.findings.empty());
    CHECK(isRuledOut(fast, kIdleLanes));

    // Memory-bound below the roof: full lanes would move the same bytes.
    SyntheticProfile memory(testDevice());
    copy(memory, "k", 268435456, 16, 170).set(kThreadInstructions, 8e6).set(kIssueActive, 50);
    CHECK_FALSE(find(analyzeOne(memory), kIdleLanes));

    // Issue slots busy, but the DRAM busier.
    SyntheticProfile both(testDevice());
    copy(both, "k", 268435456, 16, 130).set(kThreadInstructions, 8e6).set(kIssueActive, 70);
    CHECK_FALSE(find(analyzeOne(both), kIdleLanes));

    // Few instructions, few lanes, nothing busy: the cause of the wait is unknown.
    SyntheticProfile waiting(testDevice());
    issuing(waiting, 0.1, 5);
    CHECK_FALSE(find(analyzeOne(waiting), kIdleLanes));
    CHECK_FALSE(isRuledOut(analyzeOne(waiting), kIdleLanes));

    // One elected lane issues tensor-core work.
    SyntheticProfile tensor(testDevice());
    issuing(tensor, 0.3, 40).set(kTensorPipe, 45);
    CHECK_FALSE(find(analyzeOne(tensor), kIdleLanes));
    CHECK_FALSE(isRuledOut(analyzeOne(tensor), kIdleLanes));
}

TEST_CASE("idle-lanes knows from the block's size what no counter needs to show") {
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    const auto without = [&](std::uint32_t threads) {
        SyntheticProfile p(testDevice());
        issuing(p, 0.125, 98, {threads, 1, 1})
            .set(kThreadInstructions, kMissing)
            .set(kThreadInstructionsOn, kMissing);
        return analyzeOne(p);
    };
    const auto four = without(4);
    const Finding* const finding = find(four, kIdleLanes);
    REQUIRE(finding);
    CHECK(argument(*finding, "active").value == 0.125);
    CHECK(finding->gainShare->value == Approx(0.875));
    CHECK(finding->evidence.front().label.in(Language::En).find("average") == std::string::npos);
    CHECK(finding->expected.empty());
    CHECK_FALSE(find(without(256), kIdleLanes));
    CHECK(unknown(without(256), kIdleLanes));
}

TEST_CASE("idle-lanes cannot tell without its counters") {
    SyntheticProfile bare(testDevice());
    bare.launch(bare.kernel("k"), {2112, 1, 1}, {256, 1, 1}).counterDurationUs(100);
    const auto nothing = analyzeOne(bare);
    REQUIRE(unknown(nothing, kIdleLanes));
    CHECK(unknown(nothing, kIdleLanes)->missing.in(Language::En).find(kThreadInstructions) !=
          std::string::npos);

    // Idle lanes, but it is unknown whether they cost anything.
    SyntheticProfile noIssue(testDevice());
    auto launch = noIssue.launch(noIssue.kernel("k"), {2112, 1, 1}, {256, 1, 1});
    launch.counterDurationUs(100).set(kWarpInstructions, 1e6).set(kThreadInstructions, 4e6);
    const auto kernel = analyzeOne(noIssue);
    REQUIRE(unknown(kernel, kIdleLanes));
    CHECK(unknown(kernel, kIdleLanes)->missing.in(Language::En).starts_with(kIssueActive));
}
