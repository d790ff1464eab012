// SPDX-License-Identifier: Apache-2.0
// missing-tensor-core: matrix products on the FP32 pipe, and kernels that only look like them.
#include <limits>
#include <memory>
#include <utility>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/program/program.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "profile/trials/trial_results.h"
#include "tests/analyzer/kernels.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/placeholders.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRule = "missing-tensor-core";
/// Thread instructions per second of the FP32 pipe: 132 SMs · 128.
constexpr double kFp32Rate = 132.0 * 128 * SyntheticProfile::kSmClockHz;

/// Whether all placeholders of a text have an argument.
bool filled(std::string_view text, const std::vector<Arg>& args) {
    for (const std::string& name : placeholders(text)) {
        const auto same = [&](const Arg& arg) { return arg.name == name; };
        if (std::none_of(args.begin(), args.end(), same)) return false;
    }
    return true;
}

/// A product of n × n fp32 matrices with 128 × 128 elements per block and 64 × 32 per warp that
/// keeps the FP32 pipe busy for the share `busy` of its time.
LaunchRef product(SyntheticProfile& p, double n = 4096, double busy = 0.85) {
    const double multiplyAdds = n * n * n, seconds = multiplyAdds / (busy * kFp32Rate);
    const auto tiles = static_cast<std::uint32_t>(n / 128);
    auto launch = idle(p, "product", {tiles, tiles, 1}, {256, 1, 1}, seconds * 1e6);
    const double global = 2 * n * n * 4 * tiles;
    launch.set(kFp32Fma, multiplyAdds).set(kGlobalLoadBytes, global);
    launch.set(kGlobalLoadSectors, global / 32).set(kGlobalLoads, global / 512);
    launch.set("lts__lts2xbar_cycles_active.sum", global / 32);
    launch.set("dram__bytes_read.sum", 2 * n * n * 4).set("dram__bytes_write.sum", n * n * 4);
    // A warp's step along K: for 2048 multiply-adds 2 loads of 128 distinct bytes and 2 of 64.
    const double steps = multiplyAdds / 2048;
    launch.set(kSharedLoadBytes, 384 * steps).set(kSharedLoads, 4 * steps);
    launch.set(kSharedLoadWavefronts, 8 * steps).set(kWidth128, 4 * steps);
    return launch.set(kLsuPipe, 50).set(kLsuWavefronts, 8 * steps + global / 128);
}

KernelAnalysis analyzed(const auto& change) {
    SyntheticProfile p(testDevice());
    auto launch = product(p);
    change(launch);
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("missing-tensor-core fires on a product of matrices at the FP32 roof") {
    const auto kernel = analyzed([](LaunchRef&) {});
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(&kernel.findings.front() == finding);
    // The L2 is busy for 16 % of the time (4.3 GB in 2.73 ms, at 188 · 32 B per cycle). 16-bit
    // inputs halve that.
    const double l2 = 2.0 * 4096 * 4096 * 4 * 32 / (188 * 32 * SyntheticProfile::kL2ClockHz);
    CHECK(finding->gainShare->value ==
          Approx(1 - l2 / 2 / kernel.quantities.duration.median.value));
    CHECK(finding->gainShare->value == Approx(0.919).epsilon(0.001));
    const RuleText& text = findRule(kRule)->en;
    CHECK(filled(text.sentence, finding->args));
    CHECK(filled(text.mechanism, finding->args));
    CHECK(filled(text.edit, finding->args));
    CHECK(finding->evidence[0].value == 0.0);
    CHECK(finding->evidence[3].value == Approx(0.1875));  // 384 bytes per 2048 multiply-adds
    CHECK(finding->evidence[4].value == Approx(0.0625));  // 2 · 128 · 4 bytes per 128 · 128
    CHECK(finding->expected[0].counter.in(Language::En) == kFp32Fma);
    CHECK(finding->expected[0].from == Approx(4096.0 * 4096 * 4096));
    CHECK(finding->expected[0].to == 0.0);
}

TEST_CASE("missing-tensor-core: a library's kernel is told how, not rewritten") {
    const auto how = [](const char* name) {
        SyntheticProfile p(testDevice());
        product(p);
        p.profile().kernels.back().name = p.profile().kernels.back().symbol = name;
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kRule);
        REQUIRE(finding);
        if (!finding->edit.empty()) return finding->edit.in(Language::En);
        for (const Arg& argument : finding->args)
            if (argument.name == "how") return argument.text.in(Language::En);
        return std::string();
    };
    CHECK(how("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_execute_kernel__5x_cublas")
              .starts_with("Allow TF32 ("));
    CHECK(how("product(float*)").starts_with("call cuBLAS"));
}

