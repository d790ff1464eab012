// SPDX-License-Identifier: Apache-2.0
// The rule redundant-read, on a kernel whose numbers follow from its code: causal linear attention
// with one block per column of values, (B, H, L) = (16, 16, 1024), E = M = 64.
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/placeholders.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kDramRead = "dram__bytes_read.sum";
constexpr const char* kL2Returns = "lts__lts2xbar_cycles_active.sum";
/// Warp steps, each for one position: 16 · 16 heads, 64 columns, 1024 positions.
constexpr double kSteps = 16.0 * 16 * 64 * 1024;

/// Each step reads three rows of 256 bytes and two single numbers, and writes one number. q, k and
/// v cross the DRAM once.
LaunchRef columns(SyntheticProfile& p) {
    auto launch = idle(p, "columns", {64, 16, 16}, {256, 1, 1}, 2400);
    launch.set(kGlobalLoads, 8 * kSteps).set(kGlobalStores, kSteps);
    launch.set(kGlobalLoadBytes, 776 * kSteps).set(kGlobalStoreBytes, 4 * kSteps);
    launch.set(kGlobalLoadSectors, 26 * kSteps).set(kGlobalStoreSectors, kSteps);
    launch.set(kGlobalSectors, 27 * kSteps).set(kWidth32, 9 * kSteps);
    launch.set(kDramRead, 201326592).set("dram__bytes_write.sum", 67108864);
    launch.set(kL2Returns, 26 * kSteps);
    return launch.set(kLsuPipe, 20).set(kLsuWavefronts, 14 * kSteps);
}

