// SPDX-License-Identifier: Apache-2.0
// Every rule: where it fires, must not fire, and cannot tell.
#include <cctype>
#include <limits>
#include <set>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/placeholders.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {
/// A profile with nothing but a duration.
KernelAnalysis onlyDuration() {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    p.launch(k, {2112, 1, 1}, {256, 1, 1}).counterDurationUs(100);
    return analyzeOne(p);
}

void checkFilled(std::string_view text, const std::vector<Arg>& args) {
    for (const auto& name : test::placeholders(text)) {
        bool found = false;
        for (const Arg& arg : args) found |= arg.name == name;
        CAPTURE(text, name);
        CHECK(found);
    }
}

/// Checks that all placeholders in the texts of this kernel's results have an argument.
void checkTexts(const KernelAnalysis& kernel) {
    for (const Finding& finding : kernel.findings) {
        const Rule* rule = findRule(finding.ruleId);
        REQUIRE(rule);
        checkFilled(rule->en.sentence, finding.args);
        checkFilled(rule->en.mechanism, finding.args);
        checkFilled(rule->en.edit, finding.args);
        CHECK(finding.evidence.size() >= 1);
        CHECK(finding.expected.size() >= 1);
        CHECK(finding.gainShare->value >= 0.0);
        CHECK(finding.gainShare->value < 1.0);
        CHECK_FALSE(finding.gainFormula.empty());
    }
    for (const RuledOut& out : kernel.ruledOut)
        checkFilled(findRule(out.ruleId)->en.ruledOut, out.args);
}
}  // namespace

TEST_CASE("the catalogue is complete and consistent") {
    REQUIRE(allRules().size() >= 6);
    std::set<std::string_view> ids;
    for (const Rule* rule : allRules()) {
        CAPTURE(rule->id);
        CHECK(ids.insert(rule->id).second);
        CHECK(findRule(rule->id) == rule);
        for (const char c : rule->id) CHECK((std::islower(c) || std::isdigit(c) || c == '-'));
        CHECK_FALSE(rule->en.firesWhen.empty());
        CHECK_FALSE(rule->en.title.empty());
        CHECK_FALSE(rule->en.sentence.empty());
        CHECK_FALSE(rule->en.mechanism.empty());
        CHECK_FALSE(rule->en.edit.empty());
        CHECK_FALSE(rule->en.ruledOut.empty());
        CHECK((rule->check != nullptr) != (rule->checkSequence != nullptr));
    }
    CHECK(findRule("no-such-rule") == nullptr);
}

TEST_CASE("without counters every rule that needs them says which are missing") {
    const auto kernel = onlyDuration();
    CHECK(kernel.findings.empty());
    for (const char* id : {"global-uncoalesced", "global-narrow-access", "shared-bank-conflict"}) {
        CAPTURE(id);
        const CannotTell* cannot = unknown(kernel, id);
        REQUIRE(cannot);
        CHECK(cannot->missing.in(Language::En).find("__") != std::string::npos);
        CHECK_FALSE(cannot->advice.empty());
    }
}

// --- global-uncoalesced ---------------------------------------------------------------------

TEST_CASE("global-uncoalesced fires on a strided copy") {
    SyntheticProfile p(testDevice());
    strided(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "global-uncoalesced");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(&kernel.findings.front() == finding);
    CHECK(finding->evidence[0].value == 0.125);
    CHECK(finding->gainShare->value == Approx(0.875));
    CHECK(finding->expected[0].counter.in(Language::En) == kGlobalLoadSectors);
    CHECK(finding->expected[0].from == 2097152.0);
    CHECK(finding->expected[0].to == 327680.0);  // requested / 32 + one per request
    CHECK(kernel.findings.size() == 1);
    CHECK(kernel.verdict.headroom->value >= finding->gain->value);
    checkTexts(kernel);
}

TEST_CASE("global-uncoalesced does not fire on coalesced, uniform or absent accesses") {
    SyntheticProfile p(testDevice());
    copy(p, "copy", 268435456, 4, 198.8);
    CHECK(isRuledOut(analyzeOne(p), "global-uncoalesced"));

    SyntheticProfile uniform(testDevice());
    idle(uniform, "uniform", {2112, 1, 1}, {256, 1, 1}, 100)
        .set(kGlobalLoads, 1e6)
        .set(kGlobalLoadBytes, 4e6)
        .set(kGlobalLoadSectors, 1e6)
        .set(kGlobalSectors, 1e6)
        .set(kWidth32, 1e6)
        .set(kLsuPipe, 50)
        .set(kLsuWavefronts, 1e6);
    const auto kernel = analyzeOne(uniform);
    CHECK(kernel.quantities.loads.efficiency->value == 0.125);
    CHECK(kernel.findings.empty());
    CHECK(isRuledOut(kernel, "global-uncoalesced"));

    SyntheticProfile tma(testDevice());
    idle(tma, "tma", {2112, 1, 1}, {256, 1, 1}, 100)
        .set("dram__bytes_read.sum", 4e8)
        .set("lts__lts2xbar_cycles_active.sum", 4e8 / 32);
    const auto bulk = analyzeOne(tma);
    CHECK(bulk.findings.empty());
    CHECK_FALSE(isRuledOut(bulk, "global-uncoalesced"));  // not applicable, so nothing is said
}

