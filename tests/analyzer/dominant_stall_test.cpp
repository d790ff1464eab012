// SPDX-License-Identifier: Apache-2.0
// The rule dominant-stall, and the stall named in a verdict.
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// A kernel that keeps no resource busy, with `each` warps in every stall reason.
LaunchRef waiting(SyntheticProfile& p, double each = 0) {
    auto launch = idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100);
    const ChipTable chip = chipTable("GH100").value();
    launch.setAll(chip.groups.at("stalls").counters, each);
    return launch;
}

}  // namespace

TEST_CASE("dominant-stall fires on a kernel that waits for loads") {
    SyntheticProfile p(testDevice());
    waiting(p)
        .set(stallCounter("long_scoreboard"), 12)
        .set(stallCounter("barrier"), 3)
        .set(stallCounter("selected"), 1)
        .set(stallCounter("not_selected"), 4);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
    CHECK(kernel.verdict.reason.stall == "long_scoreboard");
    const Finding* finding = find(kernel, "dominant-stall");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->title.in(Language::En) == "Warps wait for data from global or local memory");
    CHECK(finding->evidence.size() == 2);  // reasons that are 0 are not listed
    CHECK(finding->evidence[0].value == Approx(12.0 / 20));
    CHECK(finding->gainShare->value == Approx(12.0 / 20));
}

TEST_CASE("dominant-stall knows chains of exponentials and divisions") {
    const auto editFor = [](double special) {
        SyntheticProfile p(testDevice());
        waiting(p)
            .set(stallCounter("wait"), 12)
            .set(stallCounter("selected"), 4)
            .set(kSpecialFunctionPipe, special);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    CHECK(editFor(15).starts_with("Special functions are 15 % busy"));
    CHECK_FALSE(editFor(5).starts_with("Special functions"));
}

TEST_CASE("dominant-stall knows blocks that load tiles and wait for them at a barrier") {
    const auto editFor = [](double barrier, double staged, std::uint32_t threads,
                            double reads = 4.2) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "stencil", {16384, 1, 1}, {threads, 1, 1}, 320);
        const ChipTable chip = chipTable("GH100").value();
        launch.setAll(chip.groups.at("stalls").counters, 0)
            .set(stallCounter("long_scoreboard"), 10)
            .set(stallCounter("barrier"), barrier)
            .set(stallCounter("selected"), 4);
        launch.set(kGlobalLoadBytes, 300e6).set(kSharedStoreBytes, staged);
        launch.set(kSharedLoadBytes, reads * staged);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    const std::string edit = editFor(6, 300e6, 1024);
    CHECK(
        edit.starts_with("Blocks load tiles into shared memory and wait for them at a barrier "
                         "(30 % of the time), while each byte there is read 4.2 times"));
    CHECK(edit.find("128 or 256 threads in place of 1024") != std::string::npos);
    CHECK(editFor(6, 300e6, 256).find("in place of") == std::string::npos);
    CHECK(editFor(1, 300e6, 1024).starts_with("Issue several independent loads"));
    CHECK(editFor(6, 10e6, 1024).starts_with("Issue several independent loads"));
    // A transpose needs its tile, a matrix product too, and a sort exchanges values there.
    CHECK(editFor(6, 300e6, 1024, 1).starts_with("Issue several independent loads"));
    CHECK(editFor(6, 300e6, 1024, 16).starts_with("Issue several independent loads"));
    CHECK(editFor(6, 3e9, 1024).starts_with("Issue several independent loads"));
}

TEST_CASE("tiles of a wide stencil are to be loaded ahead, not with wider accesses") {
    // Eighth order in three dimensions: each byte of a tile is read nine times, and the DRAM is at
    // 42 %. A matrix product reads as often, and hardly anything from the DRAM.
    const auto kernelWith = [](double barrier, double dram) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "propagate", {8192, 1, 1}, {256, 1, 1}, 1200);
        const ChipTable chip = chipTable("GH100").value();
        launch.setAll(chip.groups.at("stalls").counters, 0)
            .set(stallCounter("long_scoreboard"), 16)
            .set(stallCounter("barrier"), barrier)
            .set(stallCounter("selected"), 8);
        constexpr double kLoads = 27.6e6, kStores = 4.2e6, kBytes = 128;
        launch.set(kGlobalLoads, kLoads).set(kGlobalStores, kStores);
        launch.set(kGlobalLoadBytes, kLoads * kBytes).set(kGlobalStoreBytes, kStores * kBytes);
        launch.set(kGlobalLoadSectors, kLoads * 4).set(kGlobalStoreSectors, kStores * 4);
        launch.set("smsp__sass_inst_executed_op_memory_32b.sum", kLoads + kStores);
        launch.set(kSharedStoreBytes, 0.45 * kLoads * kBytes);
        launch.set(kSharedLoadBytes, 9 * 0.45 * kLoads * kBytes);
        launch.set("dram__bytes_read.sum", 0.75 * dram).set("dram__bytes_write.sum", 0.25 * dram);
        return analyzeOne(p);
    };
    const auto editOf = [](const KernelAnalysis& kernel) {
        const Finding* finding = find(kernel, "dominant-stall");
        return finding ? std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En)
                       : std::string();
    };
    constexpr double kBytes = 0.45 * 4.8e12 * 1200e-6;
    const auto stencil = kernelWith(10, kBytes);
    CHECK(editOf(stencil).find("Load the next tile while this one is used") != std::string::npos);
    CHECK_FALSE(find(stencil, "global-narrow-access"));
    const auto streaming = kernelWith(1, kBytes);
    CHECK(editOf(streaming).find("Load the next tile while") == std::string::npos);
    CHECK(find(streaming, "global-narrow-access"));
    CHECK(editOf(kernelWith(10, 0.1 * kBytes)).find("Load the next tile while") ==
          std::string::npos);
}

