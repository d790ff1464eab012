// SPDX-License-Identifier: Apache-2.0
// What operators take and compute in the window.
#include "analyzer/program/operators/operators.h"

#include <memory>
#include <string>
#include <vector>

#include "analyzer/program/operators/site_coverage.h"
#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using program::FlopsLack, program::OperatorTable, program::OperatorWork;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kGemm = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT";
constexpr const char* kOtherKernel = "nvjet_tst_64x64_64x16_2x1_v_bz_TNT";
constexpr std::uint64_t kNoted = 6;  ///< launches per kernel in six steps

struct Operator {
    const char* kernel;
    std::string op, sizes;
    std::uint64_t count = kNoted;
    std::uint32_t line = 7;
    std::string backward = {};
};

/// Six steps of these kernels, a thousand microseconds each, and operators at their sites.
Profile stepsOf(const std::vector<const char*>& kernels, const std::vector<Operator>& operators) {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        for (const char* kernel : kernels) p.launch(kernel, 1000);
        p.sync().pop();
    }
    Profile profile = p.build();
    // 132 SMs × 4096 FLOP × 2 GHz = 1.081 PFLOP/s in bf16.
    Device& gpu = profile.devices[0];
    gpu.name = "Test GPU";
    gpu.chip = "GH100";
    gpu.computeMajor = 9;
    gpu.computeMinor = 0;
    gpu.smCount = 132;
    gpu.smClockMax = Hertz{2e9};
    for (const Operator& of : operators)
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            if (profile.kernels[k].name == of.kernel) {
                CallSite site{.kernel = k,
                              .file = "/a/train.py",
                              .line = of.line,
                              .op = of.op,
                              .sizes = of.sizes,
                              .backward = of.backward,
                              .count = of.count};
                if (!of.backward.empty())
                    site.forward = {.file = "/a/train.py", .line = of.line, .function = ""};
                profile.callSites.push_back(site);
            }
    return profile;
}

struct Judged {
    OperatorTable table;
    double window = 0;
};

Judged judge(Profile profile) {
    const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(profile)));
    const Program program = analyzeProgram(analysis);
    return {program::operatorsOf(analysis, program), program.window.seconds.value};
}

const OperatorWork& rowOf(const OperatorTable& table, const std::string& op) {
    for (const OperatorWork& row : table.rows)
        if (row.op == op) return row;
    FAIL("no row of " << op);
    throw 0;
}

}  // namespace

TEST_CASE("an operator has its kernels' time and the FLOPs of its sizes") {
    const auto [table, window] =
        judge(stepsOf({kGemm, "add"}, {{kGemm, "aten::mm", "[4096, 1024], [1024, 4096]"},
                                       {"add", "aten::add", ""}}));
    REQUIRE(table.rows.size() == 2);
    const OperatorWork& mm = rowOf(table, "aten::mm");
    CHECK(mm.place == "train.py:7");
    CHECK(mm.sizes == std::vector<std::string>{"[4096, 1024], [1024, 4096]"});
    CHECK(mm.launches == 1.0);
    CHECK(mm.least.value * 1e6 == Approx(1000));
    CHECK(mm.most.value * 1e6 == Approx(1000));
    REQUIRE(mm.flops);
    CHECK(mm.flops->exact());
    CHECK(mm.flops->most == Approx(2.0 * 4096 * 1024 * 4096));
    CHECK(mm.type == Arithmetic(TensorType::Bf16));
    CHECK_FALSE(mm.dramBytes);  // nothing was counted
    const OperatorWork& add = rowOf(table, "aten::add");
    CHECK_FALSE(add.flops);
    CHECK(add.lack == FlopsLack::NoProduct);
    REQUIRE(table.flops);
    REQUIRE(table.flops->pipes.size() == 1);
    const double roof = 132.0 * 4096 * 2e9;
    CHECK(table.flops->pipes[0].roof->rate == Approx(roof));
    CHECK(table.flops->most.value == Approx(2.0 * 4096 * 1024 * 4096 / roof / window));
    CHECK(table.flops->known.value == Approx(1));
    CHECK_FALSE(table.flops->pipes[0].inUse);
}

