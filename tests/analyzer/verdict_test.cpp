// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "analyzer/launches/grouping.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {
constexpr double kMicroseconds = 100;
const double kCycles = kMicroseconds * 1e-6 * SyntheticProfile::kSmClockHz;

/// A kernel with these shares of the FP32 pipe and of the attainable DRAM read bandwidth.
KernelAnalysis with(double fp32, double dramRead, double issue = 0) {
    SyntheticProfile p(testDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kMicroseconds)
        .set(kFp32Fma, fp32 * 16896 * kCycles)
        .set("dram__bytes_read.sum", dramRead * 0.938 * 1504 * 3.2e9 * kMicroseconds * 1e-6)
        .set(kIssueActive, issue * 100);
    return analyzeOne(p);
}
}  // namespace

TEST_CASE("verdict classes and their order") {
    CHECK(with(0.01, 0.95).verdict.cls == VerdictClass::NearRoof);
    CHECK(with(0.01, 0.95).verdict.limiter == ResourceId::Dram);
    CHECK(with(0.95, 0.01).verdict.limiter == ResourceId::Fp32);
    CHECK(with(0.95, 0.01).verdict.cls == VerdictClass::NearRoof);
    CHECK(with(0.40, 0.70).verdict.cls == VerdictClass::MemoryBound);
    CHECK(with(0.70, 0.40).verdict.cls == VerdictClass::ComputeBound);
    CHECK(with(0.70, 0.65).verdict.cls == VerdictClass::Balanced);
    CHECK(with(0.30, 0.55).verdict.cls == VerdictClass::LatencyBound);
    CHECK(with(0.58, 0.63).verdict.cls == VerdictClass::MemoryBound);
    CHECK(with(0.10, 0.10, 0.90).verdict.limiter == ResourceId::Issue);
    CHECK(with(0.70, 0.10, 0.90).verdict.limiter == ResourceId::Fp32);
}

TEST_CASE("busy issue slots limit a kernel whose functions take few of them") {
    const auto limiter = [](double special, double issue) {
        SyntheticProfile p(testDevice());
        idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kMicroseconds)
            .set(kSpecialFunctionPipe, special)
            .set(kIssueActive, issue);
        return analyzeOne(p).verdict.limiter;
    };
    CHECK(limiter(62, 89) == ResourceId::Issue);
    CHECK(limiter(62, 65) == ResourceId::SpecialFunction);
}

TEST_CASE("beside instruction issue stands what is busier, a pipe or the memory") {
    CHECK(with(0.50, 0.10, 0.75).verdict.reason.second->id == ResourceId::Fp32);
    CHECK(with(0.10, 0.30, 0.75).verdict.reason.second->id == ResourceId::Dram);
}

TEST_CASE("instruction issue is a share of the time that passes, as all others are") {
    SyntheticProfile p(testDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kMicroseconds)
        .set(kIssueActive, 90)
        .set(kSmCyclesActiveAvg, kCycles / 2);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.quantities.issueUtilisation->value == Approx(0.45));
    CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
}

TEST_CASE("headroom is the distance to the busiest resource's roof") {
    const auto verdict = with(0.1, 0.5).verdict;
    CHECK(verdict.headroom->value == Approx(50e-6));
    CHECK(*verdict.speedupBound == Approx(2.0));
    CHECK(verdict.reason.busyFrom.value == Approx(0.6));
    CHECK(verdict.reason.stall.empty());
    CHECK(with(0.1, 1.02).verdict.headroom->value == 0.0);
}

TEST_CASE("DRAM is judged against what the kernel's mix can attain") {
    CHECK(with(0, 0.9).verdict.utilisation->value == Approx(0.9));
    SyntheticProfile p(testDevice());
    copy(p, "copy", 268435456, 16, 123.776);  // 0.90 of theoretical
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    // More than an H200 reached with this mix: the measured value becomes the attainable one.
    CHECK(kernel.verdict.utilisation->value == Approx(1.0));
    CHECK(kernel.verdict.headroom->value == 0.0);
    CHECK(kernel.findings.empty());
}

TEST_CASE("lower clocks in the program do not hide what limits a kernel") {
    const auto verdictWith = [](std::uint32_t throttled, double inProgram, double tensor) {
        SyntheticProfile p(testDevice());
        idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100).set(kTensorPipe, tensor).durationUs(inProgram);
        p.profile().devices[0].observed = ObservedClocks{.samples = 10,
                                                         .smLowest = Hertz{1.4e9},
                                                         .smHighest = Hertz{1.98e9},
                                                         .throttledSamples = throttled,
                                                         .throttledBy = {"power cap"}};
        return analyzeOne(p).verdict;
    };
    const Verdict capped = verdictWith(9, 131, 85);
    CHECK(capped.cls == VerdictClass::NearRoof);
    CHECK(capped.limiter == ResourceId::Tensor);
    CHECK(capped.reason.clocksLowered);
    CHECK(capped.reason.whileCounted->value * 1e6 == Approx(100));
    CHECK(verdictWith(9, 170, 85).cls == VerdictClass::Unknown);  // more than clocks explain
    CHECK(verdictWith(2, 131, 85).cls == VerdictClass::Unknown);  // seldom throttled
    CHECK(verdictWith(9, 131, 30).cls == VerdictClass::Unknown);  // nothing runs at that clock
    CHECK_FALSE(verdictWith(9, 101, 85).reason.clocksLowered);
}