TEST_CASE("a wait for shared memory is one for constants or shuffles where there is none") {
    const auto titleOf = [](std::uint32_t shared, double special, const char* reason) {
        SyntheticProfile p(testDevice());
        waiting(p)
            .set(stallCounter(reason), 20)
            .set(stallCounter("selected"), 1)
            .set(kSpecialFunctionPipe, special);
        p.profile().kernels.at(0).staticSharedBytes = shared;
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return finding->title.in(Language::En);
    };
    const std::string constants = "Warps wait for constant memory or warp shuffles";
    CHECK(titleOf(0, 1, "mio_throttle") == constants);
    CHECK(titleOf(0, 1, "short_scoreboard") == constants);
    CHECK(titleOf(4096, 1, "mio_throttle") != constants);
    CHECK(titleOf(0, 30, "mio_throttle") != constants);
    CHECK(titleOf(0, 1, "long_scoreboard") != constants);
}

TEST_CASE("dominant-stall thinks of atomics where accesses queue and caches have time") {
    const auto editFor = [](double queue, double l2) {
        SyntheticProfile p(testDevice());
        waiting(p)
            .set(stallCounter("long_scoreboard"), 10)
            .set(stallCounter("lg_throttle"), queue)
            .set(stallCounter("selected"), 1)
            .set(kL2ReadReturns, l2);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    CHECK(editFor(9, 0).starts_with("Accesses wait in a queue although the caches have time"));
    CHECK(editFor(1, 0).starts_with("Issue several independent loads"));
    // Half of what the L2 returns in 100 µs.
    CHECK(editFor(9, 188 * 0.5 * 1.7e9 * 100e-6).starts_with("Issue several independent loads"));
}

TEST_CASE("dominant-stall costs no more than the time that is not lost in a tail") {
    SyntheticProfile p(testDevice());
    const auto launch =
        waiting(p).set(stallCounter("long_scoreboard"), 16).set(stallCounter("selected"), 4);
    CHECK(find(analyzeOne(p), "dominant-stall")->gainShare->value == Approx(16.0 / 20));
    // For 78 of 100 µs only one SM of 132 has work; the last interval does not count.
    p.overTime(launch, 2)
        .intervals(10, {.sms = 1, .dram = 0.4, .issue = 0.06})
        .intervals(40, {.sms = 1.0 / 132, .issue = 0.0004});
    const Finding* finding = find(analyzeOne(p), "dominant-stall");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(16.0 / 20 * (1 - 0.78 * 131 / 132)));
}

TEST_CASE("dominant-stall says how many blocks would fit, if most of the room is empty") {
    const auto editFor = [](std::uint32_t blocks, const char* reason) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "k", {blocks, 1, 1}, {256, 1, 1}, 100);
        const ChipTable chip = chipTable("GH100").value();
        launch.setAll(chip.groups.at("stalls").counters, 0);
        launch.set(stallCounter(reason), 16).set(stallCounter("selected"), 4);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        const auto edit = std::ranges::find(finding->args, "edit", &Arg::name);
        REQUIRE(edit != finding->args.end());
        return edit->text.in(Language::En);
    };
    CHECK(editFor(264, "wait").find("264 blocks where 1056 fit at once") != std::string::npos);
    CHECK(editFor(1056, "wait").find("fit at once") == std::string::npos);
    // More warps would wait as long for the same unit.
    CHECK(editFor(264, "lg_throttle").find("fit at once") == std::string::npos);
}

TEST_CASE("dominant-stall: every reason of every chip has a cause and an edit") {
    for (const std::string& name : knownChips()) {
        const ChipTable chip = chipTable(name).value();
        for (const std::string& counter : chip.groups.at("stalls").counters) {
            CAPTURE(name, counter);
            const std::string start = stallCounter("");
            const auto from = counter.find("stalled_") + 8;
            const std::string reason = counter.substr(from, counter.find("_per_issue") - from);
            CHECK(stallCounter(reason) == counter);
            if (reason == "selected" || reason == "not_selected") continue;
            const StallCause* cause = findStallCause(reason);
            REQUIRE(cause);
            CHECK_FALSE(cause->edit.empty());
        }
    }
}

