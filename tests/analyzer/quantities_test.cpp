// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

TEST_CASE("traffic, rates and roofs of a copy") {
    SyntheticProfile p(testDevice());
    copy(p, "copy", 268435456, 16, 123.776);
    const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == 1);
    const Quantities& q = analysis.kernels[0].quantities;
    CHECK(q.bytes[Level::Dram]->value == 2 * 268435456.0);
    CHECK(q.bytes[Level::L2]->value == 2 * 268435456.0);
    CHECK(q.bytes[Level::L1]->value == 2 * 268435456.0);
    CHECK(q.bytes[Level::Shared]->value == 0.0);
    CHECK(q.bandwidth[Level::Dram]->value == Approx(4.3374e12).epsilon(1e-4));
    CHECK(q.utilisation[Level::Dram]->value == Approx(4.3374e12 / (1504 * 3.2e9)).epsilon(1e-4));
    CHECK(q.dramAttainable->value == Approx(0.885));
    CHECK(q.loads.efficiency->value == 1.0);
    CHECK(q.flops[Precision::Fp32]->value == 0.0);
    CHECK(q.intensity[Precision::Fp32][Level::Shared].notApplicable());  // 0/0
    CHECK(q.shared.excessCertain.notApplicable());
    CHECK(analysis.kernels[0].points.empty());
    CHECK_FALSE(q.duration.unprofiled());
    CHECK(q.smClock->value == Approx(1.755e9));

    bool found = false;
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Bandwidth && roof.level == Level::Dram) {
            found = true;
            CHECK(roof.rate == Approx(4.8128e12));
            CHECK_FALSE(roof.measured);
        }
    CHECK(found);
}

TEST_CASE("operations, intensity and dots of an FMA kernel") {
    SyntheticProfile p(testDevice());
    idle(p, "ffma", {2112, 1, 1}, {256, 1, 1}, 300)
        .set(kFp32Fma, 1e9)
        .set(kFp32Add, 1e8)
        .set("dram__bytes_read.sum", 1e6)
        .set("dram__bytes_write.sum", 1e6);
    const auto kernel = analyzeOne(p);
    const Quantities& q = kernel.quantities;
    CHECK(q.flops[Precision::Fp32]->value == 2.1e9);
    CHECK(q.flopRate[Precision::Fp32]->value == Approx(2.1e9 / 300e-6));
    CHECK(q.intensity[Precision::Fp32][Level::Dram]->value == Approx(1050.0));
    CHECK(q.fusedShare[Precision::Fp32]->value == Approx(1 / 1.1));
    REQUIRE(kernel.points.size() == 1);  // no traffic at the other levels, so no points there
    CHECK(kernel.points[0].level == Level::Dram);
    CHECK(kernel.points[0].precision == Precision::Fp32);
}

TEST_CASE("a few FP16 conversions make no FP16 dot") {
    SyntheticProfile p(testDevice());
    idle(p, "store", {2112, 1, 1}, {256, 1, 1}, 300)
        .set(kFp16Fma, 2.5e5)
        .set("dram__bytes_write.sum", 1e6);
    CHECK(analyzeOne(p).points.empty());
}

TEST_CASE("a kernel on tensor cores has no FP32 dot") {
    SyntheticProfile p(testDevice());
    idle(p, "gemm", {2112, 1, 1}, {256, 1, 1}, 300)
        .set(kFp32Fma, 1e6)
        .set(kTensorPipe, 90.2)
        .set("dram__bytes_read.sum", 1e8);
    const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
    CHECK(analysis.kernels[0].points.empty());
    CHECK(analysis.notes.size() == 1);
}

TEST_CASE("missing counters are missing, and dropped launches do not poison sums") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    // Three launches: complete; without DRAM writes; without any counter.
    p.launch(k, {1000, 1, 1}, {256, 1, 1})
        .counterDurationUs(10)
        .set("dram__bytes_read.sum", 100)
        .set("dram__bytes_write.sum", 50);
    p.launch(k, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(10).set("dram__bytes_read.sum", 9e9);
    p.launch(k, {1000, 1, 1}, {256, 1, 1});
    const auto kernel = analyzeOne(p);
    const Quantities& q = kernel.quantities;
    CHECK(q.bytes[Level::Dram]->value == 150.0);
    CHECK(q.bandwidth[Level::Dram]->value == Approx(150 / 10e-6));
    CHECK(q.duration.count == 2);
    CHECK_FALSE(q.loads.efficiency.has());
    CHECK_FALSE(q.loads.efficiency.notApplicable());
    CHECK(q.loads.efficiency.missing.find("sectors") != std::string::npos);
    CHECK_FALSE(q.tensorUtilisation.has());
    CHECK(kernel.verdict.cls == VerdictClass::Unknown);
    CHECK(kernel.verdict.reason.missing.find(std::string(kTensorPipe)) != std::string::npos);
}