TEST_CASE("global-uncoalesced weighs what the accesses cost") {
    // The same strided accesses next to an FP32 pipe at 95 %: no time to gain.
    SyntheticProfile p(testDevice());
    auto launch = strided(p);
    launch.set("dram__bytes_read.sum", 8e6).set("dram__bytes_write.sum", 8e6);
    launch.set("lts__lts2xbar_cycles_active.sum", 3e5);
    launch.set(kLsuPipe, 3.0);
    launch.set(kFp32Fma, 0.95 * 16896 * 96.4e-6 * SyntheticProfile::kSmClockHz);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "global-uncoalesced");
    CHECK((!finding || finding->minor));
    // Instructions are issued in 70 % of the slots, the levels have time.
    SyntheticProfile busy(testDevice());
    auto issues = strided(busy);
    issues.set("dram__bytes_read.sum", 8e6).set("dram__bytes_write.sum", 8e6);
    issues.set("lts__lts2xbar_cycles_active.sum", 3e5);
    issues.set(kLsuPipe, 20.0).set(kIssueActive, 70.0);
    CHECK_FALSE(find(analyzeOne(busy), "global-uncoalesced"));
    issues.set(kIssueActive, 50.0);
    CHECK(find(analyzeOne(busy), "global-uncoalesced"));
}

TEST_CASE("a launch of one block waits for latency, not for the sectors that it moves") {
    // A normalisation of one row in one block: 16 sectors per request, 6 at best.
    const auto run = [](double blocks) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "norm", {static_cast<std::uint32_t>(blocks), 1, 1}, {128, 1, 1}, 6.0);
        launch.set(kGlobalLoadBytes, blocks * 12288).set(kGlobalLoadSectors, blocks * 960);
        launch.set(kGlobalLoads, blocks * 60).set(kGlobalStores, 0).set(kGlobalStoreSectors, 0);
        launch.set(kGlobalStoreBytes, 0).set(kGlobalSectors, blocks * 960);
        launch.set("dram__bytes_read.sum", blocks * 16000).set("dram__bytes_write.sum", 0);
        launch.set("lts__lts2xbar_cycles_active.sum", blocks * 960);
        launch.set(kLocalSectors, blocks * 960);
        return analyzeOne(p);
    };
    for (const char* id : {"global-uncoalesced", "local-memory-spill"}) {
        INFO(id);
        CHECK(find(run(132), id));
        const KernelAnalysis one = run(1);
        const Finding* finding = find(one, id);
        CHECK((!finding || finding->minor));
    }
}

TEST_CASE("global-uncoalesced spares no more bytes than a level moves too many") {
    // Twice the sectors in an L1 that has time; the DRAM moves an eighth more than was requested.
    SyntheticProfile p(testDevice());
    auto launch = copy(p, "k", 268435456, 4, 220);
    launch.set(kGlobalLoadSectors, 2 * 8388608.0).set(kLsuPipe, 10.0);
    launch.set("dram__bytes_read.sum", 268435456 * 1.25);
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "global-uncoalesced");
    REQUIRE(finding);
    CHECK(finding->gainShare->value <= 0.125);
}

TEST_CASE("the L1's time is no gain of a few scattered stores among coalesced loads") {
    const auto run = [](double storeSectors) {
        SyntheticProfile p(testDevice());
        constexpr double kLoads = 2e7;
        auto launch = idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 1000);
        launch.set(kGlobalLoads, kLoads).set(kGlobalLoadBytes, kLoads * 4);
        launch.set(kGlobalLoadSectors, kLoads).set(kGlobalStores, storeSectors / 32);
        launch.set(kGlobalStoreBytes, storeSectors * 4).set(kGlobalStoreSectors, storeSectors);
        launch.set(kGlobalSectors, kLoads + storeSectors).set(kWidth32, kLoads);
        // Half of the wavefronts are more than one for each request, whatever they are for.
        return launch.set(kLsuPipe, 85).set(kLsuWavefronts, 2 * kLoads), analyzeOne(p);
    };
    CHECK_FALSE(find(run(3.2e4), "global-uncoalesced"));
    CHECK(find(run(1.6e7), "global-uncoalesced"));
}

// --- global-narrow-access -------------------------------------------------------------------

TEST_CASE("global-narrow-access fires on a 4-byte copy, with a gain that a 16-byte copy confirms") {
    SyntheticProfile p(testDevice());
    copy(p, "copy1", 268435456, 4, 198.8).set("dram__bytes_write.sum", 249135360);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "global-narrow-access");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    // Measured: 198.8 µs with 4-byte and 123.8 µs with 16-byte accesses. The bound must not be
    // lower.
    CHECK(finding->gain->value >= (198.8 - 123.8) * 1e-6 * 0.99);
    CHECK(finding->gain->value <= (198.8 - 115.0) * 1e-6);
    checkTexts(kernel);
}

