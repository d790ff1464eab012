// SPDX-License-Identifier: Apache-2.0
// atomic-contention, with the figures of four million additions on an H200 (decision 34).
#include <limits>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/resources.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// A histogram of 2^22 elements, without the counters of the group "atomics".
LaunchRef histogram(SyntheticProfile& p, double microseconds) {
    constexpr double kWarps = (1 << 22) / 32.0;
    return idle(p, "histogram", {16384, 1, 1}, {256, 1, 1}, microseconds)
        .set(kGlobalInstructions, 2 * kWarps)
        .set(kGlobalLoads, kWarps);
}
LaunchRef withAtomics(LaunchRef launch, double busiest, double average, double cycles) {
    return launch.set(kAtomicCyclesMax, busiest)
        .set(kAtomicCyclesAvg, average)
        .set(kL2CyclesMax, cycles);
}

constexpr const char* kAtomics = "atomic-contention";

}  // namespace

TEST_CASE("atomic-contention fires at few addresses") {
    struct Case {
        double microseconds, busiest, average, cycles;
    };
    for (const Case& c : {Case{3072.1, 4194304, 44620.3, 5252123},  // atomics on one address
                          Case{939.6, 1354251, 14406.9, 1606363},   // on 32 addresses
                          Case{356.2, 477240, 40589.4, 608816}}) {  // on 1024 addresses
        SyntheticProfile p(testDevice());
        withAtomics(histogram(p, c.microseconds), c.busiest, c.average, c.cycles);
        const auto kernel = analyzeOne(p);
        CHECK(kernel.verdict.limiter == ResourceId::L2Atomics);
        const Finding* finding = find(kernel, kAtomics);
        REQUIRE(finding);
        CHECK_FALSE(finding->minor);
        CHECK(unfilled(kernel).empty());
        CHECK(finding->gainShare->value == Approx((c.busiest - c.average) / c.cycles));
        CHECK(finding->evidence[0].value == Approx(c.busiest / c.cycles));
        CHECK(finding->evidence[1].value == Approx(c.average / c.cycles));
    }
}

TEST_CASE("additions of floats to one address keep the atomic unit for three cycles each") {
    // Measured on an H100: a million additions of doubles, the same with one per warp, and a
    // million of 64-bit integers.
    struct Case {
        double microseconds, busiest, average, cycles, reach;
    };
    for (const Case& c :
         {Case{1840.5, 1048576, 13107.2, 3149474, 1.0 / 3},
          Case{58.2, 32768, 409.6, 102164, 1.0 / 3}, Case{767.9, 1048576, 13107.2, 1317007, 1}}) {
        SyntheticProfile p(testDevice());
        withAtomics(histogram(p, c.microseconds), c.busiest, c.average, c.cycles);
        const auto kernel = analyzeOne(p);
        CHECK(kernel.verdict.limiter == ResourceId::L2Atomics);
        const Finding* finding = find(kernel, kAtomics);
        REQUIRE(finding);
        const double busy = std::min(1.0, c.busiest / c.cycles / c.reach);
        CHECK(busy > 0.79);
        CHECK(finding->evidence[0].value == Approx(busy));
        CHECK(finding->expected[0].from == Approx(c.busiest / c.cycles));
        CHECK(unfilled(kernel).empty());
    }
    // A third of the cycles is no limit if all slices are that busy, nor is somewhat less on one.
    for (const auto& [busiest, average] : {std::pair(0.333, 0.3), std::pair(0.28, 0.004)}) {
        SyntheticProfile p(testDevice());
        withAtomics(histogram(p, 100), busiest * 1e5, average * 1e5, 1e5);
        CHECK_FALSE(find(analyzeOne(p), kAtomics));
    }
    // Nor on a chip where this was not measured.
    Device other = testDevice();
    other.chip = "GA100";
    SyntheticProfile p(other);
    withAtomics(histogram(p, 1840.5), 1048576, 13107.2, 3149474);
    CHECK_FALSE(find(analyzeOne(p), kAtomics));
    // There it may be the limit, but only an experiment would show that.
    const auto kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, kAtomics);
    REQUIRE(cannot);
    CHECK(cannot->advice.in(Language::En).find("more addresses") != std::string::npos);
    CHECK(kernel.verdict.confidence == Confidence::Low);
    // Silent if all slices are equally busy, or if even the busiest hardly is.
    for (const auto& [busiest, average] : {std::pair(0.333, 0.3), std::pair(0.05, 0.004)}) {
        SyntheticProfile even(other);
        withAtomics(histogram(even, 100), busiest * 1e5, average * 1e5, 1e5);
        CHECK_FALSE(unknown(analyzeOne(even), kAtomics));
    }
}

TEST_CASE("atomic-contention reads the percentages of Nsight Compute") {
    SyntheticProfile p(testDevice());
    const std::string share = ".pct_of_peak_sustained_elapsed";
    histogram(p, 2500)
        .set(std::string(kAtomicCyclesMax) + share, 96)
        .set(std::string(kAtomicCyclesAvg) + share, 3);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kAtomics);
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.93));
    CHECK(kernel.verdict.limiter == ResourceId::L2Atomics);
}

TEST_CASE("atomic-contention does not fire when the slices share the atomics") {
    SyntheticProfile p(testDevice());
    withAtomics(histogram(p, 46.5), 45055, 44615.8, 79387);  // a million addresses
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kAtomics));
    CHECK(isRuledOut(kernel, kAtomics));

    SyntheticProfile everySliceBusy(testDevice());
    withAtomics(histogram(everySliceBusy, 46.5), 76000, 75000, 79387);
    CHECK_FALSE(find(analyzeOne(everySliceBusy), kAtomics));
}

