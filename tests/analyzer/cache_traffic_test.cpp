// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/cache_traffic.h"

#include "analyzer/counters/counter_names.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kL1HitRate = "l1tex__t_sector_hit_rate.pct";

CacheTraffic trafficOf(const SyntheticProfile& p) {
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    const auto chip = chipTable("GH100");
    REQUIRE(chip.ok());
    return cacheTraffic(*analysis.profile, analysis.kernels.front().group, &*chip);
}

}  // namespace

TEST_CASE("traffic of the L2 by direction is a mean per launch") {
    SyntheticProfile p;
    const auto kernel = p.kernel("copy(float*)");
    for (const double scale : {1.0, 3.0})
        p.launch(kernel, {1024, 1, 1}, {256, 1, 1})
            .set("lts__lts2xbar_cycles_active.sum", 1000 * scale)
            .set(counter::kGlobalStoreSectors, 500 * scale)
            .set("lts__t_sectors_op_read.sum", 1100 * scale)
            .set(counter::kL2WriteSectors, 600 * scale)
            .counterDurationUs(10);
    const CacheTraffic traffic = trafficOf(p);
    REQUIRE(traffic.l2Read.has());
    CHECK(traffic.l2Read->value == Approx(32 * 2000));  // 32 B per sector, mean of 1000 and 3000
    CHECK(traffic.l2Write->value == Approx(32 * 1000));
    CHECK(*traffic.l2ReadSectors == Approx(2200));
    CHECK(*traffic.l2WriteSectors == Approx(1200));
    CHECK_FALSE(traffic.bulkRead.has());
    CHECK(traffic.bulkRead.missing == "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum");
}

TEST_CASE("hit rates of several launches are ratios of sums") {
    SyntheticProfile p;
    const auto kernel = p.kernel("gather(float*)");
    const auto launch = [&](double sectors, double percent) {
        return p.launch(kernel, {1024, 1, 1}, {256, 1, 1})
            .set("lts__t_sectors_op_read.sum", 0.75 * sectors)
            .set(counter::kL2WriteSectors, 0.25 * sectors)
            .set(counter::kL2HitRate, percent)
            .counterDurationUs(10);
    };
    launch(1000, 90);
    launch(3000, 10);
    const CacheTraffic traffic = trafficOf(p);
    REQUIRE(traffic.l2HitRate.has());
    CHECK(traffic.l2HitRate->value == Approx(0.3));  // (900 + 300) / 4000; the mean would be 0.5
    CHECK_FALSE(traffic.l1HitRate.has());
    CHECK(traffic.l1HitRate.missing == kL1HitRate);
}

TEST_CASE("one launch needs no weight, two without weights have no common hit rate") {
    SyntheticProfile one;
    const auto kernel = one.kernel("gather(float*)");
    one.launch(kernel, {8, 1, 1}, {64, 1, 1}).set(counter::kL2HitRate, 62.5).counterDurationUs(10);
    CHECK(trafficOf(one).l2HitRate->value == Approx(0.625));
    one.launch(kernel, {8, 1, 1}, {64, 1, 1}).set(counter::kL2HitRate, 12.5).counterDurationUs(10);
    const CacheTraffic two = trafficOf(one);
    CHECK_FALSE(two.l2HitRate.has());
    CHECK_FALSE(two.l2HitRate.missing.empty());
}

TEST_CASE("without accesses a hit rate does not apply") {
    SyntheticProfile p;
    p.launch(p.kernel("nothing()"), {8, 1, 1}, {64, 1, 1})
        .set(kL1HitRate, 0)
        .set(counter::kGlobalSectors, 0)
        .set(counter::kLocalSectors, 0)
        .counterDurationUs(10);
    CHECK(trafficOf(p).l1HitRate.notApplicable());
}

TEST_CASE("an unknown chip has no sums") {
    SyntheticProfile p;
    p.launch(p.kernel("copy(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    const Profile profile = p.build();
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    const CacheTraffic traffic = cacheTraffic(profile, analysis.kernels.front().group, nullptr);
    CHECK_FALSE(traffic.l2Read.has());
    CHECK_FALSE(traffic.l2Read.missing.empty());
}
