// SPDX-License-Identifier: Apache-2.0
// Launches of one name and shape that do very different work are not averaged.
#include "analyzer/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

Analysis analysisOf(const SyntheticProfile& p) {
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
    const Analysis analysis = analysisOf(p);
    REQUIRE(analysis.kernels.size() == 2);
    CHECK(analysis.kernels[0].quantities.duration.median.value == Approx(67e-6));
    CHECK(analysis.kernels[0].quantities.dramRead->value == 67.0 * (1 << 20));
    CHECK(analysis.kernels[0].group.workClass == 1);
    CHECK(analysis.kernels[1].quantities.duration.median.value == Approx(2e-6));
    CHECK(analysis.kernels[1].group.launches == std::vector<std::uint32_t>{0, 2});
    CHECK(analysis.kernels[0].name.find("0.67 M instructions") != std::string::npos);
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
        CHECK(analysisOf(p).kernels.size() == 1);
    }
}