TEST_CASE("global-uncoalesced: sectors that the L1 serves again cost no more than the L1") {
    // Four scalar loads in place of one of 16 bytes: each sector is requested four times, and comes
    // from the L2 once.
    const auto scalars = [](double lsuPipe) {
        SyntheticProfile p(testDevice());
        auto launch = copy(p, "k", 268435456, 4, 400);
        launch.set(kGlobalLoadSectors, 4 * 8388608.0).set(kLsuPipe, lsuPipe);
        return analyzeOne(p);
    };
    const auto idleL1 = scalars(4);
    const Finding* finding = find(idleL1, "global-uncoalesced");
    if (finding) CHECK(finding->gainShare->value <= 0.04);
    const auto busyL1 = scalars(55);
    REQUIRE(find(busyL1, "global-uncoalesced"));
    CHECK(find(busyL1, "global-uncoalesced")->gainShare->value > 0.2);
    for (const Arg& argument : find(busyL1, "global-uncoalesced")->args)
        if (argument.name == "waste")
            CHECK(argument.text.in(Language::En).find("take the same sectors again") !=
                  std::string::npos);
}

TEST_CASE("global-narrow-access estimates where data is read again: caches may hold more of it") {
    for (const double again : {1.0, 2.0}) {
        SyntheticProfile p(testDevice());
        auto launch = copy(p, "norm", 268435456, 4, 230);
        launch.set(kGlobalLoadBytes, again * 268435456)
            .set(kGlobalLoadSectors, again * 268435456 / 32)
            .set(kGlobalSectors, (again + 1) * 268435456 / 32)
            .set(kGlobalLoads, again * 268435456 / 128)
            .set(kWidth32, (again + 1) * 268435456 / 128);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "global-narrow-access");
        REQUIRE(finding);
        CHECK(finding->estimate == (again > 1));
        // Then the joint bound is larger than this gain: reads may be served by the caches.
        CHECK((kernel.jointGain->value > 1.01 * finding->gain->value) == (again > 1));
    }
}

TEST_CASE("global-narrow-access is silent where a hash takes its time between the accesses") {
    const auto run = [](double instructionsPerAccess) {
        SyntheticProfile p(testDevice());
        auto launch = copy(p, "leaves", 268435456, 4, 400);
        launch.set(kWarpInstructions, instructionsPerAccess * 2 * 268435456 / 128);
        return analyzeOne(p);
    };
    CHECK(find(run(36), "global-narrow-access"));
    CHECK_FALSE(find(run(60), "global-narrow-access"));
}

TEST_CASE("global-narrow-access does not fire on wide, fast, idle or compute-bound kernels") {
    SyntheticProfile wide(testDevice());
    copy(wide, "copy4", 268435456, 16, 198.8);
    CHECK(isRuledOut(analyzeOne(wide), "global-narrow-access"));
    SyntheticProfile fast(testDevice());
    copy(fast, "copy1", 268435456, 4, 150);  // 84 % of the ceiling
    CHECK_FALSE(find(analyzeOne(fast), "global-narrow-access"));
    SyntheticProfile busy(testDevice());
    copy(busy, "k", 268435456, 4, 300)
        .set(kFp32Fma, 0.7 * 16896 * 300e-6 * SyntheticProfile::kSmClockHz);
    CHECK(analyzeOne(busy).findings.empty());
    SyntheticProfile cached(testDevice());
    auto launch = copy(cached, "k", 16777216, 4, 20);  // served by the L2
    launch.set("dram__bytes_read.sum", 1e5).set("dram__bytes_write.sum", 0);
    CHECK(analyzeOne(cached).findings.empty());
    // Half of the instructions are scalar, but the 16-byte ones move nearly all bytes.
    SyntheticProfile mixed(testDevice());
    auto vec = copy(mixed, "k", 268435456, 16, 198.8);
    vec.set(kGlobalLoads, 4 * 524288.0).set(kWidth32, 3 * 524288.0);
    CHECK(analyzeOne(mixed).findings.empty());
}

TEST_CASE("global-narrow-access leaves uncoalesced accesses to the rule for them") {
    SyntheticProfile p(testDevice());
    strided(p);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, "global-narrow-access"));
    CHECK_FALSE(isRuledOut(kernel, "global-narrow-access"));
}

TEST_CASE("global-narrow-access looks past words that whole warps read, not past excess sectors") {
    const auto withUniformLoads = [](double sectorsEach) {
        SyntheticProfile p(testDevice());
        auto launch = copy(p, "k", 268435456, 2, 400);
        // For each load of 64 bytes two of a single word: 4 bytes per sector.
        const double warps = 268435456.0 / 64;
        launch.set(kGlobalLoads, 3 * warps)
            .set(kGlobalLoadBytes, 72 * warps)
            .set(kGlobalLoadSectors, (2 + 2 * sectorsEach) * warps)
            .set(kWidth16, 2 * warps)
            .set(kWidth32, 2 * warps);
        return analyzeOne(p);
    };
    CHECK(find(withUniformLoads(1), "global-narrow-access"));
    CHECK_FALSE(find(withUniformLoads(4), "global-narrow-access"));
}

// --- shared-bank-conflict -------------------------------------------------------------------

