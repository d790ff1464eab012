// SPDX-License-Identifier: Apache-2.0
// What warps wait for, found from samples per instruction.
#include "analyzer/source/sampled_stalls.h"

#include <limits>

#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// A kernel that keeps no resource busy, with samples: `waiting` of them where a load is used, a
/// tenth of that in other states.
SyntheticProfile::SourceRef sampled(SyntheticProfile& p, LaunchRef launch, double waiting) {
    const auto state = [](const char* reason) { return sampledStallCounter(reason); };
    auto pass = p.sourcePass(launch);
    pass.instruction("LDG.E R4, desc[UR4][R2.64]", "/src/chase.cu", 10)
        .executed(100)
        .set(state("long_scoreboard"), 0)
        .set(state("selected"), 0.02 * waiting)
        .set(state("not_selected"), 0)
        .set(state("wait"), 0.03 * waiting)
        .instruction("IMAD.WIDE R2, R4, 0x4, R6", "/src/chase.cu", 11)
        .executed(100)
        .set(state("long_scoreboard"), waiting)
        // This counter has the same samples again.
        .set(state("long_scoreboard") + "_not_issued", waiting)
        .set(state("selected"), 0.01 * waiting)
        .set(state("not_selected"), 0.03 * waiting)
        .set(state("wait"), 0.01 * waiting);
    return pass;
}

/// An argument of a finding in English.
std::string wordsOf(const Finding& finding, std::string_view name) {
    for (const Arg& arg : finding.args)
        if (arg.name == name) return arg.text.in(Language::En);
    return {};
}

LaunchRef lazy(SyntheticProfile& p) { return idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100); }

}  // namespace

TEST_CASE("states are counted once and per instruction") {
    SyntheticProfile p(testDevice());
    const SampledStalls stalls = readStalls(sampled(p, lazy(p), 1000).pass());
    REQUIRE(stalls.states.size() == 4);
    CHECK(stalls.total == Approx(1100));
    CHECK(stalls.perRow.at(0) == Approx(50));
    CHECK(stalls.perRow.at(1) == Approx(1050));
    const std::size_t both[] = {0, 1}, load[] = {0};
    const auto all = dominantStall(stalls, both);
    REQUIRE(all);
    CHECK(all->reason == "long_scoreboard");
    CHECK(all->samples == 1000);
    CHECK(all->share == Approx(1000.0 / 1100));
    // A warp that issues does not wait, however many samples it has.
    CHECK(dominantStall(stalls, load)->reason == "wait");
    CHECK_FALSE(dominantStall(stalls, {}));
}

TEST_CASE("damaged samples count as 0") {
    SyntheticProfile p(testDevice());
    auto pass = sampled(p, lazy(p), 1000);
    pass.set(sampledStallCounter("long_scoreboard"), -5)
        .set(sampledStallCounter("wait"), std::numeric_limits<double>::infinity());
    const SampledStalls stalls = readStalls(pass.pass());
    CHECK(stalls.total == Approx(90));
    CHECK_FALSE(stalls.enough());
    CHECK(readStalls({}).states.empty());
}

TEST_CASE("dominant-stall names the line where warps wait") {
    SyntheticProfile p(testDevice());
    sampled(p, lazy(p), 10'000);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
    CHECK(kernel.verdict.reason.stall == "long_scoreboard");
    CHECK_FALSE(unknown(kernel, "dominant-stall"));
    const Finding* finding = find(kernel, "dominant-stall");
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence.front().value == Approx(10.0 / 11));
    CHECK(finding->evidence.front().formula ==
          "smsp__pcsamp_warps_issue_stalled_long_scoreboard / smsp__pcsamp_sample_count");
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].line == 11);
    CHECK(finding->places[0].opcode == "IMAD.WIDE");
    CHECK(finding->places[0].amount == 10'000);
    CHECK(finding->places[0].share == 1.0);
}

TEST_CASE("dominant-stall says for what the line waits, and how to keep more loads on their way") {
    SyntheticProfile p(testDevice());
    sampled(p, lazy(p), 10'000);
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "dominant-stall");
    REQUIRE(finding);
    CHECK(wordsOf(*finding, "blame")
              .starts_with(": 100 % of that at IMAD at line 11, for the result of LDG at line 10, "
                           "1 load in flight per warp, about "));
    CHECK(wordsOf(*finding, "edit")
              .find("independent loads per warp, instead of 1, before line 11 "
                    "uses the first: unroll the loop around line 10") != std::string::npos);
}