TEST_CASE("asynchronous copies are loads, from what the totals have beside stores") {
    // Measured on a product of 4096 × 4096 bf16 matrices with cp.async.
    SyntheticProfile p(testDevice());
    idle(p, "k", {16, 32, 1}, {256, 1, 1}, 333)
        .set(kAsyncCopies, 3145728)
        .set("smsp__sass_data_bytes_mem_global.sum", 1678245888)
        .set(kGlobalSectors, 52985856)
        .set(kGlobalStoreBytes, 33554432)
        .set(kGlobalStoreSectors, 1048576)
        .set(kGlobalStores, 65536);
    const auto q = analyzeOne(p).quantities;
    CHECK(q.loads.requested->value == 1644691456.0);
    CHECK(*q.loads.sectors == 51937280.0);
    CHECK(*q.loads.requests == 3145728.0);
    CHECK(q.stores.efficiency->value == 1.0);
}

TEST_CASE("generic loads of another block's shared memory are no global traffic") {
    // Measured: the bytes count as global loads, the sectors do not.
    SyntheticProfile p(testDevice());
    idle(p, "k", {4224, 1, 1}, {256, 1, 1}, 20)
        .set(kGlobalLoadBytes, 21626880)
        .set(kGlobalLoadSectors, 135168)
        .set(kGlobalLoads, 33792);
    const auto q = analyzeOne(p).quantities;
    CHECK(q.loads.requested->value == 32.0 * 135168);
    CHECK(q.loads.efficiency->value == 1.0);
}

TEST_CASE("ratios are ratios of sums") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    for (const double scale : {1.0, 3.0})
        p.launch(k, {1000, 1, 1}, {256, 1, 1})
            .counterDurationUs(10 * scale)
            .set(kGlobalLoadBytes, scale == 1.0 ? 3200 : 0)
            .set(kGlobalLoadSectors, 100 * scale)
            .set(kGlobalLoads, 10)
            .set(kAsyncCopies, 0)
            .set(kTensorPipe, scale == 1.0 ? 100 : 0);
    const auto kernel = analyzeOne(p);
    const Quantities& q = kernel.quantities;
    CHECK(q.loads.efficiency->value == 0.25);           // 3200 / (32 · 400), not (1 + 0) / 2
    CHECK(q.tensorUtilisation->value == Approx(0.25));  // weighted with the duration
    CHECK(*q.loads.sectors == 200.0);                   // mean per launch
}

TEST_CASE("groups of counters that took turns: means over the launches that have each") {
    // Two launches have hardware counters, three instrumented ones; one of these does other work.
    SyntheticProfile p(testDevice());
    const auto isInstrumented = [](std::string_view name) {
        return name.find("__sass_") != name.npos;
    };
    for (int i = 0; i < 5; ++i) copy(p, "copy", i == 4 ? 536870912 : 268435456, 16, 123.776);
    Profile profile = p.build();
    for (Launch& launch : profile.launches) {  // the same, as far as the profile tells
        launch.kernel = 0;
        launch.grid = profile.launches.front().grid;
    }
    profile.capture.strategy = "multiplex";
    for (const std::string& name : profile.counters.names())
        for (std::size_t row = 0; row < 5; ++row)
            if (isInstrumented(name) != (row >= 2)) profile.counters.set(name, row, std::nan(""));
    for (Launch& launch : profile.launches) launch.duration = Seconds{100e-6};
    const auto analysis = analyze(std::make_shared<const Profile>(profile));
    REQUIRE(analysis.kernels.size() == 1);
    const Quantities& q = analysis.kernels[0].quantities;
    REQUIRE(q.averagedOver);
    CHECK(q.averagedOver->first == 2);
    CHECK(q.averagedOver->second == 3);
    CHECK(q.bytes[Level::Dram]->value == 2 * 268435456.0);
    // The mean of the instrumented launches is a third larger.
    CHECK(q.loads.requested->value == Approx(268435456.0 * 4 / 3));
    CHECK(q.bandwidth[Level::Dram]->value == Approx(2 * 268435456.0 / 123.776e-6));

    // A rate and its weight are in different groups: a plain mean.
    CHECK(q.occupancy.achieved.has());
    const auto column = profile.counters.column(kSmCyclesActiveAvg);
    const std::vector<double> before = column.all();
    for (std::size_t row = 0; row < 5; ++row)
        profile.counters.set(kSmCyclesActiveAvg, row, row >= 2 ? before[0] : std::nan(""));
    const auto apart = analyze(std::make_shared<const Profile>(profile));
    REQUIRE(apart.kernels[0].quantities.occupancy.achieved.has());
    REQUIRE(apart.kernels[0].quantities.issueUtilisation.has());
    CHECK(apart.kernels[0].quantities.issueUtilisation->value == Approx(q.issueUtilisation->value));
    CHECK(apart.kernels[0].quantities.occupancy.achieved->value ==
          Approx(q.occupancy.achieved->value));

    profile.capture.strategy = "application";
    CHECK_FALSE(
        analyze(std::make_shared<const Profile>(profile)).kernels[0].quantities.averagedOver);
}