TEST_CASE("shared-bank-conflict fires on the unpadded transpose") {
    SyntheticProfile p(testDevice());
    transpose(p, false);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "shared-bank-conflict");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(*kernel.quantities.shared.degree == 16.5);
    CHECK(finding->args[0].value == 32.0);  // the loads
    CHECK(finding->expected[0].to == 2097152.0);
    // Measured: 329 µs unpadded, 143 µs padded. The bound covers this and accounts for the DRAM
    // time.
    CHECK(finding->gain->value >= (329.2 - 142.6) * 1e-6);
    CHECK(finding->gain->value <= 215e-6);
    checkTexts(kernel);
}

TEST_CASE("shared-bank-conflict does not fire without conflicts") {
    SyntheticProfile p(testDevice());
    transpose(p, true);
    CHECK(isRuledOut(analyzeOne(p), "shared-bank-conflict"));

    // Broadcast LDS.32 mixed with conflict-free LDS.128; the pipe is saturated.
    SyntheticProfile broadcast(testDevice());
    idle(broadcast, "broadcast", {2112, 1, 1}, {256, 1, 1}, 100)
        .set(kSharedLoads, 2e6)
        .set(kSharedLoadBytes, 4e6 + 512e6)
        .set(kSharedLoadWavefronts, 5e6)
        .set(kWidth32, 1e6)
        .set(kWidth128, 1e6)
        .set(kLsuPipe, 95)
        .set(kLsuWavefronts, 5e6);
    CHECK(analyzeOne(broadcast).findings.empty());

    // A matrix product: tensor operands fill the data stage, ordinary accesses are few.
    SyntheticProfile gemm(testDevice());
    idle(gemm, "sm90_gemm", {132, 1, 1}, {384, 1, 1}, 300)
        .set(kTensorPipe, 90.2)
        .set(kLsuPipe, 69.7)
        .set(kLsuWavefronts, 25.7e6)
        .set(kSharedLoads, 1e4)
        .set(kSharedLoadBytes, 1.28e6)
        .set(kSharedLoadWavefronts, 1.5e4)
        .set(kSharedStores, 2.5e5)
        .set(kSharedStoreBytes, 1.28e8)
        .set(kSharedStoreWavefronts, 1e6)
        .set(kWidth128, 2.6e5);
    const auto product = analyzeOne(gemm);
    CHECK(product.verdict.limiter == ResourceId::Tensor);
    CHECK(product.findings.empty());

    // LDSM: four wavefronts each without a conflict; in no width class, and its bytes are not
    // counted.
    SyntheticProfile ldsm(testDevice());
    idle(ldsm, "hmma", {2112, 1, 1}, {256, 1, 1}, 100)
        .set(kTensorPipe, 50)
        .set(kSharedLoads, 1e6)
        .set(kSharedLoadWavefronts, 4e6)
        .set(kLsuPipe, 60)
        .set(kLsuWavefronts, 4e6);
    CHECK(analyzeOne(ldsm).findings.empty());
}

TEST_CASE("shared-bank-conflict is no headline where the DRAM is what limits") {
    SyntheticProfile p(testDevice());
    auto launch = transpose(p, false);
    launch.set("dram__bytes_read.sum", 0.9 * 4.8128e12 * 329.2e-6).set("dram__bytes_write.sum", 0);
    launch.set(kLsuPipe, 40);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "shared-bank-conflict");
    CHECK((!finding || finding->minor));
}

TEST_CASE("shared-bank-conflict cannot tell without the pipe's utilisation") {
    SyntheticProfile p(testDevice());
    auto launch = transpose(p, false);
    launch.set(kLsuPipe, std::numeric_limits<double>::quiet_NaN());
    const auto kernel = analyzeOne(p);
    REQUIRE(unknown(kernel, "shared-bank-conflict"));
    CHECK(unknown(kernel, "shared-bank-conflict")->missing.in(Language::En) == kLsuPipe);
}

// --- grid-too-small -------------------------------------------------------------------------

TEST_CASE("grid-too-small fires on 64 blocks for 132 SMs") {
    SyntheticProfile p(testDevice());
    idle(p, "decode", {64, 1, 1}, {128, 1, 1}, 10);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "grid-too-small");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(finding->gain->value == Approx(8e-6 * (1 - 64.0 / 132)));
    checkTexts(kernel);
}