/// Whether all placeholders of a text have an argument.
bool filledKernel(std::string_view text, const std::vector<Arg>& args) {
    for (const std::string& name : placeholders(text)) {
        bool known = false;
        for (const Arg& a : args) known = known || a.name == name;
        if (!known) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("redundant-read leaves scattered loads to global-uncoalesced") {
    const auto fires = [](double sectors) {
        SyntheticProfile p(testDevice());
        columns(p).set(kGlobalLoadSectors, sectors * kSteps).set(kGlobalSectors, sectors * kSteps);
        return find(analyzeOne(p), "redundant-read") != nullptr;
    };
    CHECK(fires(26));
    CHECK_FALSE(fires(120));  // 776 bytes are 24 sectors in 8 requests: three of four are excess
}

TEST_CASE("redundant-read fires on a kernel that reads everything once per column") {
    SyntheticProfile p(testDevice());
    columns(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "redundant-read");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    // 13 GB requested; 201 MB from DRAM, 63 MB may have been in the L2, 67 MB stored.
    constexpr double kReads = 776 * kSteps / (201326592.0 + 62914560 + 67108864);
    CHECK(kReads == Approx(39.29).epsilon(0.001));
    CHECK(finding->evidence[0].value == Approx(kReads));
    CHECK(finding->gainShare->value <= 1.0 - 1.0 / kReads);
    CHECK(finding->gainShare->value ==
          Approx(1.0 - 1.0 / kReads).epsilon(0.001));  // no pipe is busier than that
    CHECK(finding->expected[0].counter.in(Language::En) == kGlobalLoadBytes);
    CHECK(finding->expected[0].from == 776 * kSteps);
    CHECK(finding->expected[0].to == 388 * kSteps);  // twice as many outputs per block
    const RuleText& text = findRule("redundant-read")->en;
    for (const std::string_view part : {text.sentence, text.mechanism, text.edit})
        CHECK(filledKernel(part, finding->args));
}

TEST_CASE("redundant-read fires where the L1 serves what is read over and over") {
    // As measured: half of the requests hit the L1, whose data pipe is the busiest resource.
    // Issuing the loads also takes slots.
    const auto fromL1 = [](double lsuPipe, double issue) {
        SyntheticProfile p(testDevice());
        columns(p).set(kL2Returns, 9 * kSteps).set(kLsuPipe, lsuPipe).set(kIssueActive, issue);
        return analyzeOne(p);
    };
    const auto kernel = fromL1(51, 46);
    const Finding* finding = find(kernel, "redundant-read");
    REQUIRE(finding);
    CHECK(finding->evidence[0].label.in(Language::En).find("L1") != std::string::npos);
    CHECK(finding->evidence[0].threshold == 16.0);
    CHECK_FALSE(find(fromL1(35, 46), "redundant-read"));  // the pipe has time to spare

    // A 3 × 3 stencil reads each value nine times and is fine.
    SyntheticProfile stencil(testDevice());
    columns(stencil).set(kL2Returns, 2 * kSteps).set(kLsuPipe, 51).set(kDramRead, 1.35e9);
    CHECK_FALSE(find(analyzeOne(stencil), "redundant-read"));
}

TEST_CASE("redundant-read does not fire where the L2 is not what leads") {
    SyntheticProfile shared(testDevice());
    columns(shared).set(kLsuPipe, 55);
    const auto kernel = analyzeOne(shared);
    CHECK_FALSE(find(kernel, "redundant-read"));
    CHECK_FALSE(isRuledOut(kernel, "redundant-read"));  // its cost is unknown

    // A matrix product in registers: the same reads are hidden behind 6 times the arithmetic.
    SyntheticProfile slow(testDevice());
    columns(slow).counterDurationUs(6 * 2400);
    CHECK_FALSE(find(analyzeOne(slow), "redundant-read"));
}

TEST_CASE("redundant-read does not fire without certain repetition") {
    // Three reads per byte, as in a softmax that reads each row for maximum, sum and result.
    SyntheticProfile thrice(testDevice());
    columns(thrice).set(kDramRead, 776 * kSteps / 3);
    CHECK_FALSE(find(analyzeOne(thrice), "redundant-read"));

    // A small table served by the L1: many bytes requested, few from the L2.
    SyntheticProfile table(testDevice());
    columns(table).set(kL2Returns, 0.5 * kSteps).set(kDramRead, 1e6);
    CHECK_FALSE(find(analyzeOne(table), "redundant-read"));

    // More than the L1 serves, so the L2 is busy: 331 MB read three times in 200 µs.
    SyntheticProfile cached(testDevice());
    columns(cached)
        .set(kL2Returns, 3 * 331350016.0 / 32 + kSteps)
        .set(kGlobalLoadBytes, 3 * 331350016.0)
        .counterDurationUs(200);
    CHECK_FALSE(find(analyzeOne(cached), "redundant-read"));

    // Sectors fetched repeatedly for one word each: the fault is coalescing.
    SyntheticProfile strided(testDevice());
    columns(strided).set(kGlobalLoadBytes, 776 * kSteps / 32);
    CHECK_FALSE(find(analyzeOne(strided), "redundant-read"));

    // All data may have been in the L2 before: 200 MB requested, of at most 60 MB and 8 MB stored.
    SyntheticProfile warm(testDevice());
    columns(warm).set(kDramRead, 0).set(kGlobalLoadBytes, 2e8).set(kGlobalStoreBytes, 8e6);
    CHECK_FALSE(find(analyzeOne(warm), "redundant-read"));

    SyntheticProfile silent(testDevice());
    columns(silent).set(kGlobalLoadBytes, 0);
    CHECK_FALSE(find(analyzeOne(silent), "redundant-read"));
    CHECK_FALSE(isRuledOut(analyzeOne(silent), "redundant-read"));
}

TEST_CASE("redundant-read cannot tell without its counters or the size of the L2") {
    SyntheticProfile bare(testDevice());
    bare.launch(bare.kernel("k"), {2112, 1, 1}, {256, 1, 1}).counterDurationUs(100);
    const auto kernel = analyzeOne(bare);
    REQUIRE(unknown(kernel, "redundant-read"));
    CHECK(unknown(kernel, "redundant-read")->missing.in(Language::En).find("__") !=
          std::string::npos);

    Device device = testDevice();
    device.l2Bytes.reset();
    SyntheticProfile unsized(device);
    columns(unsized);
    const auto without = analyzeOne(unsized);
    CHECK_FALSE(find(without, "redundant-read"));
    REQUIRE(unknown(without, "redundant-read"));
    CHECK(unknown(without, "redundant-read")->missing.in(Language::En) == "size of the L2");
}