TEST_CASE(
    "missing-tensor-core fires where Triton's layout of operands takes longer than the sums") {
    const auto fires = [](bool triton, double busy, double fused = 1, double reads = 1) {
        SyntheticProfile p(testDevice());
        auto launch = product(p, 4096, busy);
        launch.set(kLsuPipe, 84);
        launch.set(kSharedLoadBytes, reads * 384 * 4096.0 * 4096 * 4096 / 2048);
        if (fused < 1) launch.set(kFp32Mul, 4096.0 * 4096 * 4096 * (1 / fused - 1));
        p.profile().kernels.back().name = p.profile().kernels.back().symbol = "linear_gelu";
        if (triton)
            p.profile().callSites.push_back(
                {.kernel = 0, .file = "mlp.py", .line = 7, .op = "aten::mul", .count = 1});
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* const finding = find(kernel, kRule);
        if (finding) CHECK(finding->edit.in(Language::En).starts_with("In Triton, let tl.dot"));
        return finding != nullptr;
    };
    CHECK(fires(true, 0.19));
    CHECK_FALSE(fires(false, 0.19));  // the program's own tiles must be fixed first
    CHECK_FALSE(fires(true, 0.05));
    CHECK_FALSE(fires(true, 0.19, 0.8));
    // A sum of products reads its operands for each multiply-add.
    CHECK_FALSE(fires(true, 0.19, 1, 12));
}

namespace {

/// The product with this symbol, after a trial of TF32 that made a step of 20 ms last `after` ms.
Analysis afterTrial(const std::string& symbol, TrialOutcome outcome, double after) {
    SyntheticProfile p(testDevice());
    product(p);
    p.profile().kernels.back().name = p.profile().kernels.back().symbol = symbol;
    auto trials = std::make_shared<TrialResults>();
    trials->trials.push_back({.name = "tf32",
                              .title = "Allow TF32",
                              .outcome = outcome,
                              .why = {},
                              .per = "step",
                              .before = Seconds{0.02},
                              .after = Seconds{after * 1e-3},
                              .kept = true,
                              .largestDifference = 0,
                              .suggestedBy = {kRule},
                              .settles = {kRule}});
    return analyze(std::make_shared<const Profile>(p.build()), {.trials = std::move(trials)});
}

}  // namespace

TEST_CASE("missing-tensor-core is minor in a library's kernel if TF32 was tried in vain") {
    const auto minor = [](const char* name, TrialOutcome outcome) {
        const Analysis analysis = afterTrial(name, outcome, 20);
        const Finding* finding = find(analysis.kernels.at(0), kRule);
        REQUIRE(finding);
        return finding->minor;
    };
    constexpr const char* kLibrary =
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_execute_kernel__5x_cublas";
    CHECK(minor(kLibrary, TrialOutcome::WithinNoise));
    CHECK_FALSE(minor(kLibrary, TrialOutcome::Helped));
    CHECK_FALSE(minor("product(float*)", TrialOutcome::WithinNoise));  // its code was not tried
}

TEST_CASE("a trial that helped belongs to products of libraries, not to the program's own") {
    const auto tried = [](const char* symbol) {
        const Program program = analyzeProgram(afterTrial(symbol, TrialOutcome::Helped, 10));
        const Action* action = test::actionNamed(program, kRule);
        REQUIRE(action);
        return action->tried.size();
    };
    CHECK(
        tried("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_execute_kernel__5x_cublas") ==
        1);
    CHECK(tried("product(float*)") == 0);
}

TEST_CASE("missing-tensor-core does not name TF32 where the chip has none") {
    SyntheticProfile p(turingDevice());
    product(p);
    p.profile().kernels.back().name = p.profile().kernels.back().symbol = "turing_sgemm_128x64_nn";
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->edit.in(Language::En).starts_with("Pass fp16 inputs"));
}