TEST_CASE("grid-too-small speaks of the loop where few warps run long") {
    const auto editFor = [](double perWarp) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "scan", {48, 1, 1}, {128, 1, 1}, 3000);
        launch.set(kWarpInstructions, 48 * 4 * perWarp);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "grid-too-small");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    const std::string edit = editFor(900'000);
    CHECK(edit.starts_with("Each warp runs 900 thousand instructions in a row"));
    CHECK(editFor(12'489'000).starts_with("Each warp runs 12.5 million instructions in a row"));
    CHECK(edit.find("Split the work of a block") != std::string::npos);
    CHECK(editFor(2'000).starts_with("Split the work of a block"));
}

TEST_CASE("grid-too-small asks first for one launch where a long one comes again and again") {
    const auto editFor = [](int launches, double microseconds, bool between,
                            std::uint32_t blocks = 48, std::uint32_t threads = 128) {
        SyntheticProfile p(testDevice());
        for (int i = 0; i < launches; ++i) {
            idle(p, "rays", {blocks, 1, 1}, {threads, 1, 1}, microseconds);
            if (between) idle(p, "shade", {2112, 1, 1}, {128, 1, 1}, 10);
        }
        for (std::size_t i = 0; i < p.profile().launches.size(); ++i)
            p.profile().launches[i].kernel = between && i % 2 == 1 ? 1 : 0;
        const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        const Finding* finding = find(analysis.kernels.front(), "grid-too-small");
        REQUIRE(finding);
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    CHECK(editFor(40, 3000, false).starts_with("It is launched 40 times, each after the other"));
    CHECK(editFor(10, 3000, false).starts_with("Split the work of a block"));
    CHECK(editFor(40, 100, false).starts_with("Split the work of a block"));
    CHECK(editFor(40, 3000, true).starts_with("Split the work of a block"));
    // A single thread, or warp, has little to split.
    CHECK(editFor(40, 100, false, 1, 1).starts_with("It is launched 40 times"));
    CHECK_FALSE(editFor(40, 20, false, 1, 1).starts_with("It is launched"));
    CHECK_FALSE(editFor(40, 100, false, 1, 64).starts_with("It is launched"));
}

TEST_CASE("grid-too-small counts what other launches have on the SMs at the same time") {
    const auto findingWith = [](int streams, std::optional<double>& share) {
        SyntheticProfile p(testDevice());
        for (int i = 0; i < 8 * streams; ++i)
            idle(p, "filter", {15, 1, 1}, {256, 1, 1}, 95).durationUs(95);
        for (std::size_t i = 0; i < p.profile().launches.size(); ++i) {
            Launch& launch = p.profile().launches[i];
            launch.kernel = 0;
            launch.stream = static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(streams);
            launch.start = Seconds{95e-6 * std::floor(static_cast<double>(i) / streams)};
        }
        const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        const Finding* finding = find(analysis.kernels.front(), "grid-too-small");
        if (finding) share = finding->gainShare->value;
        return finding != nullptr;
    };
    std::optional<double> alone, six, eight;
    CHECK(findingWith(1, alone));
    CHECK(findingWith(6, six));
    CHECK_FALSE(findingWith(8, eight));
    REQUIRE((alone && six));
    CHECK(*alone == Approx((95.0 - 2) / 95 * (1 - 15.0 / 132)));
    CHECK(*six == Approx((95.0 - 2) / 95 * (1 - 90.0 / 132)));
}

TEST_CASE("grid-too-small makes smaller blocks where threads share nothing") {
    struct Case {
        std::uint64_t shared = 0;
        double barrier = 0;
        Dim3 grid{16, 1, 1}, block{512, 1, 1};
        bool stalls = true;
    };
    const auto editFor = [](const Case& c) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "particles", c.grid, c.block, 40);
        p.profile().kernels.at(0).staticSharedBytes = c.shared;
        if (c.stalls)
            launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0)
                .set(stallCounter("long_scoreboard"), 10)
                .set(stallCounter("barrier"), c.barrier);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "grid-too-small");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        const std::string edit = finding->edit.in(Language::En);
        const bool smaller = edit.starts_with("If each thread takes one element");
        if (smaller) CHECK(edit.find("64 threads in place of 512") != std::string::npos);
        // What the edit makes is what a comparison looks for.
        CHECK(finding->expected.at(0).to == (smaller ? 128.0 : 132.0));
        return smaller;
    };
    CHECK(editFor({}));
    CHECK_FALSE(editFor({.shared = 4096}));
    CHECK_FALSE(editFor({.barrier = 1}));
    CHECK_FALSE(editFor({.stalls = false}));    // it may wait at barriers
    CHECK_FALSE(editFor({.grid = {4, 1, 1}}));  // 32 blocks fill the GPU no more
    CHECK_FALSE(editFor({.block = {32, 16, 1}}));
}

TEST_CASE("grid-too-small does not fire on full grids, empty launches or cluster kernels") {
    SyntheticProfile full(testDevice());
    idle(full, "k", {132, 1, 1}, {128, 1, 1}, 10).residentBlocksPerSm(1);
    CHECK(isRuledOut(analyzeOne(full), "grid-too-small"));
    SyntheticProfile tiny(testDevice());
    idle(tiny, "tiny", {1, 1, 1}, {32, 1, 1}, 1.92);
    CHECK(analyzeOne(tiny).findings.empty());
    SyntheticProfile cluster(testDevice());
    idle(cluster, "k", {128, 1, 1}, {384, 1, 1}, 100).cluster({4, 1, 1});
    CHECK(analyzeOne(cluster).findings.empty());
}

TEST_CASE("grid-too-small cannot tell without the number of SMs") {
    Device device = testDevice();
    device.smCount = 0;
    SyntheticProfile p(device);
    idle(p, "k", {64, 1, 1}, {128, 1, 1}, 10);
    CHECK(unknown(analyzeOne(p), "grid-too-small"));
}

// --- wave-tail ------------------------------------------------------------------------------

TEST_CASE("wave-tail fires on 1.2 waves") {
    SyntheticProfile p(testDevice());
    idle(p, "k", {1267, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "wave-tail");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(1 - 1267.0 / 1056 / 2));
    checkTexts(kernel);
}