TEST_CASE("two operators that launch one function have their parts of its launches") {
    // Three launches a step in one shape; line 7 makes two of them.
    const auto table =
        judge(stepsOf({kGemm, kGemm, kGemm}, {{kGemm, "aten::mm", "[10, 20], [20, 30]", 12, 7},
                                              {kGemm, "aten::mm", "[10, 20], [20, 40]", 6, 8}}))
            .table;
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].place == "train.py:7");
    CHECK(table.rows[0].launches == Approx(2).epsilon(1e-9));
    CHECK(table.rows[0].flops->most == Approx(2 * 2.0 * 10 * 20 * 30));
    CHECK(table.rows[1].flops->most == Approx(2.0 * 10 * 20 * 40));
}

TEST_CASE("where the noted launches are no whole windows, parts are not known") {
    // The run that counted ended in the middle of a step: 4 launches, and a step has three.
    const auto table =
        judge(stepsOf({kGemm, kGemm, kGemm}, {{kGemm, "aten::mm", "[10, 20], [20, 30]", 3, 7},
                                              {kGemm, "aten::mm", "[10, 20], [20, 40]", 1, 8}}))
            .table;
    for (const OperatorWork& row : table.rows) {
        CHECK_FALSE(row.flops);
        CHECK(row.lack == FlopsLack::Calls);
        CHECK_FALSE(row.launches);
        CHECK(row.least.value == 0);
        CHECK(row.most.value * 1e6 == Approx(3000));
    }
    CHECK_FALSE(table.flops);
}

TEST_CASE("launches in other shapes than the window's say nothing about its sizes") {
    using program::LaunchInShape, program::ShapePerWindow, program::sitesCover;
    const auto launches = [](std::vector<std::uint32_t> shapes) {
        std::vector<LaunchInShape> all;
        for (const std::uint32_t shape : shapes)
            all.push_back({.row = static_cast<std::uint32_t>(all.size()), .shape = shape});
        return all;
    };
    const std::vector<ShapePerWindow> window{{.shape = 1, .launches = 2},
                                             {.shape = 2, .launches = 1}};
    CHECK(sitesCover(launches({1, 2, 1, 1, 1, 2, 1, 1, 2}), window, 3));
    CHECK(sitesCover(launches({1, 2, 1, 1, 1, 2, 1, 1, 2}), window, 6));
    CHECK_FALSE(sitesCover(launches({1, 2, 1, 1, 1, 2, 1, 1, 2}), window, 4));
    CHECK_FALSE(sitesCover(launches({1, 2, 1, 1, 1, 2, 1, 1, 2}), window, 2));
    // The first ones have another shape, as those of a prompt.
    CHECK_FALSE(sitesCover(launches({3, 3, 3, 1, 1, 2, 1, 1, 2}), window, 3));
    CHECK_FALSE(sitesCover(launches({1, 2, 2, 1, 1, 2, 1, 1, 2}), window, 3));
    // More calls noted than launches recorded: a tuner's trials are not in the profile.
    CHECK_FALSE(sitesCover(launches({1, 2, 1}), window, 6));
    auto ofTwo = launches({1, 2, 1, 1, 1, 2});
    ofTwo[1].process = 1;
    CHECK_FALSE(sitesCover(ofTwo, window, 3));
}

TEST_CASE("FLOPs are missing where sizes, the result's size or calls are not known") {
    const auto lackOf = [](const char* kernel, const std::string& op, const std::string& sizes) {
        const auto table = judge(stepsOf({kernel}, {{kernel, op, sizes}})).table;
        CHECK_FALSE(table.flops);
        CHECK_FALSE(table.rows.at(0).flops);
        return table.rows.at(0).lack;
    };
    CHECK(lackOf(kGemm, "aten::mm", "") == FlopsLack::Sizes);
    CHECK(lackOf("sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwc", "aten::cudnn_convolution",
                 "[32, 64, 56, 56], [64, 64, 3, 3]") == FlopsLack::Convolution);
    // A kernel for which it is not known how often a call launches it.
    CHECK(lackOf("my_kernel", "aten::mm", "[10, 20], [20, 30]") == FlopsLack::Calls);
    CHECK(lackOf(kGemm, "vllm::moe_forward", "[10, 20]") == FlopsLack::Operator);
}

TEST_CASE("sums of a split product are not a call of their own") {
    constexpr const char* kSum = "void cublasLt::splitKreduce_kernel<32, 16, int, float>";
    const auto table = judge(stepsOf({kGemm, kSum}, {{kGemm, "aten::mm", "[10, 20], [20, 30]"},
                                                     {kSum, "aten::mm", "[10, 20], [20, 30]"}}))
                           .table;
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0].launches == Approx(2).epsilon(1e-9));
    CHECK(table.rows[0].flops->most == Approx(2.0 * 10 * 20 * 30));
}

