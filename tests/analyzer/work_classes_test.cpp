// SPDX-License-Identifier: Apache-2.0
// Launches of one name and shape that do very different work are not averaged.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

Analysis classified(const SyntheticProfile& p) {
    return analyze(std::make_shared<const Profile>(p.build()));
}

}  // namespace

TEST_CASE("launches whose work differs severalfold are kernels of their own") {
    SyntheticProfile p(testDevice());
    const auto kernel = p.kernel("persistent(float*)", 32);
    for (const double megabytes : {2.0, 67.0, 2.0, 67.0}) {
        auto launch = p.launch(kernel, {264, 1, 1}, {256, 1, 1});
        launch.counterDurationUs(megabytes)
            .set(counter::kWarpInstructions, 1e4 * megabytes)
            .set("dram__bytes_read.sum", megabytes * (1 << 20))
            .set("dram__bytes_write.sum", 0);
    }
    const Analysis analysis = classified(p);
    REQUIRE(analysis.kernels.size() == 2);
    CHECK(analysis.kernels[0].quantities.duration.median.value == Approx(67e-6));
    CHECK(analysis.kernels[0].quantities.dramRead->value == 67.0 * (1 << 20));
    CHECK(analysis.kernels[1].quantities.duration.median.value == Approx(2e-6));
    CHECK(analysis.kernels[1].group.launches == std::vector<std::uint32_t>{0, 2});
    CHECK(analysis.kernels[0].name.find("0.67 M instructions") != std::string::npos);
    CHECK(analysis.kernels[1].name.find("[20,000 instructions]") != std::string::npos);
}

TEST_CASE("launches whose work is alike, or not known of all, stay together") {
    for (const bool known : {true, false}) {
        SyntheticProfile p(testDevice());
        const auto kernel = p.kernel("k(float*)", 32);
        for (const double work : {1.0, 3.0, 9.0}) {
            auto launch = p.launch(kernel, {264, 1, 1}, {256, 1, 1});
            launch.counterDurationUs(10);
            if (known || work < 9) launch.set(counter::kWarpInstructions, 1e6 * work);
        }
        CHECK(classified(p).kernels.size() == 1);
    }
}

TEST_CASE("launches that were only timed join the class that takes as long") {
    // What few launches of each kernel were counted for; the slowest small one and the fastest
    // large one are not among them.
    for (const bool overlap : {false, true}) {
        SyntheticProfile p(testDevice());
        const auto kernel = p.kernel("persistent(float*)", 32);
        const auto launch = [&](double microseconds, double work) {
            auto row = p.launch(kernel, {264, 1, 1}, {256, 1, 1});
            row.durationUs(microseconds);
            if (work > 0) row.set(counter::kWarpInstructions, work);
        };
        launch(2.0, 2e4);
        launch(67.0, 6.7e5);
        launch(2.5, 0);
        launch(40.0, 0);
        if (overlap) launch(80.0, 2e4);  // a small one that waited: time tells nothing
        const Analysis analysis = classified(p);
        if (overlap) {
            CHECK(analysis.kernels.size() == 1);
            continue;
        }
        REQUIRE(analysis.kernels.size() == 2);
        CHECK(analysis.kernels[0].group.launches == std::vector<std::uint32_t>{1, 3});
        CHECK(analysis.kernels[1].group.launches == std::vector<std::uint32_t>{0, 2});
    }
}

TEST_CASE("launches whose times are not known stay with the others") {
    SyntheticProfile p(testDevice());
    const auto kernel = p.kernel("persistent(float*)", 32);
    for (const double work : {2e4, 6.7e5, 0.0}) {
        auto row = p.launch(kernel, {264, 1, 1}, {256, 1, 1});
        if (work > 0) row.counterDurationUs(work / 1e4).set(counter::kWarpInstructions, work);
    }
    CHECK(classified(p).kernels.size() == 1);
}