TEST_CASE(
    "wave-tail does not fire on whole waves, many waves, DRAM-limited or persistent kernels") {
    SyntheticProfile whole(testDevice());
    idle(whole, "k", {2112, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8);
    CHECK(isRuledOut(analyzeOne(whole), "wave-tail"));
    SyntheticProfile many(testDevice());
    idle(many, "k", {10666, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8);  // 10.1 waves
    CHECK_FALSE(find(analyzeOne(many), "wave-tail"));
    SyntheticProfile most(testDevice());
    idle(most, "k", {42144, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8);  // 39.9 waves
    CHECK(isRuledOut(analyzeOne(most), "wave-tail"));
    SyntheticProfile dram(testDevice());
    idle(dram, "k", {1267, 1, 1}, {256, 1, 1}, 100)
        .residentBlocksPerSm(8)
        .set("dram__bytes_read.sum", 0.7 * 4.8128e8);
    CHECK_FALSE(find(analyzeOne(dram), "wave-tail"));
    SyntheticProfile roof(testDevice());
    idle(roof, "k", {1267, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8).set(kTensorPipe, 85);
    CHECK(analyzeOne(roof).findings.empty());
    SyntheticProfile part(testDevice());
    idle(part, "k", {132, 1, 1}, {256, 1, 1}, 100).residentBlocksPerSm(8);
    CHECK_FALSE(find(analyzeOne(part), "wave-tail"));
}

TEST_CASE("wave-tail cannot tell without the occupancy") {
    Device device = testDevice();
    device.registersPerSm.reset();
    SyntheticProfile p(device);
    idle(p, "k", {1267, 1, 1}, {256, 1, 1}, 100);
    CHECK(unknown(analyzeOne(p), "wave-tail"));
}

// --- low-occupancy --------------------------------------------------------------------------

namespace {
LaunchRef registerHungry(SyntheticProfile& p, Dim3 grid) {
    auto launch = idle(p, "k", grid, {256, 1, 1}, 100);
    p.profile().kernels[0].registersPerThread = 255;  // one block, 8 of 64 warps
    return launch.set(kWarpsActive, 7.9);
}
}  // namespace

TEST_CASE("low-occupancy fires on a latency-bound kernel with 255 registers") {
    SyntheticProfile p(testDevice());
    registerHungry(p, {1320, 1, 1});
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "low-occupancy");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.5));
    CHECK(kernel.quantities.occupancy.limiter == OccupancyLimiter::Registers);
    checkTexts(kernel);
}

TEST_CASE("low-occupancy takes smaller blocks where registers are left over") {
    // 168 registers: 12 warps fit into an SM, of which a block of 8 uses 8.
    const auto with = [](std::uint32_t registers, std::uint32_t shared) {
        SyntheticProfile p(testDevice());
        registerHungry(p, {1320, 1, 1});
        p.profile().kernels[0].registersPerThread = registers;
        p.profile().kernels[0].staticSharedBytes = shared;
        return analyzeOne(p);
    };
    const auto kernel = with(168, 0);
    const Finding* finding = find(kernel, "low-occupancy");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(1.0 / 3));
    CHECK(finding->after == "constexpr int kThreads = 128;");
    CHECK(finding->expected.front().to == Approx(1.5 * finding->expected.front().from));
    checkTexts(kernel);
    // 255 registers leave none over, and shared memory may grow with the block.
    const auto full = with(255, 0), shared = with(168, 1024);
    for (const auto* other : {&full, &shared}) {
        REQUIRE(find(*other, "low-occupancy"));
        CHECK(find(*other, "low-occupancy")->after.find("__launch_bounds__") != std::string::npos);
    }
}

TEST_CASE("low-occupancy does not fire near a roof, on tensor cores or because of the grid") {
    SyntheticProfile roof(testDevice());
    registerHungry(roof, {1320, 1, 1})
        .set(kFp32Fma, 0.9 * 16896 * 100e-6 * SyntheticProfile::kSmClockHz);
    // Occupancy is low but costs no time: "not occupancy (19 %)" would contradict itself.
    CHECK_FALSE(find(analyzeOne(roof), "low-occupancy"));
    CHECK_FALSE(isRuledOut(analyzeOne(roof), "low-occupancy"));
    SyntheticProfile tensor(testDevice());
    registerHungry(tensor, {1320, 1, 1}).set(kTensorPipe, 50);
    CHECK_FALSE(find(analyzeOne(tensor), "low-occupancy"));
    CHECK_FALSE(isRuledOut(analyzeOne(tensor), "low-occupancy"));
    SyntheticProfile grid(testDevice());
    registerHungry(grid, {100, 1, 1});
    CHECK_FALSE(find(analyzeOne(grid), "low-occupancy"));
    SyntheticProfile enough(testDevice());
    idle(enough, "k", {2112, 1, 1}, {256, 1, 1}, 100);
    CHECK(isRuledOut(analyzeOne(enough), "low-occupancy"));
}

TEST_CASE("low-occupancy cannot tell without the warps that were really active") {
    SyntheticProfile p(testDevice());
    registerHungry(p, {1320, 1, 1}).set(kWarpsActive, std::numeric_limits<double>::quiet_NaN());
    CHECK(unknown(analyzeOne(p), "low-occupancy"));
}