TEST_CASE("underfilled comes before everything else, where a tenth of the SMs is idle or more") {
    SyntheticProfile p(testDevice());
    idle(p, "k", {64, 1, 1}, {128, 1, 1}, 10);
    const auto verdict = analyzeOne(p).verdict;
    CHECK(verdict.cls == VerdictClass::Underfilled);
    CHECK(verdict.reason.blocks == 64);
    CHECK(verdict.reason.sms == 132);

    // A few idle SMs do not make the grid the limiter.
    SyntheticProfile nearly(testDevice());
    idle(nearly, "k", {119, 1, 1}, {128, 1, 1}, 100).set(kTensorPipe, 85);
    CHECK(analyzeOne(nearly).verdict.limiter == ResourceId::Tensor);
    SyntheticProfile few(testDevice());
    idle(few, "k", {118, 1, 1}, {128, 1, 1}, 100).set(kTensorPipe, 85);
    CHECK(analyzeOne(few).verdict.cls == VerdictClass::Underfilled);

    SyntheticProfile q(testDevice());
    idle(q, "gemm", {128, 1, 1}, {384, 1, 1}, 100).set(kTensorPipe, 85).cluster({2, 1, 1});
    CHECK(analyzeOne(q).verdict.limiter == ResourceId::Tensor);
}

TEST_CASE("the data stage is the shared pipe only when shared accesses dominate it") {
    SyntheticProfile p(testDevice());
    transpose(p, false);
    CHECK(analyzeOne(p).verdict.limiter == ResourceId::SharedPipe);
    SyntheticProfile q(testDevice());
    idle(q, "gather", {2112, 1, 1}, {256, 1, 1}, 100).set(kLsuPipe, 90).set(kLsuWavefronts, 1e7);
    CHECK(analyzeOne(q).verdict.limiter == ResourceId::L1DataPipe);
}

TEST_CASE("in a library's product, the tensor pipe says more than the stage that feeds it") {
    const auto limiter = [](const char* name, double tensor, double stage) {
        SyntheticProfile p(testDevice());
        idle(p, name, {2112, 1, 1}, {256, 1, 1}, 1600)
            .set(kTensorPipe, tensor)
            .set(kLsuPipe, stage)
            .set(kLsuWavefronts, 2.8e8);
        return analyzeOne(p).verdict.limiter;
    };
    constexpr const char* kProduct = "nvjet_sm90_tst_320x128_64x3_1x2_h_bx_coopB_NNT";
    CHECK(limiter(kProduct, 88, 91) == ResourceId::Tensor);
    CHECK(limiter(kProduct, 74, 78) == ResourceId::Tensor);
    CHECK(limiter(kProduct, 74, 82) == ResourceId::L1DataPipe);  // not near its roof
    CHECK(limiter(kProduct, 62, 78) == ResourceId::L1DataPipe);
    CHECK(limiter("my_product", 88, 91) == ResourceId::L1DataPipe);
}

TEST_CASE("a verdict that needs a missing counter is unknown, one that does not is kept") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    p.launch(k, {2112, 1, 1}, {256, 1, 1})
        .counterDurationUs(100)
        .set("dram__bytes_read.sum", 0.9 * 4.8128e8)
        .set("dram__bytes_write.sum", 0);
    const auto known = analyzeOne(p).verdict;
    CHECK(known.cls == VerdictClass::NearRoof);
    CHECK(known.confidence == Confidence::Low);
}

TEST_CASE("a launch that does nothing has no headroom") {
    SyntheticProfile p(testDevice());
    idle(p, "empty", {1000, 1, 1}, {32, 1, 1}, 1.9);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.headroom->value == 0.0);
    CHECK(*kernel.verdict.speedupBound == 1.0);
    CHECK(kernel.findings.empty());
}

TEST_CASE("kernels that wait for other GPUs are not judged") {
    SyntheticProfile p(testDevice());
    idle(p, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", {24, 1, 1},
         {640, 1, 1}, 505);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::WaitsForPeers);
    CHECK_FALSE(kernel.verdict.headroom.has());
    CHECK(kernel.findings.empty());  // 24 blocks on 132 SMs are intended here
    CHECK(kernel.cannotTell.empty());
}

TEST_CASE("launches on GPUs of one model are one group, on other models another") {
    SyntheticProfile p(testDevice());
    for (int i = 0; i < 3; ++i) idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100);
    Profile profile = p.build();
    for (Launch& launch : profile.launches) launch.kernel = 0;
    profile.devices.push_back(profile.devices[0]);
    profile.devices[1].uuid = "GPU-2";
    profile.devices.push_back(profile.devices[0]);
    profile.devices[2].smCount = 78;
    profile.launches[1].device = 1;
    profile.launches[2].device = 2;
    const auto analysis = analyze(std::make_shared<const Profile>(std::move(profile)));
    REQUIRE(analysis.kernels.size() == 2);
    CHECK(analysis.kernels[0].group.launches.size() + analysis.kernels[1].group.launches.size() ==
          3);
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const std::vector<std::uint32_t> two{0, 1}, other{2};
        CHECK(devicesOf(*analysis.profile, kernel.group) ==
              (kernel.group.launches.size() == 2 ? two : other));
    }
}