TEST_CASE("atomic-contention does not fire beside another busy resource, or without atomics") {
    SyntheticProfile few(testDevice());  // one atomic per block
    withAtomics(histogram(few, 100), 9000, 100, 171000);
    CHECK_FALSE(find(analyzeOne(few), kAtomics));

    SyntheticProfile streaming(testDevice());
    withAtomics(copy(streaming, "copy", 268435456, 16, 130), 150000, 1600, 222000);
    CHECK_FALSE(find(analyzeOne(streaming), kAtomics));

    SyntheticProfile none(testDevice());
    withAtomics(copy(none, "copy", 268435456, 16, 130), 0, 0, 222000);
    const auto kernel = analyzeOne(none);
    CHECK_FALSE(find(kernel, kAtomics));
    CHECK_FALSE(isRuledOut(kernel, kAtomics));
}

TEST_CASE("atomic-contention asks for its counters where atomics may explain the time") {
    SyntheticProfile p(testDevice());
    histogram(p, 3072.1);
    const auto kernel = analyzeOne(p);
    REQUIRE(kernel.verdict.cls == VerdictClass::LatencyBound);
    const CannotTell* cannot = unknown(kernel, kAtomics);
    REQUIRE(cannot);
    CHECK(cannot->advice.in(Language::En).find("atomics") != std::string::npos);

    // Nsight Compute counts the sectors of atomics.
    SyntheticProfile sectors(testDevice());
    histogram(sectors, 3072.1)
        .set(kGlobalInstructions, std::numeric_limits<double>::quiet_NaN())
        .set(kGlobalSectors, 1310720)
        .set("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 0)
        .set("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 1048576);
    CHECK(unknown(analyzeOne(sectors), kAtomics));

    SyntheticProfile loads(testDevice());  // as many accesses, all of them loads
    histogram(loads, 3072.1).set(kGlobalLoads, 2 * (1 << 22) / 32.0);
    CHECK_FALSE(unknown(analyzeOne(loads), kAtomics));
}

TEST_CASE("atomic-contention asks where accesses of an idle L1 queue up and nobody counted them") {
    const auto asks = [](double queue, double l1) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "linear_update", {3125, 1, 1}, {1024, 1, 1}, 12'000);
        launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0);
        for (const auto& [reason, warps] :
             {std::pair("long_scoreboard", 50.0), {"lg_throttle", queue}, {"selected", 2.0}})
            launch.set(std::string("smsp__average_warps_issue_stalled_") + reason +
                           "_per_issue_active.ratio",
                       warps);
        launch.set(kGlobalInstructions, std::numeric_limits<double>::quiet_NaN());
        launch.set(kLsuPipe, l1);
        return unknown(analyzeOne(p), kAtomics) != nullptr;
    };
    CHECK(asks(48, 5));
    CHECK_FALSE(asks(5, 5));    // waits for data only
    CHECK_FALSE(asks(48, 40));  // the L1 has something to do
}

namespace {

/// 123 million additions of floats to four neighbouring addresses, and 18 million of integers
/// (H200).
template <class Change>
bool serialAdditions(const char* sass, const Change& change, double floats = 0) {
    SyntheticProfile p(testDevice());
    auto launch = idle(p, "triangles", {240380, 1, 1}, {128, 1, 1}, 78'150);
    withAtomics(launch, 61'537'280, 1'509'151, 133'608'693);
    launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0);
    for (const auto& [reason, warps] :
         {std::pair("mio_throttle", 29.0), {"barrier", 27.0}, {"lg_throttle", 7.0}, {"wait", 30.0}})
        launch.set(
            std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio",
            warps);
    if (sass) {
        auto pass = p.sourcePass(launch);
        pass.instruction(sass).executed(8'483'680);
        if (floats > 0)
            pass.instruction("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64], R1")
                .executed(floats);
    }
    change(launch);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
    CHECK(unfilled(kernel).empty());
    const Finding* finding = find(kernel, kAtomics);
    if (finding) CHECK(finding->gainShare->value == Approx(1 - 1'509'151.0 / 61'537'280));
    return finding != nullptr;
}

}  // namespace

TEST_CASE("additions of floats to a few addresses are contended below 60 % of the unit's cycles") {
    constexpr const char* kAddsFloats = "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R4.64], R13";
    const auto as_is = [](auto&) {};
    CHECK(serialAdditions(kAddsFloats, as_is));
    // Integers take a cycle each, and without machine code it is not known what they are.
    CHECK_FALSE(serialAdditions("REDG.E.ADD.STRONG.GPU desc[UR4][R4.64], R13", as_is));
    CHECK_FALSE(serialAdditions(nullptr, as_is));
    // One rare addition of floats among them.
    CHECK_FALSE(serialAdditions("REDG.E.ADD.STRONG.GPU desc[UR4][R4.64], R13", as_is, 8e5));
    // Many addresses, or a unit that is hardly used.
    CHECK_FALSE(serialAdditions(kAddsFloats, [](auto& l) { l.set(kAtomicCyclesAvg, 7e6); }));
    CHECK_FALSE(serialAdditions(kAddsFloats, [](auto& l) { l.set(kAtomicCyclesMax, 35e6); }));
    // Warps wait for something else, or memory is busy.
    CHECK_FALSE(serialAdditions(kAddsFloats, [](auto& l) {
        l.set("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 300);
    }));
    CHECK_FALSE(
        serialAdditions(kAddsFloats, [](auto& l) { l.set("dram__bytes_read.sum", 120e9); }));
}