TEST_CASE("the unprofiled duration is shown, rates and shares keep the counter run's time") {
    SyntheticProfile p(testDevice());
    copy(p, "copy", 268435456, 16, 130).durationUs(120);
    const auto kernel = analyzeOne(p);
    const Quantities& q = kernel.quantities;
    CHECK(q.duration.unprofiled());
    CHECK(q.duration.median.value == Approx(120e-6));
    CHECK(q.bandwidth[Level::Dram]->value == Approx(536870912 / 130e-6));
    CHECK(q.utilisation[Level::Dram]->value == Approx(536870912 / 130e-6 / 4.8128e12));
}

TEST_CASE(
    "the L2 is as busy as its busier way, and its bytes are missing where not all is counted") {
    const double cycles = 100e-6 * SyntheticProfile::kL2ClockHz;
    const auto with = [&](double local, double atomics, double arrivals) {
        SyntheticProfile p(testDevice());
        copy(p, "copy", 1e8, 16, 100)
            .set(kLocalSectors, local)
            .set(kGlobalSectors, 2e8 / 32 + atomics)
            .set(kL2Arrivals, arrivals);
        return analyzeOne(p).quantities;
    };
    // With no other traffic, what arrives is the stores.
    const Quantities plain = with(0, 0, 0);
    CHECK(plain.utilisation[Level::L2]->value == Approx(1e8 / 32 / (188 * cycles)));
    CHECK(plain.bytes[Level::L2]->value == Approx(2e8));
    const Quantities spilled = with(5e6, 0, 1e7);
    // A slice accepts one sector a cycle but returns two.
    CHECK(spilled.utilisation[Level::L2]->value == Approx(1e7 / (94 * cycles)));
    CHECK(spilled.bytes[Level::L2].missing == "l2_bytes_write");
    CHECK_FALSE(spilled.bandwidth[Level::L2].has());
    CHECK_FALSE(spilled.intensity[Precision::Fp32][Level::L2].has());
    CHECK(spilled.l2Counted->value == Approx(2e8));
    CHECK_FALSE(with(0, 1e7, 2e7).bytes[Level::L2].has());
    // Few of them do not matter.
    CHECK(with(1e5, 1e5, 2e7).bytes[Level::L2].has());
}