// --- few-warps ------------------------------------------------------------------------------

TEST_CASE("few-warps asks to split long loops of a grid that leaves most warp slots empty") {
    struct Case {
        std::uint32_t blocks = 157;
        double perWarp = 300'000, dram = 0;
        const char* name = "mean_shift(float*)";
    };
    const auto of = [](const Case& c) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, c.name, {c.blocks, 1, 1}, {64, 1, 1}, 1120).residentBlocksPerSm(32);
        launch.set(kWarpInstructions, c.blocks * 2 * c.perWarp);
        launch.set("dram__bytes_read.sum", c.dram * 4.8e12 * 1120e-6);
        return analyzeOne(p);
    };
    const auto kernel = of({});
    const Finding* finding = find(kernel, "few-warps");
    REQUIRE(finding);
    CHECK_FALSE(finding->estimate);
    CHECK(finding->gainShare->value == Approx(1 - 157.0 / (132 * 32)).epsilon(0.02));
    CHECK(finding->expected.at(0).to == Approx(132 * 32));
    CHECK(unfilled(*finding).empty());
    checkTexts(kernel);
    CHECK_FALSE(find(of({.blocks = 2000}), "few-warps"));    // half of a wave
    CHECK_FALSE(find(of({.perWarp = 2'000}), "few-warps"));  // nothing to split
    CHECK_FALSE(find(of({.dram = 0.9}), "few-warps"));
    CHECK(find(of({.perWarp = 9'000}), "few-warps"));
    CHECK_FALSE(find(of({.blocks = 64}), "few-warps"));  // grid-too-small says it
    CHECK(find(of({.blocks = 64}), "grid-too-small"));
    // Most SMs have a block, and none has enough: one edit.
    const auto some = of({.blocks = 118});
    REQUIRE(find(some, "few-warps"));
    CHECK(find(some, "few-warps") == &some.findings.front());
    REQUIRE(find(some, "grid-too-small"));
    CHECK(find(some, "grid-too-small")->cause == "few-warps");
    CHECK_FALSE(find(of({.name = "void cub::DeviceReduceKernel<float>(int)"}), "few-warps"));
}

// --- ranking --------------------------------------------------------------------------------

TEST_CASE("findings are ranked by recoverable time, minor ones last") {
    SyntheticProfile p(testDevice());
    auto launch = strided(p);
    launch.launch().grid = {64, 1, 1};
    const auto kernel = analyzeOne(p);
    REQUIRE(kernel.findings.size() >= 2);
    for (std::size_t i = 1; i < kernel.findings.size(); ++i) {
        const Finding &a = kernel.findings[i - 1], &b = kernel.findings[i];
        CHECK((a.minor < b.minor || (a.minor == b.minor && a.gain->value >= b.gain->value)));
    }
}

// --- unfused-fma ----------------------------------------------------------------------------

namespace {
/// FP32 pipe at `busy`; the given shares of its instructions are additions and multiplications.
KernelAnalysis arithmetic(double busy, double add, double mul) {
    SyntheticProfile p(testDevice());
    const double all = busy * 16896 * 100e-6 * SyntheticProfile::kSmClockHz;
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100)
        .set(kFp32Add, add * all)
        .set(kFp32Mul, mul * all)
        .set(kFp32Fma, (1 - add - mul) * all);
    return analyzeOne(p);
}
}  // namespace

TEST_CASE("unfused-fma fires on separate multiplications and additions at the FP32 roof") {
    const auto kernel = arithmetic(0.9, 0.4, 0.4);
    const Finding* finding = find(kernel, "unfused-fma");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.36));
    checkTexts(kernel);
}

TEST_CASE("unfused-fma does not fire on fused, add-only or idle arithmetic") {
    CHECK(isRuledOut(arithmetic(0.9, 0.02, 0.02), "unfused-fma"));
    CHECK(isRuledOut(arithmetic(0.9, 1.0, 0.0), "unfused-fma"));
    CHECK_FALSE(find(arithmetic(0.3, 0.5, 0.5), "unfused-fma"));
    CHECK(isRuledOut(arithmetic(0.05, 0.5, 0.5), "unfused-fma"));
    CHECK(unknown(onlyDuration(), "unfused-fma"));
}

// --- imbalance ------------------------------------------------------------------------------

TEST_CASE("imbalance fires when the average SM idles, not on even kernels or small grids") {
    const auto run = [](double average, std::uint32_t blocks) {
        SyntheticProfile p(testDevice());
        idle(p, "k", {blocks, 1, 1}, {256, 1, 1}, 100)
            .set(kSmCyclesActiveMax, 1e5)
            .set(kSmCyclesActiveAvg, average);
        return analyzeOne(p);
    };
    const auto uneven = run(5e4, 2112);
    REQUIRE(find(uneven, "imbalance"));
    CHECK(find(uneven, "imbalance")->gainShare->value == Approx(0.98 * 0.5));
    checkTexts(uneven);
    CHECK(isRuledOut(run(9.7e4, 2112), "imbalance"));
    // Fewer blocks than resident slots: the cause may be the grid or uneven work.
    CHECK_FALSE(find(run(5e4, 200), "imbalance"));
    CHECK_FALSE(isRuledOut(run(5e4, 200), "imbalance"));
    CHECK_FALSE(find(run(5e4, 64), "imbalance"));
    // 1.2 waves: wave-tail reports it, and "not uneven work (40 % idle)" would contradict it.
    CHECK_FALSE(find(run(6e4, 1267), "imbalance"));
    CHECK_FALSE(isRuledOut(run(6e4, 1267), "imbalance"));
    CHECK(unknown(onlyDuration(), "imbalance"));
    // The number of blocks cannot make one SM work five times as long as the others.
    CHECK(find(run(2e4, 200), "imbalance"));
    CHECK_FALSE(find(run(2e4, 64), "imbalance"));
}

TEST_CASE("where one block works alone, its work is to be done in parallel") {
    const auto edit = [](double average, double lanes = 2) {
        SyntheticProfile p(testDevice());
        idle(p, "k", {196, 1, 1}, {512, 1, 1}, 5880)
            .set(kSmCyclesActiveMax, 1e7)
            .set(kSmCyclesActiveAvg, average)
            .set(kWarpInstructions, 1e7)
            .set(kThreadInstructions, lanes * 1e7);
        const auto kernel = analyzeOne(p);
        checkTexts(kernel);
        const Finding* finding = find(kernel, "imbalance");
        REQUIRE(finding);
        const auto arg = std::ranges::find(finding->args, "edit", &Arg::name);
        return arg->text.in(Language::En) + finding->after;
    };
    CHECK(edit(1e5).find("DeviceScan") != std::string::npos);
    // A block with busy lanes has much data.
    CHECK(edit(1e5, 31).find("If one item is much larger") != std::string::npos);
    // Two or three blocks are no different; the others were done long ago.
    CHECK(edit(2e5).find("If one item is much larger") != std::string::npos);
    CHECK(edit(1e6).find("blocks fetch work") != std::string::npos);  // 13 SMs
}

TEST_CASE("in uneven work, coalescing saves no more than the L1's time on the busiest SM") {
    const auto run = [](double average, double wavefronts) {
        SyntheticProfile p(testDevice());
        auto launch = strided(p);
        launch.set("dram__bytes_read.sum", 8e6).set("dram__bytes_write.sum", 8e6);
        launch.set("lts__lts2xbar_cycles_active.sum", 3e5).set(kLsuPipe, 3.0);
        launch.set(kLsuWavefronts, wavefronts).set(kSmCyclesElapsed, 1.9e5);
        launch.set(kSmCyclesActiveMax, 1.9e5).set(kSmCyclesActiveAvg, average);
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "global-uncoalesced");
        return finding ? finding->gainShare->value : 0.0;
    };
    CHECK(run(1.8e5, 4e5) > 0.5);
    CHECK(run(1.9e3, 4e4) <
          0.2);  // one SM works for the others: 300 wavefronts on each, 30,000 on it
}

// --- local-memory-spill ---------------------------------------------------------------------

TEST_CASE("local-memory-spill fires by its share of the traffic") {
    const auto run = [](double sectors) {
        SyntheticProfile p(testDevice());
        copy(p, "k", 268435456, 16, 130).set(kLocalSectors, sectors);
        return analyzeOne(p);
    };
    const auto spilling = run(1e7);
    const Finding* finding = find(spilling, "local-memory-spill");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(1e7 / (1e7 + 16777216)));
    CHECK(finding->expected[0].to == 0.0);
    checkTexts(spilling);
    CHECK(isRuledOut(run(0), "local-memory-spill"));
    CHECK(isRuledOut(run(1e4), "local-memory-spill"));
    CHECK(unknown(onlyDuration(), "local-memory-spill"));
}

TEST_CASE("arrays larger than all registers are not told to become registers") {
    SyntheticProfile p(testDevice());
    copy(p, "paths", 268435456, 16, 130).set(kLocalSectors, 1e7);
    p.profile().kernels.back().localBytesPerThread = 14400;
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "local-memory-spill");
    REQUIRE(finding);
    CHECK(finding->after.find("unroll") == std::string::npos);
    CHECK(finding->after.find("i += gridDim.x") != std::string::npos);
    // They stay in local memory, within the L2 at best.
    CHECK(finding->expected.at(0).counter.in(Language::En) == "DRAM bytes read");
    checkTexts(kernel);
}

TEST_CASE("local-memory-spill names the cause that the registers leave") {
    const auto cause = [](std::uint32_t registers) {
        SyntheticProfile p(testDevice());
        copy(p, "k", 268435456, 16, 130).set(kLocalSectors, 1e7);
        p.profile().kernels.back().registersPerThread = registers;
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "local-memory-spill");
        REQUIRE(finding);
        std::string words;
        for (const Arg& argument : finding->args) words += argument.text.in(Language::En) + " | ";
        return words;
    };
    CHECK(cause(19).find("nothing had to be spilled") != std::string::npos);
    CHECK(cause(128).find("raise the register limit") != std::string::npos);
    // 255 is the maximum.
    CHECK(cause(255).find("raise the register limit") == std::string::npos);
}
