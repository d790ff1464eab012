// SPDX-License-Identifier: Apache-2.0
// What a joint bound counts, and what it says it does not count.
#include "analyzer/diagnosis/joint_gain.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/program/program.h"
#include "analyzer/roofline/resources.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

/// The longest kernel of a rung.
const KernelAnalysis& rung(std::string_view name) {
    const KernelAnalysis* longest = nullptr;
    for (const KernelAnalysis& kernel : test::recorded("h200_bundled").kernels)
        if (kernel.range.starts_with(name) &&
            (!longest || kernel.quantities.duration.median > longest->quantities.duration.median))
            longest = &kernel;
    REQUIRE(longest);
    return *longest;
}

using Beyond = std::vector<BeyondJoint>;

}  // namespace

TEST_CASE("a joint bound counts neither fusing nor smaller types that no finding proposes") {
    CHECK(beyondJoint(rung("matmul/tiled_shared/")) ==
          Beyond{BeyondJoint::Fusing, BeyondJoint::DataTypes});
    CHECK(beyondJoint(rung("matmul/register_tiled_vec4/")) == Beyond{BeyondJoint::Fusing});
    CHECK(beyondJoint(rung("gelu/unfused/")) ==
          Beyond{BeyondJoint::MoreFusing, BeyondJoint::DataTypes});
}

TEST_CASE("smaller types that a finding proposes are in its joint bound with half of the bytes") {
    const KernelAnalysis& kernel = rung("matmul/register_tiled_vec4/");
    // FP32 takes 77 % of 3.17 ms: 1/32 of its multiply-adds stays, and half of the DRAM time.
    const double time = kernel.quantities.duration.median.value;
    const double dram = resourcesOf(kernel.quantities).busy(ResourceId::Dram);
    CHECK(kernel.jointGain->value >= time * (1 - std::max(dram / 2, 0.77 / 32) - 0.001));
    CHECK(kernel.jointGain->value < time);
}

TEST_CASE("fused, what stays is the arithmetic: a sum for each pipe, of which the busiest counts") {
    ArithmeticLeft left{.fp64 = {}, .fp32 = Seconds{3e-6}, .fp16 = {}, .tensor = {}};
    left.add({.fp64 = {}, .fp32 = {}, .fp16 = {}, .tensor = Seconds{4e-6}}, 2);
    CHECK(left.busiest().value == Approx(8e-6));
    left.add({.fp64 = {}, .fp32 = Seconds{6e-6}, .fp16 = {}, .tensor = {}});
    CHECK(left.busiest().value == Approx(9e-6));
}

TEST_CASE("not even fused kernels go below the fused floor, which is no higher than the other") {
    const Analysis& analysis = test::recorded("h200_compare");
    const Program program = analyzeProgram(analysis);
    REQUIRE(program.floor);
    REQUIRE(program.fusedFloor);
    CHECK(*program.fusedFloor < *program.floor);
    double fp32 = 0;
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i)
        fp32 += arithmeticLeft(analysis.kernels[i]).fp32.value * program.kernels[i].perWindow;
    CHECK(fp32 > 0);
    CHECK(program.fusedFloor->value >= fp32 * (1 - 1e-9));
}