TEST_CASE("groups: kernel, shape and range part launches; longest first") {
    SyntheticProfile p(testDevice());
    const auto a = p.kernel("void a<float>(int)"), b = p.kernel("b");
    p.launch(a, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(10);
    p.launch(b, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(50);
    p.launch(a, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(20);
    p.launch(a, {2000, 1, 1}, {256, 1, 1}).counterDurationUs(5);
    p.launch(a, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(1).range("step");
    p.launch(a, {1000, 1, 1}, {256, 1, 1}).counterDurationUs(2).dynamicSharedBytes(64);
    const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == 5);
    CHECK(analysis.kernels[0].name == "b");
    CHECK(analysis.kernels[1].name == "a<float> [grid 1000, shared 0 B]");
    CHECK(analysis.kernels[1].group.launches == std::vector<std::uint32_t>{0, 2});
    CHECK(analysis.kernels[1].quantities.duration.median.value == Approx(15e-6));
    CHECK(analysis.kernels[0].timeShare->value == Approx(50.0 / 88));
    CHECK(analysis.kernels[4].range == "step");
}

TEST_CASE("roofs use the highest clock of the device, utilisation each kernel's own") {
    SyntheticProfile p(testDevice());
    copy(p, "fast", 268435456, 16, 248);
    auto slow = copy(p, "slow", 268435456, 16, 248);
    slow.set("dram__cycles_elapsed.avg.per_second", 1.6e9);
    const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Bandwidth && roof.level == Level::Dram)
            CHECK(roof.rate == Approx(1504 * 3.2e9));
    for (const auto& kernel : analysis.kernels)
        CHECK(kernel.quantities.utilisation[Level::Dram]->value ==
              Approx(536870912 / 248e-6 / (1504 * (kernel.name == "slow" ? 1.6e9 : 3.2e9))));
}

TEST_CASE("an unknown chip loses its table, not the analysis") {
    Device device = testDevice();
    device.chip = "XX999";
    device.computeMajor = 99;
    SyntheticProfile p(device);
    copy(p, "copy", 268435456, 16, 124);
    const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == 1);
    CHECK_FALSE(analysis.notes.empty());
    CHECK(analysis.roofs.empty());
    CHECK_FALSE(analysis.kernels[0].quantities.bytes[Level::Dram].has());
    CHECK(analysis.kernels[0].quantities.loads.efficiency->value == 1.0);
}

TEST_CASE("broken indices and an empty profile are survived") {
    CHECK(analyze(nullptr).kernels.empty());
    CHECK(analyze(std::make_shared<const Profile>()).kernels.empty());
    SyntheticProfile p(testDevice());
    p.launch(7, {1, 1, 1}, {1, 1, 1});
    CHECK(analyze(std::make_shared<const Profile>(p.build())).kernels.empty());
}

TEST_CASE("100,000 launches are analysed quickly") {
    SyntheticProfile p(testDevice());
    copy(p, "copy", 268435456, 16, 124);
    Profile profile = p.build();
    constexpr std::size_t kLaunches = 100000;
    const auto first = profile.launches.front();
    profile.launches.assign(kLaunches, first);
    for (std::size_t i = 0; i < kLaunches; ++i)
        profile.launches[i].grid.x = 1000 + static_cast<std::uint32_t>(i % 40);
    CounterTable counters(kLaunches);
    for (const auto& name : profile.counters.names())
        counters.addColumn(name, std::vector<double>(kLaunches, *profile.counters.value(name, 0)));
    profile.counters = counters;
    const auto shared = std::make_shared<const Profile>(std::move(profile));
    const auto start = std::chrono::steady_clock::now();
    const auto analysis = analyze(shared);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    CHECK(analysis.kernels.size() == 40);
    // A generous limit for sanitizers and busy machines; usually about 0.1 s.
    CHECK(std::chrono::duration<double>(elapsed).count() < 3.0);
}

TEST_CASE("values beyond what a GPU can do are dropped and decide nothing") {
    for (const double factor : {1.0, 1000.0}) {
        SyntheticProfile p(testDevice());
        copy(p, "copy", 268435456 * factor, 16, 123.776);
        const auto analysis = analyze(std::make_shared<const Profile>(p.build()));
        REQUIRE(analysis.kernels.size() == 1);
        const KernelAnalysis& kernel = analysis.kernels[0];
        const bool possible = factor == 1;
        CHECK(kernel.quantities.utilisation[Level::Dram].has() == possible);
        CHECK(kernel.quantities.bandwidth[Level::Dram].has() == possible);
        CHECK((kernel.verdict.limiter == ResourceId::Dram) == possible);
        if (!possible) CHECK(kernel.verdict.confidence != Confidence::High);
        const auto says = [](const Words& note) {
            return note.in(Language::En).find("beyond 105 %") != std::string::npos;
        };
        CHECK(std::ranges::any_of(analysis.notes, says) == !possible);
    }
}

TEST_CASE("a minimum above the maximum is not reported as imbalance") {
    SyntheticProfile p(testDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 300)
        .set(kSmCyclesActiveMax, 100)
        .set(kSmCyclesActiveMin, 75'700);
    CHECK_FALSE(analyzeOne(p).quantities.smImbalance.has());
}
