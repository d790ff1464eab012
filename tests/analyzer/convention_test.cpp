// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "profile/codec/codec.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

Analysis analysisOf(const test::SyntheticProfile& p, Convention convention) {
    return analyze(std::make_shared<const Profile>(p.build()), {.convention = convention});
}

/// A copy of 2^26 bytes each way with one fused multiply-add per 4 bytes. The number of write-backs
/// is chosen so that no other formula gives the same result.
test::SyntheticProfile copyWithWriteBacks() {
    test::SyntheticProfile p(test::testDevice());
    test::copy(p, "copy(float*)", 1 << 26, 4, 40)
        .set("l1tex__lsu_writeback_active_mem_lgds.sum", 300000)
        .set(counter::kFp32Fma, (1 << 26) / 4);
    return p;
}

}  // namespace

TEST_CASE("L2 and L1 as Nsight Compute counts them") {
    const test::SyntheticProfile p = copyWithWriteBacks();
    const Analysis ours = analysisOf(p, Convention::Roofscope);
    const Analysis ncu = analysisOf(p, Convention::Ncu);
    const Quantities& a = ours.kernels[0].quantities;
    const Quantities& b = ncu.kernels[0].quantities;
    constexpr double kBytes = 1 << 26, kSeconds = 40e-6;

    // Our convention: bytes read plus bytes written.
    CHECK(a.bytes[Level::L2]->value == Approx(2 * kBytes));
    CHECK(a.bytes[Level::L1]->value == Approx(2 * kBytes));
    // ncu: only read returns, and 128 B per write-back.
    CHECK(b.bytes[Level::L2]->value == Approx(kBytes));
    CHECK(b.bytes[Level::L1]->value == Approx(128.0 * 300000));
    CHECK(b.bandwidth[Level::L2]->value == Approx(kBytes / kSeconds));
    CHECK(b.bandwidth[Level::L1]->value == Approx(128.0 * 300000 / kSeconds));
    CHECK(b.utilisation[Level::L2]->value ==
          Approx(kBytes / kSeconds / (188 * 32 * test::SyntheticProfile::kL2ClockHz)));
    const double flops = 2 * kBytes / 4;
    CHECK(b.intensity[Precision::Fp32][Level::L2]->value == Approx(flops / kBytes));
    CHECK(b.intensity[Precision::Fp32][Level::L1]->value == Approx(flops / (128.0 * 300000)));
    CHECK(b.bytes[Level::L1].how == "128 × l1tex__lsu_writeback_active_mem_lgds.sum");

    // Everything else is the same.
    for (const Level level : {Level::Dram, Level::Shared}) {
        CHECK(b.bytes[level]->value == a.bytes[level]->value);
        CHECK(b.utilisation[level]->value == a.utilisation[level]->value);
    }
    // The points move sideways only: the rate is the same.
    for (const RooflinePoint& point : ncu.kernels[0].points) {
        CHECK(point.rate.value == ours.kernels[0].points[0].rate.value);
        CHECK(point.intensity.value == b.intensity[Precision::Fp32][point.level]->value);
    }
    CHECK(ncu.kernels[0].points.size() == ours.kernels[0].points.size());
}

TEST_CASE("a convention changes what is shown, not what is concluded") {
    for (const char* sample : {"h200_bundled", "h200_torch_triton", "h200_lightning_shapes"}) {
        const Analysis& ours = test::recorded(sample);
        const Analysis ncu = analyze(ours.profile, {.convention = Convention::Ncu});
        REQUIRE(ours.kernels.size() == ncu.kernels.size());
        std::size_t differ = 0;
        for (std::size_t i = 0; i < ours.kernels.size(); ++i) {
            const KernelAnalysis &a = ours.kernels[i], &b = ncu.kernels[i];
            INFO(a.name);
            CHECK(a.name == b.name);
            CHECK(a.verdict.cls == b.verdict.cls);
            CHECK(a.verdict.reason == b.verdict.reason);
            REQUIRE(a.findings.size() == b.findings.size());
            for (std::size_t f = 0; f < a.findings.size(); ++f) {
                CHECK(a.findings[f].ruleId == b.findings[f].ruleId);
                CHECK(a.findings[f].gain.has() == b.findings[f].gain.has());
                if (a.findings[f].gain.has())
                    CHECK(a.findings[f].gain->value == b.findings[f].gain->value);
            }
            const auto &l2 = a.quantities.bytes[Level::L2], &l2ncu = b.quantities.bytes[Level::L2];
            if (!l2.has() || !l2ncu.has()) continue;
            // Reads alone are never more than reads and writes.
            CHECK(l2ncu->value <= l2->value);
            if (l2ncu->value < l2->value) ++differ;
        }
        CHECK(differ > 0);
    }
}

TEST_CASE("a convention is named, and its missing counters are missing") {
    const Analysis ours = analysisOf(copyWithWriteBacks(), Convention::Roofscope);
    CHECK(ours.convention == Convention::Roofscope);
    CHECK(ours.notes.empty());
    const Analysis ncu = analysisOf(copyWithWriteBacks(), Convention::Ncu);
    CHECK(ncu.convention == Convention::Ncu);
    REQUIRE(ncu.notes.size() == 1);
    CHECK(ncu.notes[0].in(Language::En).find("--convention ncu") != std::string::npos);

    test::SyntheticProfile p(test::testDevice());
    p.launch(p.kernel("k"), {1024, 1, 1}, {256, 1, 1})
        .counterDurationUs(10)
        .set("lts__lts2xbar_cycles_active.sum", 100);
    const Quantities q = analysisOf(p, Convention::Ncu).kernels[0].quantities;
    CHECK(q.bytes[Level::L2]->value == Approx(3200));
    CHECK_FALSE(q.bytes[Level::L1].has());
    CHECK(q.bytes[Level::L1].missing == "l1tex__lsu_writeback_active_mem_lgds.sum");

    CHECK(parseConvention("ncu") == Convention::Ncu);
    CHECK(parseConvention(toString(Convention::Roofscope)) == Convention::Roofscope);
    CHECK_FALSE(parseConvention("nsight").has_value());
}