namespace {

constexpr const char* kSmallProduct =
    "void sgemm_largek_lds64<true, false, 5, 5, 4, 4, 4, 34>(float*, float const*, float const*)";

/// A product of 512 × 512 matrices limited by the latency of its own loop, as in a BERT layer.
KernelAnalysis smallProduct(const char* name, Device device = testDevice(), double busy = 0.08,
                            double n = 512) {
    SyntheticProfile p(device);
    product(p, n, busy).set(kLsuPipe, 31);
    p.profile().kernels.back().name = p.profile().kernels.back().symbol = name;
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("missing-tensor-core: a library's small product need not keep the pipe busy") {
    const auto kernel = smallProduct(kSmallProduct);
    REQUIRE(kernel.origin == KernelOrigin::Library);
    CHECK(kernel.quantities.pipeUtilisation[Precision::Fp32]->value == Approx(0.08));
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(&kernel.findings.front() == finding);
    CHECK(finding->edit.in(Language::En).starts_with("Allow TF32 ("));
    // Hardly anything comes from the DRAM, so only the time of an empty launch remains.
    CHECK(finding->gain->value == Approx(kernel.quantities.duration.median.value - 2e-6));
    CHECK(finding->gainFormula.in(test::kZh).find("分块") != std::string::npos);
    // The same counters in one of the program's own kernels prove nothing.
    CHECK_FALSE(find(smallProduct("my_kernel(float*)"), kRule));
}

TEST_CASE("missing-tensor-core: half of a small product's DRAM traffic stays") {
    SyntheticProfile p(testDevice());
    const double seconds = 512.0 * 512 * 512 / (0.3 * kFp32Rate);
    product(p, 512, 0.3)
        .set("dram__bytes_read.sum", 0.4 * 0.938 * 1504 * SyntheticProfile::kDramClockHz * seconds);
    p.profile().kernels.back().name = p.profile().kernels.back().symbol = kSmallProduct;
    const auto kernel = analyzeOne(p);
    REQUIRE(find(kernel, kRule));
    const double dram =
        kernel.quantities.utilisation[Level::Dram]->value / kernel.quantities.dramAttainable->value;
    CHECK(dram > 0.35);
    CHECK(find(kernel, kRule)->gainShare->value == Approx(1 - dram / 2));
}

TEST_CASE("missing-tensor-core: no small product by its name, or none for tensor cores") {
    CHECK_FALSE(find(smallProduct("void gemv2T_kernel_val<int, int, float, float, float>"), kRule));
    CHECK_FALSE(
        find(smallProduct("void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>"), kRule));
    CHECK_FALSE(
        find(smallProduct("void cublasLt::splitKreduce_kernel<32, 16, int, float, float>"), kRule));
    CHECK_FALSE(
        find(smallProduct("sm80_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x64x16_ffma"), kRule));
    CHECK(find(smallProduct("ampere_sgemm_32x128_tn"), kRule));
    // Shorter than two empty launches.
    CHECK_FALSE(find(smallProduct(kSmallProduct, testDevice(), 0.2, 256), kRule));
    // TF32 came with compute capability 8.0.
    CHECK_FALSE(find(smallProduct(kSmallProduct, turingDevice()), kRule));
}

TEST_CASE("missing-tensor-core: a small product on tensor cores, or of other arithmetic") {
    const auto with = [](std::string_view counter, double value) {
        SyntheticProfile p(testDevice());
        product(p, 512, 0.08).set(kLsuPipe, 31).set(counter, value);
        p.profile().kernels.back().name = p.profile().kernels.back().symbol = kSmallProduct;
        return analyzeOne(p);
    };
    REQUIRE(find(with(kFp32Add, 0), kRule));
    CHECK_FALSE(find(with(kTensorPipe, 5), kRule));
    CHECK_FALSE(find(with(kFp32Add, 512.0 * 512 * 512), kRule));
    CHECK_FALSE(find(with(kFp32Fma, 0), kRule));
}

TEST_CASE("missing-tensor-core takes the place of what a small product waits for") {
    SyntheticProfile p(testDevice());
    auto launch = product(p, 2048, 0.08).set(kLsuPipe, 31);
    const ChipTable chip = chipTable("GH100").value();
    launch.setAll(chip.groups.at("stalls").counters, 0).set(stallCounter("long_scoreboard"), 12);
    REQUIRE(find(analyzeOne(p), "dominant-stall"));
    p.profile().kernels.back().name = p.profile().kernels.back().symbol = kSmallProduct;
    CHECK(find(analyzeOne(p), kRule));
    CHECK_FALSE(find(analyzeOne(p), "dominant-stall"));
}

TEST_CASE("missing-tensor-core: what the L2 and the DRAM need stays") {
    const auto kernel = analyzed([](LaunchRef& launch) {
        // 80 % of the lowest bandwidth that any mix of reads and writes can attain.
        const double seconds = 4096.0 * 4096 * 4096 / (0.85 * kFp32Rate);
        launch.set("dram__bytes_read.sum", 0.8 * 1504 * SyntheticProfile::kDramClockHz * seconds);
    });
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    // 16-bit inputs leave half of it.
    CHECK(finding->gainShare->value < 0.60);
    CHECK(finding->gainShare->value > 0.55);
}

TEST_CASE("missing-tensor-core: packed fp16 multiply-adds count twice") {
    const auto kernel = analyzed([](LaunchRef& launch) {
        const double packed = 4096.0 * 4096 * 4096;
        launch.set(kFp32Fma, 0).set(kFp16Fma, packed);
    });
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->expected[0].counter.in(Language::En) == kFp16Fma);
    CHECK(finding->expected[0].from == Approx(4096.0 * 4096 * 4096));
    CHECK(finding->evidence[4].value == Approx(0.03125));
}

TEST_CASE("missing-tensor-core does not fire on chains of multiply-adds in registers") {
    // The bundled pattern ffma: 2112 · 256 threads, four chains of 4096, 16 bytes in and 4 out.
    SyntheticProfile p(testDevice());
    const double threads = 2112 * 256, multiplyAdds = threads * 4 * 4096;
    idle(p, "ffma", {2112, 1, 1}, {256, 1, 1}, multiplyAdds / (0.97 * kFp32Rate) * 1e6)
        .set(kFp32Fma, multiplyAdds)
        .set(kFp32Add, 3 * threads)
        .set(kGlobalLoadBytes, 16 * threads)
        .set(kGlobalLoadSectors, threads / 2)
        .set(kGlobalLoads, threads / 8);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    CHECK_FALSE(find(kernel, kRule));
    REQUIRE(isRuledOut(kernel, kRule));
    for (const RuledOut& out : kernel.ruledOut)
        if (out.ruleId == kRule) CHECK(filled(findRule(kRule)->en.ruledOut, out.args));
}

TEST_CASE("missing-tensor-core does not fire on a polynomial whose coefficients are shared") {
    // Operands are re-read on the SM, 16 bytes per warp and four points, but few bytes are new.
    CHECK(isRuledOut(analyzed([](LaunchRef& launch) {
                         const double multiplyAdds = 4096.0 * 4096 * 4096;
                         launch.set(kGlobalLoadBytes, 0.004 * multiplyAdds);
                         launch.set("lts__lts2xbar_cycles_active.sum", 0.004 * multiplyAdds / 32);
                     }),
                     kRule));
    // The reverse: values stream in and are used from registers.
    CHECK(isRuledOut(analyzed([](LaunchRef& launch) {
                         launch.set(kSharedLoadBytes, 0).set(kSharedLoads, 0);
                         launch.set(kSharedLoadWavefronts, 0);
                     }),
                     kRule));
}

TEST_CASE("missing-tensor-core counts global loads that the L1 answered as read again") {
    // Tiles in the L1 instead of shared memory: eight times the bytes that the L2 delivered.
    const auto kernel = analyzed([](LaunchRef& launch) {
        const double fromL2 = 2.0 * 4096 * 4096 * 4 * 32;
        launch.set(kSharedLoadBytes, 0).set(kSharedLoads, 0).set(kSharedLoadWavefronts, 0);
        launch.set(kGlobalLoadBytes, 8 * fromL2).set(kGlobalLoadSectors, 8 * fromL2 / 32);
    });
    REQUIRE(find(kernel, kRule));
    CHECK(find(kernel, kRule)->evidence[3].value == Approx(7 * 0.0625));
}

TEST_CASE("missing-tensor-core looks past what the tensor pipe's counter shows without a product") {
    // Measured: 0.00049 % on a product in fp32, 0.48 % on a kernel that moves constants with HFMA2.
    CHECK(find(analyzed([](LaunchRef& launch) { launch.set(kTensorPipe, 0.48); }), kRule));
}

TEST_CASE("missing-tensor-core does not fire where tensor cores work, however little") {
    const auto kernel = analyzed([](LaunchRef& launch) { launch.set(kTensorPipe, 1.5); });
    CHECK_FALSE(find(kernel, kRule));
    CHECK(isRuledOut(kernel, kRule));
    // A product on tensor cores leaves the FP32 pipe idle.
    const auto tensor =
        analyzed([](LaunchRef& launch) { launch.set(kFp32Fma, 1e6).set(kTensorPipe, 90); });
    CHECK_FALSE(find(tensor, kRule));
}

TEST_CASE("missing-tensor-core: what feeds the loop of products is part of it") {
    // Tiles are re-read too often: the shared-memory pipe is at its roof.
    CHECK(find(analyzed([](LaunchRef& launch) { launch.set(kLsuPipe, 97); }), kRule));
    // A product of few blocks keeps the FP32 pipe about half busy, and nothing else.
    const auto busy = [](double share, double lsu) {
        return analyzed([=](LaunchRef& launch) {
            const double all = 4096.0 * 4096 * 4096;
            launch.set(kFp32Fma, share * all).set(kLsuPipe, lsu);
        });
    };
    CHECK(find(busy(0.6, 70), kRule));
    CHECK(find(busy(0.6, 40), kRule));
    CHECK_FALSE(find(busy(0.4, 40), kRule));
}

TEST_CASE("missing-tensor-core does not fire where another resource limits") {
    // Memory-bound: the pipe is idle, so the rule says nothing.
    SyntheticProfile p(testDevice());
    copy(p, "k", 268435456, 16, 130).set(kFp32Fma, 1e8);
    const auto copying = analyzeOne(p);
    CHECK_FALSE(find(copying, kRule));
    CHECK_FALSE(isRuledOut(copying, kRule));
    // One instruction in eight is not a multiply-add.
    CHECK(isRuledOut(analyzed([](LaunchRef& launch) {
                         const double all = 4096.0 * 4096 * 4096;
                         launch.set(kFp32Fma, 0.875 * all).set(kFp32Add, 0.125 * all);
                     }),
                     kRule));
}

TEST_CASE("missing-tensor-core needs a chip with tensor cores") {
    const auto on = [](const char* chip, int major, int minor) {
        Device device = testDevice();
        device.chip = chip;
        device.computeMajor = major;
        device.computeMinor = minor;
        SyntheticProfile p(device);
        product(p);
        return analyzeOne(p);
    };
    CHECK(find(on("GH100", 9, 0), kRule));
    CHECK_FALSE(find(on("TU117", 7, 5), kRule));
    CHECK_FALSE(find(on("GP100", 6, 0), kRule));
}

TEST_CASE("missing-tensor-core cannot tell without its counters") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    p.launch(k, {2112, 1, 1}, {256, 1, 1}).counterDurationUs(100);
    const auto nothing = analyzeOne(p);
    REQUIRE(unknown(nothing, kRule));
    CHECK(unknown(nothing, kRule)->missing.in(Language::En).find("ffma") != std::string::npos);

    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    for (const auto name : {kTensorPipe, kSharedLoadBytes, kGlobalLoadBytes}) {
        CAPTURE(name);
        const auto kernel = analyzed([&](LaunchRef& launch) { launch.set(name, kMissing); });
        CHECK_FALSE(find(kernel, kRule));
        REQUIRE(unknown(kernel, kRule));
        CHECK(unknown(kernel, kRule)->missing.in(Language::En).find(name) != std::string::npos);
    }
}