TEST_CASE("a kernel that stores by atomics alone is not told to store coalesced") {
    const auto edit = [](double stores) {
        SyntheticProfile p(testDevice());
        waiting(p).set(stallCounter("drain"), 12).set(counter::kGlobalStores, stores);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "dominant-stall");
        REQUIRE(finding);
        const auto text = std::ranges::find(finding->args, "edit", &Arg::name);
        REQUIRE(text != finding->args.end());
        return text->text.in(Language::En);
    };
    CHECK(edit(0).find("by atomics alone") != std::string::npos);
    CHECK(edit(1e6).find("Store coalesced") != std::string::npos);
}

TEST_CASE("dominant-stall is silent where no reason dominates, or a roof does") {
    SyntheticProfile even(testDevice());
    waiting(even, 1);
    CHECK_FALSE(find(analyzeOne(even), "dominant-stall"));

    SyntheticProfile healthy(testDevice());  // a warp ready to issue is not stalled
    waiting(healthy).set(stallCounter("wait"), 2).set(stallCounter("not_selected"), 8);
    CHECK_FALSE(find(analyzeOne(healthy), "dominant-stall"));

    SyntheticProfile roof(testDevice());
    waiting(roof)
        .set(stallCounter("long_scoreboard"), 12)
        .set("dram__bytes_read.sum", 0.9 * 0.938 * 1504 * 3.2e9 * 100e-6);
    const auto kernel = analyzeOne(roof);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    CHECK_FALSE(find(kernel, "dominant-stall"));
    CHECK_FALSE(unknown(kernel, "dominant-stall"));

    SyntheticProfile tiny(testDevice());
    auto launch = waiting(tiny);
    launch.set(stallCounter("drain"), 12).counterDurationUs(1.9);
    CHECK_FALSE(find(analyzeOne(tiny), "dominant-stall"));
}

TEST_CASE("an access that waits for 10,000 cycles is not served by the GPU's memory") {
    const double cycles = 2.3e-3 * SyntheticProfile::kSmClockHz;
    const auto run = [&](double warps, double accesses, const char* reason = "long_scoreboard") {
        SyntheticProfile p(testDevice());
        waiting(p)
            .counterDurationUs(2300)
            .set(stallCounter(reason), 12)
            .set(stallCounter("wait"), 3)
            .set(kSmCyclesElapsed, cycles)
            .set(kSmCyclesActiveAvg, cycles)
            .set(kSmCyclesActiveMax, cycles)
            .set(kWarpsActive, warps)
            .set(kGlobalInstructions, accesses);
        return analyzeOne(p);
    };
    const KernelAnalysis kernel = run(5, 33'000);
    const Finding* finding = find(kernel, "memory-not-on-gpu");
    REQUIRE(finding);
    CHECK(&kernel.findings.front() == finding);
    CHECK(finding->gainShare->value == Approx(0.8));
    CHECK(finding->evidence[0].value == Approx(0.8 * 5 * 132 * cycles / 33'000));
    CHECK(unfilled(kernel).empty());
    CHECK(find(kernel, "dominant-stall")->cause == "memory-not-on-gpu");
    CHECK_FALSE(find(run(5, 330'000), "memory-not-on-gpu"));  // 7,000 cycles each
    // 64 warps wait for long, but a queue of atomics may be why.
    CHECK_FALSE(find(run(64, 100'000), "memory-not-on-gpu"));
    CHECK_FALSE(find(run(5, 33'000, "barrier"), "memory-not-on-gpu"));
}

TEST_CASE("the warps of a block that works alone are not said to wait at a barrier") {
    const auto run = [](double average) {
        SyntheticProfile p(testDevice());
        waiting(p)
            .set(stallCounter("barrier"), 12)
            .set(kSmCyclesActiveMax, 1e5)
            .set(kSmCyclesActiveAvg, average);
        return analyzeOne(p);
    };
    CHECK(find(run(9e4), "dominant-stall"));
    CHECK(find(run(1e3), "imbalance"));
    CHECK_FALSE(find(run(1e3), "dominant-stall"));
}

TEST_CASE("dominant-stall cannot tell the largest of some reasons") {
    SyntheticProfile p(testDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100).set(stallCounter("long_scoreboard"), 12);
    const auto kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, "dominant-stall");
    REQUIRE(cannot);
    CHECK(cannot->missing.in(Language::En).find(stallCounter("barrier")) != std::string::npos);
    CHECK(cannot->advice.in(Language::En).find("stalls") != std::string::npos);
    CHECK(kernel.verdict.reason.stall.empty());
}

TEST_CASE("a reason that only another GPU of the profile counts is not missing here") {
    SyntheticProfile p(testDevice());
    waiting(p).set(stallCounter("wait"), 12);
    Device smaller = testDevice();
    smaller.smCount = 78;
    const auto other = p.addDevice(smaller);
    const auto k = p.kernel("elsewhere");
    p.launch(k, {2112, 1, 1}, {256, 1, 1}).device(other).set(stallCounter("new_reason"), 1);
    const Profile profile = p.build();
    const auto groups = analyze(std::make_shared<const Profile>(profile));
    for (const auto& kernel : groups.kernels)
        if (kernel.group.device == 0) CHECK(kernel.verdict.reason.stall == "wait");
}
