// SPDX-License-Identifier: Apache-2.0
// mma-instead-of-wgmma: products by single warps on Hopper, and kernels that only look like them.
#include <tuple>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kMma = "mma-instead-of-wgmma";

/// A kernel that uses the tensor pipe for 64 % of its time, as matmul/tensor_core does.
LaunchRef mmaProduct(SyntheticProfile& p, double pipe = 64) {
    return idle(p, "product", {2112, 1, 1}, {256, 1, 1}, 330)
        .set(kTensorPipe, pipe)
        .set(kTensorFp64, 0);
}

}  // namespace

TEST_CASE("mma-instead-of-wgmma fires where Hopper's tensor pipe has products of warps only") {
    SyntheticProfile p(testDevice());
    mmaProduct(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kMma);
    REQUIRE(finding);
    // With wgmma the same products take the pipe 2/3 of the time, and its loop may fill the pipe.
    CHECK(finding->gainShare->value == Approx(1 - 0.64 * 2 / 3));
    CHECK_FALSE(finding->estimate);
    CHECK(finding->evidence.at(0).value == Approx(0.64));
    CHECK(finding->expected.at(0).counter.in(Language::En) == kSharedGmma);
    CHECK(findRule(kMma)->en.sentence.find("{pipe}") != std::string_view::npos);
    CHECK(finding->args.at(0).name == "pipe");
}

TEST_CASE("mma-instead-of-wgmma: a product that DRAM limits gains no more than DRAM lets it") {
    SyntheticProfile p(testDevice());
    mmaProduct(p).set("dram__bytes_read.sum", 0.9 * 4.8e12 * 330e-6);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kMma);
    REQUIRE((!finding || finding->gainShare->value < 0.15));
}

TEST_CASE("mma-instead-of-wgmma does not fire on wgmma, FP64, light use or other chips") {
    SyntheticProfile wgmma(testDevice());
    mmaProduct(wgmma).set(kSharedGmma, 1048576);
    CHECK(isRuledOut(analyzeOne(wgmma), kMma));

    SyntheticProfile twice(testDevice());  // FP64 products use the same pipe but have no wgmma
    mmaProduct(twice, 99).set(kTensorFp64, 1e9);
    CHECK_FALSE(find(analyzeOne(twice), kMma));
    CHECK_FALSE(isRuledOut(analyzeOne(twice), kMma));

    SyntheticProfile light(testDevice());
    mmaProduct(light, 40);
    CHECK_FALSE(find(analyzeOne(light), kMma));

    // Packed FP16 arithmetic runs on the same pipe.
    SyntheticProfile packed(testDevice());
    mmaProduct(packed).set(kFp16Fma, 0.64 * 132 * 256 * SyntheticProfile::kSmClockHz * 330e-6);
    CHECK_FALSE(find(analyzeOne(packed), kMma));

    // Nor on chips without wgmma or where it is unknown.
    for (const auto& [chip, major, minor] :
         {std::tuple{"GA100", 8, 0}, std::tuple{"GB100", 10, 0}, std::tuple{"GB202", 12, 0},
          std::tuple{"XX100", 9, 9}, std::tuple{"XX100", 0, 0}}) {
        INFO(chip << ' ' << major);
        Device other = testDevice();
        other.chip = chip;
        other.computeMajor = major;
        other.computeMinor = minor;
        SyntheticProfile p(other);
        mmaProduct(p);
        CHECK_FALSE(find(analyzeOne(p), kMma));
    }
}

TEST_CASE("mma-instead-of-wgmma: without the group tensor it cannot tell, FP64 looks the same") {
    SyntheticProfile p(testDevice());
    idle(p, "product", {2112, 1, 1}, {256, 1, 1}, 330).set(kTensorPipe, 64);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kMma));
    const CannotTell* cannot = unknown(kernel, kMma);
    REQUIRE(cannot);
    CHECK(cannot->missing.in(Language::En).find(kTensorFp64) != std::string::npos);
    // The joint bound counts its gain nonetheless.
    CHECK(kernel.jointGain->value == Approx((1 - 0.64 * 2 / 3) * 330e-6));
    // cuBLAS's names say that a product is one of doubles.
    SyntheticProfile doubles(testDevice());
    idle(doubles,
         "sm90_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize128x128x16_stage3_warpsize2x2x1_"
         "tensor16x8x8_execute_kernel__5x_cublas",
         {2112, 1, 1}, {256, 1, 1}, 330)
        .set(kTensorPipe, 64)
        .set(kSharedGmma, std::numeric_limits<double>::quiet_NaN());
    CHECK_FALSE(unknown(analyzeOne(doubles), kMma));
}