TEST_CASE("a chain of dependent loads gets no advice to load more at once") {
    SyntheticProfile p(testDevice());
    auto launch = lazy(p);
    auto pass = p.sourcePass(launch);
    pass.instruction("LDG.E R4, desc[UR4][R2.64]", "/src/chase.cu", 10)
        .executed(100)
        .set(sampledStallCounter("long_scoreboard"), 0)
        .instruction("IMAD.WIDE R2, R4, 0x4, R6", "/src/chase.cu", 10)
        .executed(100)
        .set(sampledStallCounter("long_scoreboard"), 9'000)
        .instruction("BRA 0x0", "/src/chase.cu", 9)
        .executed(100)
        .set(sampledStallCounter("long_scoreboard"), 0);
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "dominant-stall");
    REQUIRE(finding);
    CHECK(wordsOf(*finding, "edit").find("takes its address from the load at line 10") !=
          std::string::npos);
}

TEST_CASE("samples show what really uses the queue of shared memory and special functions") {
    // Unrolled: sixty loads, each with a small share of the samples, and their uses.
    const auto kernelOf = [](const char* load, const char* reason, bool atLoad) {
        SyntheticProfile p(testDevice());
        auto launch = lazy(p);
        auto pass = p.sourcePass(launch);
        for (std::uint32_t i = 0; i < 60; ++i)
            pass.instruction(load, "/src/aes.cu", 77)
                .executed(100)
                .set(sampledStallCounter(reason), atLoad ? 150 : 0)
                .instruction("LOP3.LUT R5, R14, R15, RZ, 0x3c, !PT", "/src/aes.cu", 78)
                .executed(100)
                .set(sampledStallCounter(reason), atLoad ? 0 : 150);
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return finding->title.in(Language::En);
    };
    constexpr const char* kTable = "LDC R14, c[0x3][R14+0x800]";
    const std::string constants = "Warps wait for constant memory, at another index in each lane";
    CHECK(kernelOf(kTable, "mio_throttle", true) == constants);
    CHECK(kernelOf(kTable, "short_scoreboard", false) == constants);
    // A parameter; shuffles; shared memory.
    CHECK(kernelOf("LDC R14, c[0x0][0x210]", "mio_throttle", true) != constants);
    CHECK(kernelOf("SHFL.DOWN PT, R14, R14, 0x10, 0x1f", "mio_throttle", true) ==
          "Warps wait for warp shuffles");
    CHECK(kernelOf("LDS R14, [R14]", "mio_throttle", true) ==
          "Warps wait for a slot in the queue for shared memory, special functions and indexed "
          "constants");
}

TEST_CASE("with few samples the counters of the group are used") {
    SyntheticProfile few(testDevice());
    sampled(few, lazy(few), 400);
    const KernelAnalysis kernel = analyzeOne(few);
    const CannotTell* cannot = unknown(kernel, "dominant-stall");
    REQUIRE(cannot);
    CHECK(cannot->missing.in(Language::En).find("440 of 500") != std::string::npos);
    CHECK(kernel.verdict.reason.stall.empty());
    REQUIRE(kernel.source);
    CHECK(kernel.source->waitState.empty());
    CHECK(kernel.source->waits.empty());

    SyntheticProfile both(testDevice());
    auto launch = lazy(both);
    launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0)
        .set(stallCounter("barrier"), 12);
    sampled(both, launch, 400);
    CHECK(analyzeOne(both).verdict.reason.stall == "barrier");
}

TEST_CASE("samples go before counters of the group") {
    SyntheticProfile p(testDevice());
    auto launch = lazy(p);
    launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0)
        .set(stallCounter("barrier"), 12);
    sampled(p, launch, 10'000);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK(kernel.verdict.reason.stall == "long_scoreboard");
    CHECK_FALSE(find(kernel, "dominant-stall")->places.empty());
    CHECK(stallsOf(p.build(), kernel).sampled);
}

TEST_CASE("every state that CUPTI samples has words") {
    for (const char* reason :
         {"barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss",
          "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
          "no_instructions", "short_scoreboard", "sleeping", "tex_throttle", "wait",
          "warpgroup_arrive"}) {
        CAPTURE(reason);
        CHECK(findStallCause(reason));
    }
}
