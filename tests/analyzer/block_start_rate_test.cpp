// SPDX-License-Identifier: Apache-2.0
// block-start-rate: grids of so many blocks that starting them takes the kernel's time.
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/resources.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRule = "block-start-rate";

/// A block of 128 threads for each of a million sites, although 36 threads compute a site: 294,912
/// blocks have work. Their warps load and store; each of the two stores of a thread is counted.
LaunchRef blockPerSite(SyntheticProfile& p) {
    constexpr double kWorking = 294912.0 * 4;
    auto launch = idle(p, "sites", {1048576, 1, 1}, {128, 1, 1}, 681);
    launch.set(kGlobalLoads, 12 * kWorking).set(kGlobalStores, 2 * kWorking);
    launch.set(kGlobalInstructions, 14 * kWorking);
    return launch.set(kWidth32, 14 * kWorking);
}

std::string stepOf(const Finding& finding) {
    for (const Arg& a : finding.args)
        if (a.name == "step") return a.text.in(Language::En);
    return {};
}

/// A million blocks of 16 threads: 1.66 blocks start in a nanosecond on a GH100.
LaunchRef tinyBlocks(SyntheticProfile& p, double microseconds = 632) {
    return idle(p, "fan", {1024, 1024, 1}, {4, 4, 1}, microseconds);
}

}  // namespace

TEST_CASE("block-start-rate fires where blocks start at the highest rate that was seen") {
    SyntheticProfile p(testDevice());
    tinyBlocks(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->evidence.at(0).value == Approx(1024. * 1024 / 632e-6 / 1.66e9));
    CHECK(finding->estimate);
    // Nothing else is busy.
    CHECK(finding->gainShare->value > 0.9);
    // Blocks of 256 threads in place of 16.
    CHECK(finding->expected.at(0).to == 1024 * 1024 / 16.0);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    CHECK(kernel.verdict.limiter == ResourceId::BlockStarts);
    // Half-empty warps do not cost anything as long as blocks cannot start sooner.
    CHECK_FALSE(find(kernel, "idle-lanes"));
}

TEST_CASE("block-start-rate gains no more than the DRAM lets it") {
    SyntheticProfile p(testDevice());
    tinyBlocks(p).set("dram__bytes_read.sum", 0.5 * 4.8e12 * 632e-6);
    const Finding* finding = nullptr;
    const auto kernel = analyzeOne(p);
    finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->gainShare->value < 0.5);
}

TEST_CASE("block-start-rate is silent where blocks take their time, and on other chips") {
    SyntheticProfile slow(testDevice());
    tinyBlocks(slow, 1000);  // 1.05 blocks per nanosecond
    const auto kernel = analyzeOne(slow);
    CHECK_FALSE(find(kernel, kRule));
    CHECK(isRuledOut(kernel, kRule));
    CHECK(resourcesOf(kernel.quantities).find(ResourceId::BlockStarts) == nullptr);

    Device other = testDevice();
    other.chip = "GA100";
    other.computeMajor = 8;
    other.computeMinor = 0;
    SyntheticProfile ampere(other);
    tinyBlocks(ampere);
    CHECK_FALSE(find(analyzeOne(ampere), kRule));
    CHECK_FALSE(isRuledOut(analyzeOne(ampere), kRule));
}

TEST_CASE("block-start-rate needs counters to say what would limit next") {
    SyntheticProfile p(testDevice());
    p.launch(p.kernel("fan"), {1024, 1024, 1}, {4, 4, 1}).durationUs(632);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kRule));
    CHECK(unknown(kernel, kRule));
}

TEST_CASE("block-start-rate says that most warps write nothing") {
    SyntheticProfile p(testDevice());
    blockPerSite(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(stepOf(*finding).starts_with(
        "At most 56 % of the warps write anything: start only as many blocks as there is work"));
    // Two stores in 294,912 of 1,048,576 blocks: 0.5625 per warp.
    REQUIRE(finding->evidence.size() == 2);
    CHECK(finding->evidence[1].value == Approx(2 * 294912.0 / 1048576));
    CHECK(finding->expected.at(0).to == Approx(2.0 * 294912));
    CHECK(unfilled(*finding).empty());
}

TEST_CASE("block-start-rate asks for larger blocks first, with work for each") {
    // A Gaussian elimination near its end: a grid for the whole matrix, of which little is left.
    SyntheticProfile p(testDevice());
    constexpr double kWarps = 1024.0 * 1024;
    tinyBlocks(p)
        .set(kGlobalLoads, kWarps)
        .set(kGlobalStores, kWarps / 2)
        .set(kGlobalInstructions, 1.5 * kWarps);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(stepOf(*finding).starts_with(
        "At most 50 % of the warps write anything: use blocks of 128 to 256 threads"));
}

TEST_CASE("block-start-rate does not speak of warps without work where it cannot be seen") {
    const auto silent = [](const auto& change) {
        SyntheticProfile p(testDevice());
        auto launch = blockPerSite(p);
        change(p, launch);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kRule);
        REQUIRE(finding);
        CHECK(finding->evidence.size() == 1);
        CHECK(finding->expected.at(0).to == 1048576 / 2.0);
        return stepOf(*finding).starts_with("Let each thread compute several elements");
    };
    constexpr double kWarps = 1048576.0 * 4;
    // Every warp writes, by a store or by an atomic (14 loads and stores, and the rest).
    CHECK(silent([](auto&, LaunchRef& l) {
        l.set(kGlobalStores, kWarps).set(kGlobalInstructions, 13 * kWarps);
    }));
    CHECK(silent(
        [](auto&, LaunchRef& l) { l.set(kGlobalInstructions, 14 * 294912.0 * 4 + kWarps); }));
    // One warp may write for the whole block: what it writes went through shared memory.
    CHECK(silent([](auto&, LaunchRef& l) { l.dynamicSharedBytes(512); }));
    CHECK(silent([](auto&, LaunchRef& l) { l.set(kSharedInstructions, 1e6); }));
    CHECK(silent([](SyntheticProfile& p, LaunchRef&) {
        p.profile().kernels.at(0).staticSharedBytes = 512;
    }));
    CHECK(silent([](auto&, LaunchRef& l) { l.set(kLocalSectors, 1e6); }));
    // Warps compute much before they find that there is nothing to write.
    CHECK(silent([](auto&, LaunchRef& l) { l.set(kWarpInstructions, 121 * kWarps); }));
    // No write is counted at all.
    CHECK(silent([](auto&, LaunchRef& l) {
        l.set(kGlobalStores, 0).set(kGlobalInstructions, 12 * 294912.0 * 4);
    }));
}