TEST_CASE("products of a backward pass take what those of the forward pass take") {
    const auto table = judge(stepsOf({kGemm, kOtherKernel, kOtherKernel},
                                     {{kGemm, "aten::addmm", "[30], [10, 20], [20, 30]"},
                                      {kOtherKernel, "aten::mm", "", 12, 7, "AddmmBackward0"}}))
                           .table;
    const OperatorWork& backward = rowOf(table, "AddmmBackward0: aten::mm");
    REQUIRE(backward.flops);
    CHECK(backward.flops->most == Approx(2 * 2.0 * 10 * 20 * 30));
    CHECK(backward.flops->exact());
    // At another line nothing is known of the forward pass.
    const auto elsewhere = judge(stepsOf({kGemm, kOtherKernel, kOtherKernel},
                                         {{kGemm, "aten::addmm", "[30], [10, 20], [20, 30]"},
                                          {kOtherKernel, "aten::mm", "", 12, 9, "AddmmBackward0"}}))
                               .table;
    CHECK(rowOf(elsewhere, "AddmmBackward0: aten::mm").lack == FlopsLack::Sizes);
}

TEST_CASE("the window's FLOPs are missing if a part of the products has none") {
    const std::string sizes = "[4096, 1024], [1024, 4096]";
    const Operator known{kGemm, "aten::mm", sizes}, unknown{kOtherKernel, "aten::mm", "", 6, 8};
    CHECK_FALSE(judge(stepsOf({kGemm, kOtherKernel}, {known, unknown})).table.flops);
    // A twentieth of the products' time does not matter, but is reported.
    Profile profile = stepsOf({kGemm, kOtherKernel}, {known, unknown});
    for (Launch& launch : profile.launches)
        if (profile.kernels[launch.kernel].name == kOtherKernel) launch.duration = Seconds{52e-6};
    const auto table = judge(std::move(profile)).table;
    REQUIRE(table.flops);
    CHECK(table.flops->known.value == Approx(1000.0 / 1052));
    // Without a roof there is no share of a roof.
    Profile noClock = stepsOf({kGemm}, {known});
    noClock.devices[0].smClockMax.reset();
    CHECK_FALSE(judge(std::move(noClock)).table.flops);
}

TEST_CASE("kernels of which nobody knows whether they multiply count as products") {
    const Operator known{kGemm, "aten::mm", "[4096, 1024], [1024, 4096]"};
    const auto isKnown = [&](const char* kernel, const char* op) {
        return judge(stepsOf({kGemm, kernel}, {known, {kernel, op, "", 6, 8}}))
            .table.flops.has_value();
    };
    CHECK_FALSE(isKnown("bmm_E4m3_E2m1_Fp32_t128x32x512", "vllm::moe_forward"));
    CHECK_FALSE(isKnown("my_kernel", ""));
    // PyTorch's other operators multiply nothing, nor do these kernels.
    CHECK(isKnown("my_kernel", "aten::topk"));
    CHECK(isKnown("triton_poi_fused_add_0", ""));
    CHECK(isKnown("void at::native::vectorized_elementwise_kernel<4>", ""));
}

TEST_CASE("attention over more and more words has no FLOPs, although its shape stays") {
    constexpr const char* kFlash =
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, cutlass::bfloat16_t>>";
    const Operator attention{kFlash, "aten::_flash_attention_forward",
                             "[2, 1, 3, 8], [2, 70, 3, 8], [2, 70, 3, 8]", 1};
    Profile profile = stepsOf({kFlash}, {attention});
    CHECK(judge(profile).table.rows.at(0).flops);
    for (std::size_t i = 0; i < profile.launches.size(); ++i)
        profile.launches[i].duration = Seconds{1e-3 * (1 + 0.1 * static_cast<double>(i))};
    CHECK(judge(std::move(profile)).table.rows.at(0).lack == FlopsLack::Calls);
}

TEST_CASE("a recording without operators has no table") {
    CHECK(judge(stepsOf({kGemm}, {})).table.rows.empty());
    CHECK(judge(stepsOf({kGemm}, {{kGemm, "", ""}})).table.rows.empty());
}
