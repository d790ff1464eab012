// SPDX-License-Identifier: Apache-2.0
// Windows with unequal rounds, and calls that move data without computing.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/program/actions/actions.h"
#include "analyzer/program/program.h"
#include "analyzer/program/window/period.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::program::findPeriod;
using roofscope::program::startsOfTurns;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;

namespace {

/// Six steps of these launches (kernel and microseconds), each with a wait.
Profile sixSteps(std::initializer_list<std::pair<std::string_view, double>> launches) {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        for (const auto& [kernel, time] : launches) p.launch(kernel, time);
        p.sync().pop();
    }
    return p.build();
}

/// A search by levels: a wave of large fronts, then small ones.
SyntheticProgram search(const std::vector<double>& levels) {
    SyntheticProgram p;
    for (const double us : levels) {
        p.launch("expand", us).launch("update", 5);
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 1, 1).sync();
    }
    return p;
}

}  // namespace

TEST_CASE("rounds of different work are judged together, and none warms up") {
    const Window window = judged(search({14'300, 9'300, 257, 22, 20, 20}).build()).window;
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.rounds == 6);
    CHECK(window.occurrences == 1);
    CHECK(window.leftOut == 0);
    CHECK(window.seconds.value * 1e6 > 14'300 + 9'300 + 257);
    // The same work each round: a first round that takes longer on the CPU is still warm-up.
    SyntheticProgram same;
    for (int i = 0; i < 8; ++i) {
        same.launch("expand", 100);
        if (i == 0) same.work(5'000);
        same.launch("update", 5).sync();
    }
    const Window even = judged(same.build()).window;
    CHECK(even.rounds == 0);
    CHECK(even.leftOut == 1);
}

TEST_CASE("launches of one kernel with ever new grids are not a repeat") {
    SyntheticProgram p;
    for (int i = 0; i < 40; ++i) p.launch("wavefront", 6);
    Profile profile = p.build();
    CHECK(judged(profile).window.kind == WindowKind::Period);
    std::uint32_t blocks = 1;
    for (Launch& launch : profile.launches) launch.grid = {blocks++, 1, 1};
    CHECK(judged(profile).window.kind == WindowKind::Whole);
}

TEST_CASE("steps that grow say from what to what, others say nothing") {
    SyntheticProgram grows, even;
    for (int i = 0; i < 40; ++i) {
        grows.push("token").launch("attend", 100 + 10 * i).launch("mlp", 50).sync().pop();
        even.push("token").launch("attend", 100 + (i % 3)).launch("mlp", 50).sync().pop();
    }
    const Window window = judged(grows.build()).window;
    CHECK(window.lastSeconds > window.firstSeconds * 1.5);
    CHECK(judged(even.build()).window.firstSeconds.value == 0);
}

TEST_CASE("a loop over one size and then another is judged by the size that takes more time") {
    const auto sizes = [](double first, int count, double second, int then) {
        SyntheticProgram p;
        for (int i = 0; i < count + then; ++i)
            p.launch("step", i < count ? first + i % 3 : second + i % 3).launch("sum", 5).sync();
        return judged(p.build()).window;
    };
    const Window larger = sizes(6000, 90, 350, 90);
    CHECK(larger.counted == 90);
    CHECK(larger.occurrences == 90);
    CHECK(larger.seconds.value * 1e6 > 6000);
    CHECK(larger.others.count == 89);  // the last one has no end
    CHECK_FALSE(larger.others.before);
    CHECK(larger.others.seconds.value * 1e6 == Approx(368).margin(20));
    CHECK(larger.others.total.value * 1e6 == Approx(89 * 368).epsilon(0.05));
    // The many short rounds together take twice as long.
    const Window many = sizes(900, 20, 350, 400);
    CHECK(many.others.before);
    CHECK(many.others.count == 20);
    CHECK(many.occurrences == 400);  // with the last one
    CHECK(many.seconds.value * 1e6 < 400);
    // If both sizes take about as long in total, the larger ones count, even if they take a little
    // less.
    CHECK(sizes(3500, 20, 350, 210).others.count == 209);
    CHECK(sizes(3500, 20, 350, 190).others.count == 189);
    // Similar sizes, and a few slow ones at the beginning, are one loop.
    CHECK(sizes(400, 90, 350, 90).others.count == 0);
    CHECK(sizes(6000, 4, 350, 90).others.count == 0);
    // The same work: at first it is slow because the CPU's compilers warm up.
    SyntheticProgram slow;
    for (int i = 0; i < 90; ++i) {
        if (i < 9) slow.work(2000);
        slow.launch("step", 350).launch("sum", 5).sync();
    }
    const Window warm = judged(slow.build()).window;
    CHECK(warm.others.count == 0);
    CHECK(warm.seconds.value * 1e6 < 500);
    // Three sizes.
    SyntheticProgram three;
    for (const double us : {1000, 2000, 4000})
        for (int i = 0; i < 40; ++i) three.launch("step", us).launch("sum", 5).sync();
    const Window largest = judged(three.build()).window;
    CHECK(largest.others.count == 80);
    CHECK(largest.others.seconds.value == 0);  // of several lengths
    CHECK(largest.seconds.value * 1e6 > 4000);
    // Sizes in turns.
    SyntheticProgram turns;
    for (int i = 0; i < 90; ++i) turns.launch("step", i % 2 ? 6000 : 350).launch("sum", 5).sync();
    CHECK(judged(turns.build()).window.others.count == 0);
    // Growing evenly.
    SyntheticProgram grows;
    for (int i = 0; i < 90; ++i) grows.launch("step", 100 + 10 * i).launch("sum", 5).sync();
    CHECK(judged(grows.build()).window.others.count == 0);
}

TEST_CASE("the smallest unit of a period is its round, but no layer of a network") {
    // Four images of 30 launches; the last launch alternates between two kernels.
    std::vector<std::uint32_t> images;
    for (int turn = 0; turn < 5; ++turn)
        for (std::uint32_t image = 0; image < 4; ++image)
            for (std::uint32_t i = 0; i < 30; ++i) images.push_back(i == 29 ? 28 - image % 2 : i);
    const auto period = findPeriod(images);
    REQUIRE(period);
    CHECK(startsOfTurns(images, *period).size() >= 4 * 4);
    // Six layers of 30 launches and a head of 12.
    std::vector<std::uint32_t> layers;
    for (int step = 0; step < 5; ++step) {
        for (int layer = 0; layer < 6; ++layer)
            for (std::uint32_t i = 0; i < 30; ++i) layers.push_back(i);
        for (std::uint32_t i = 0; i < 12; ++i) layers.push_back(100 + i);
    }
    const auto steps = findPeriod(layers);
    REQUIRE(steps);
    CHECK(steps->length == 192);
    CHECK(startsOfTurns(layers, *steps).size() == steps->repeats);
    // Ten iterations of 1,500 launches, after which two more print something.
    std::vector<std::uint32_t> printed;
    for (int turn = 0; turn < 4; ++turn) {
        for (int iteration = 0; iteration < 10; ++iteration)
            for (std::uint32_t i = 0; i < 1500; ++i)
                printed.push_back(i % 500 == 499 ? 600 + i / 500 : i % 500);
        printed.insert(printed.end(), {700, 701});
    }
    const auto tens = findPeriod(printed);
    REQUIRE(tens);
    CHECK(startsOfTurns(printed, *tens).size() >= 10 * (tens->repeats - 1));
}

TEST_CASE("a few launches after many rounds make them no layers of a network") {
    // Forty iterations of 16 launches, after which one more adds up: a step is one iteration. With
    // a head of six launches, they are the layers of a network.
    const auto forty = [](std::uint32_t head) {
        std::vector<std::uint32_t> all;
        for (int turn = 0; turn < 4; ++turn) {
            for (int iteration = 0; iteration < 40; ++iteration)
                for (std::uint32_t i = 0; i < 16; ++i) all.push_back(i);
            for (std::uint32_t i = 0; i < head; ++i) all.push_back(i == 0 ? 700 : i);
        }
        const auto found = findPeriod(all);
        REQUIRE(found);
        return startsOfTurns(all, *found).size();
    };
    CHECK(forty(1) >= 3 * 40);
    CHECK(forty(6) <= 4);
    // A hundred iterations of 35 launches, after which three others compute and copy a mean. A deep
    // network has more layers than that, and a longer head.
    const auto many = [](std::uint32_t rounds, std::uint32_t length, std::uint32_t head) {
        std::vector<std::uint32_t> all;
        for (int turn = 0; turn < 4; ++turn) {
            for (std::uint32_t round = 0; round < rounds; ++round)
                for (std::uint32_t i = 0; i < length; ++i) all.push_back(i == 0 ? 500 : i % 12);
            for (std::uint32_t i = 0; i < head; ++i) all.push_back(700 + i);
        }
        const auto found = findPeriod(all);
        REQUIRE(found);
        REQUIRE(found->length == rounds * length + head);
        return startsOfTurns(all, *found).size();
    };
    CHECK(many(100, 35, 3) >= 3 * 100);
    CHECK(many(126, 20, 10) <= 4);
    CHECK(many(64, 35, 3) <= 4);
    // Time steps of 1,000 sweeps with five launches each: the sweep is the round.
    std::vector<std::uint32_t> sweeps;
    for (int step = 0; step < 4; ++step) {
        for (std::uint32_t i = 0; i < 20; ++i) sweeps.push_back(200 + i);
        for (int sweep = 0; sweep < 1000; ++sweep)
            for (std::uint32_t i = 0; i < 5; ++i) sweeps.push_back(i);
    }
    const auto solver = findPeriod(sweeps);
    REQUIRE(solver);
    CHECK(startsOfTurns(sweeps, *solver).size() > 1000);
}

TEST_CASE("fifty long steps are rounds, although each has a loop of its own") {
    // Steps of 14 bands with three launches each and one launch more; a report after fifty steps.
    const auto stepsOf = [](std::uint32_t steps, std::uint32_t head) {
        std::vector<std::uint32_t> all;
        for (int turn = 0; turn < 5; ++turn) {
            for (std::uint32_t step = 0; step < steps; ++step) {
                for (std::uint32_t i = 0; i < 42; ++i) all.push_back(i % 3);
                all.push_back(3);
            }
            for (std::uint32_t i = 0; i < head; ++i) all.push_back(700 + i);
        }
        const auto found = findPeriod(all);
        REQUIRE(found);
        REQUIRE(found->length == steps * 43 + head);
        return startsOfTurns(all, *found).size();
    };
    CHECK(stepsOf(50, 1) >= 4 * 50);
    // Layers of a network, with its head.
    CHECK(stepsOf(50, 2) <= 5);
    CHECK(stepsOf(20, 1) <= 5);
}

TEST_CASE("steps of a few launches are rounds, unless more comes beside them") {
    // Two hundred steps of a few launches, after which one or two more add up: the step is the
    // round. The passes of a sort are not, nor are steps with more beside them.
    const auto stepsOf = [](std::uint32_t count, std::uint32_t length, std::uint32_t extra,
                            std::uint32_t at = 3) {
        std::vector<std::uint32_t> all;
        for (int turn = 0; turn < 5; ++turn) {
            for (std::uint32_t step = 0; step < count; ++step) {
                // Not at the end of a turn: after how many steps it begins is chance.
                for (std::uint32_t i = 0; i < length; ++i) {
                    all.push_back(i);
                    for (std::uint32_t e = 0; step == count / at && i == 0 && e < extra; ++e)
                        all.push_back(700 + e);
                }
            }
        }
        const auto found = findPeriod(all);
        REQUIRE(found);
        REQUIRE(found->length == count * length + extra);
        return startsOfTurns(all, *found).size();
    };
    for (const std::uint32_t at : {2U, 3U, 5U, 200U}) CHECK(stepsOf(200, 2, 1, at) >= 4 * 200);
    CHECK(stepsOf(250, 6, 2) >= 4 * 250);
    // What follows the last turn is no step.
    std::vector<std::uint32_t> ended;
    for (int i = 0; i < 5 * 401; ++i)
        ended.push_back(i % 401 == 150
                            ? 700
                            : static_cast<std::uint32_t>((i % 401 + (i % 401 > 150 ? 1 : 0)) % 2));
    const std::size_t loop = ended.size();
    for (std::uint32_t i = 0; i < 300; ++i) ended.push_back(800 + i);
    const auto turns = findPeriod(ended);
    REQUIRE(turns);
    const auto starts = startsOfTurns(ended, *turns);
    CHECK(starts.size() > 900);
    CHECK(starts.back() < loop);
    CHECK(stepsOf(200, 1, 1) <= 5);
    CHECK(stepsOf(200, 2, 3) <= 5);
    CHECK(stepsOf(40, 2, 1) <= 5);
}

TEST_CASE("kernels that only move data are one action, and little of it is none") {
    const auto program = [](double gathered) {
        Profile profile =
            sixSteps({{"void at::native::vectorized_gather_kernel<16, long>(char*)", gathered},
                      {"sm80_xmma_gemm_f32f32", 300}});
        for (Kernel& kernel : profile.kernels)
            if (kernel.name.find("at::native") != std::string::npos)
                kernel.symbol = "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPc";
        return judged(profile);
    };
    const Program much = program(400);
    const Action* action = actionNamed(much, "data-movement");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(400).epsilon(0.01));
    CHECK(actionNamed(program(20), "data-movement") == nullptr);
}

TEST_CASE("of CuPy's kernels, those that gather, copy or cast move data") {
    const auto moves = [](const char* name) {
        Profile profile = sixSteps({{name, 400}, {"cupy_var_core_float32", 300}});
        for (Kernel& kernel : profile.kernels) kernel.symbol = kernel.name;
        const Program program = judged(profile);
        const Action* action = actionNamed(program, "data-movement");
        return action ? action->edit.in(Language::En) : std::string();
    };
    CHECK(moves("cupy_take").find("x[index]") != std::string::npos);
    CHECK(moves("cupy_copy__float32_float64").find("cast once") != std::string::npos);
    CHECK(moves("cupy_copy__float32_float32").find("out=") != std::string::npos);
    CHECK(moves("cupy_scatter_update__int64_float32").find("Write each value") == 0);
    for (const char* computes :
         {"cupy_multiply__float32_float32_float32", "cupy_scatter_add__int64_float32"})
        CHECK(moves(computes).empty());
}

TEST_CASE("library products in TF32 are told to use bf16, where they take time") {
    const auto program = [](const char* name, double gemm, const char* symbol) {
        Profile profile = sixSteps({{name, gemm}, {"own", 300}});
        for (Kernel& kernel : profile.kernels)
            if (kernel.name != "own") kernel.symbol = symbol;
        return judged(profile);
    };
    constexpr const char* kTf32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x256x32_cublas";
    const Program much = program(kTf32, 400, kTf32);
    const Action* action = actionNamed(much, "tf32-product");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(120).epsilon(0.01));
    CHECK(action->estimate);
    CHECK(actionNamed(program(kTf32, 20, kTf32), "tf32-product") == nullptr);
    constexpr const char* kBf16 =
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize64x256x64_cublas";
    CHECK(actionNamed(program(kBf16, 400, kBf16), "tf32-product") == nullptr);
    // The program's own kernel: its author knows what it is for.
    CHECK(actionNamed(program("my_tf32_gemm", 400, "_Z12my_tf32_gemmPf"), "tf32-product") ==
          nullptr);
}

TEST_CASE("float64 by promotion is named, and a program that wants float64 is left alone") {
    const auto program = [](const char* mixed) {
        Profile profile =
            sixSteps({{"cupy_multiply__float64_float64_float64", 600}, {mixed, 20}, {"own", 300}});
        for (Kernel& kernel : profile.kernels)
            if (kernel.name != "own") kernel.symbol = kernel.name;
        return judged(profile);
    };
    const Program found = program("cupy_true_divide__float32_float64_float64");
    const Action* action = actionNamed(found, "promoted-to-double");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(310).epsilon(0.01));
    CHECK(action->estimate);
    for (const char* wanted : {"cupy_copy__float32_float64", "cupy_multiply__float32_float_float32",
                               "cupy_add__float64_int64_float64", "other"})
        CHECK(actionNamed(program(wanted), "promoted-to-double") == nullptr);
}

TEST_CASE("a network of PyTorch in float64 is named, other work in float64 is not") {
    const auto program = [](const char* name) {
        Profile profile = sixSteps({{"_ZN2at6native6kernelEv", 100}, {name, 600}});
        for (Kernel& kernel : profile.kernels) kernel.symbol = kernel.name;
        std::vector<double> operations;
        for (const Launch& launch : profile.launches)
            operations.push_back(profile.kernels[launch.kernel].name == name ? 1e9 : 0);
        profile.counters.addColumn("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
                                   operations);
        for (const char* other : {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                                  "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"})
            profile.counters.addColumn(other, std::vector<double>(operations.size(), 0));
        return judged(profile);
    };
    const Program found =
        program("_ZN5cudnn6detail12dgrad_engineILi256ELi6ELi5ELi3ELi3ELi3ELb0EEEviiiPKd");
    const Action* action = actionNamed(found, "network-in-double");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(300).epsilon(0.01));
    CHECK(actionNamed(program("_Z5solvePd"), "network-in-double") == nullptr);
}

TEST_CASE("real data that CuPy transforms as complex is named") {
    constexpr const char* kFft = "_Z18regular_fft_factorILj3E3EPTIJLj3EEELj256E9twiddle_t0E";
    const auto program = [&](const char* before, double transforms) {
        Profile profile = sixSteps({{before, 40}, {kFft, transforms}, {"own", 300}});
        for (Kernel& kernel : profile.kernels)
            if (kernel.name != "own") kernel.symbol = kernel.name;
        return judged(profile);
    };
    const Program found = program("cupy_copy__float32_complex64", 400);
    const Action* action = actionNamed(found, "real-transforms");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(240).epsilon(0.01));
    CHECK(actionNamed(program("cupy_copy__complex64_complex64", 400), "real-transforms") ==
          nullptr);
    CHECK(actionNamed(program("cupy_copy__float32_complex64", 20), "real-transforms") == nullptr);
}

TEST_CASE("library products in FP32 are told to use tensor cores, if nothing was counted") {
    constexpr const char* kFp32 = "volta_sgemm_128x64_nt";
    const auto program = [](const char* name, double gemm, const Device& device,
                            double counted = 0) {
        Profile profile = sixSteps({{name, gemm}, {"own", 300}});
        for (Kernel& kernel : profile.kernels)
            if (kernel.name != "own") kernel.symbol = name;
        profile.devices.at(0).name = device.name;
        profile.devices.at(0).chip = device.chip;
        profile.devices.at(0).computeMajor = device.computeMajor;
        profile.devices.at(0).computeMinor = device.computeMinor;
        for (std::size_t row = 0; counted > 0 && row < profile.launches.size(); ++row)
            profile.counters.set("gpu__time_duration.sum", row, counted);
        return judged(profile);
    };
    const Device v100{.name = "Tesla V100", .computeMajor = 7};
    const Device h100{.name = "NVIDIA H100", .computeMajor = 9};
    const Device gtx1660{.name = "GTX 1660", .chip = "TU116", .computeMajor = 7, .computeMinor = 5};
    const Program much = program(kFp32, 400, v100);
    const Action* action = actionNamed(much, "fp32-product");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(200).epsilon(0.01));
    CHECK(action->estimate);
    CHECK(action->edit.in(Language::En).find("TF32") == std::string::npos);
    REQUIRE(actionNamed(program(kFp32, 400, h100), "fp32-product"));
    CHECK(actionNamed(program(kFp32, 400, h100), "fp32-product")
              ->edit.in(Language::En)
              .find("TF32") != std::string::npos);
    // Its tensor cores have the rate of FP32 in TF32.
    const Device rtx4090{.name = "RTX 4090", .computeMajor = 8, .computeMinor = 9};
    const Program card = program(kFp32, 400, rtx4090);
    REQUIRE(actionNamed(card, "fp32-product"));
    CHECK(actionNamed(card, "fp32-product")->bound.value * 1e6 == Approx(120).epsilon(0.01));
    CHECK(actionNamed(card, "fp32-product")->edit.in(Language::En).find("TF32") ==
          std::string::npos);
    CHECK(actionNamed(program(kFp32, 20, v100), "fp32-product") == nullptr);
    // TF32 is in use: the library had a reason for FP32.
    Profile both = sixSteps({{"cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4", 300},
                             {"cutlass_80_simt_sgemm_64x64_8x5_tn_align1", 300}});
    both.devices.at(0).computeMajor = 9;
    const Program product = judged(both);
    const Action* mixedAction = actionNamed(product, "fp32-product");
    REQUIRE(mixedAction);
    CHECK(mixedAction->edit.in(Language::En).starts_with("TF32 is allowed"));
    CHECK(actionNamed(program(kFp32, 400, gtx1660), "fp32-product") == nullptr);
    CHECK(actionNamed(program(kFp32, 400, h100, 400'000), "fp32-product") == nullptr);
    CHECK(actionNamed(program("volta_fp16_sgemm_fp16_64x32_nt", 400, v100), "fp32-product") ==
          nullptr);
}

TEST_CASE("casts join the elementwise operators that are to be fused: one edit does both") {
    Profile profile = sixSteps(
        {{"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
          "LoadWithCast)>(int)",
          100},
         {"void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>(int)", 200},
         {"void at::native::vectorized_elementwise_kernel<4, MulFunctor>(int)", 200},
         {"sm80_xmma_gemm_f32f32", 300}});
    for (Kernel& kernel : profile.kernels)
        if (kernel.name.find("at::native") != std::string::npos)
            kernel.symbol = "_ZN2at6native" + std::to_string(&kernel - profile.kernels.data());
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    const Program program = analyzeProgram(analysis);
    const auto indexOf = [&](std::string_view part) {
        for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k)
            if (analysis.kernels[k].fullName.find(part) != std::string::npos) return k;
        FAIL("no such kernel");
        return 0U;
    };
    const std::uint32_t cast = indexOf("direct_copy"), add = indexOf("CUDAFunctor_add");
    const auto found = [&](std::map<std::uint32_t, double> gains, double gain) {
        program::LaunchOrder order;
        order.runs = {.launches = 2, .gain = Seconds{gain}, .kernels = std::move(gains)};
        return program::findActions(analysis, program, order);
    };
    const auto named = [](const std::vector<Action>& actions, std::string_view rule) {
        return std::ranges::find(actions, rule, &Action::rule);
    };
    // The operators save 150 us, and the cast all of its 100. In a run with them, its part is
    // counted already.
    for (const double ofCast : {0.0, 40e-6}) {
        std::map<std::uint32_t, double> gains{{add, 150e-6 - ofCast}};
        if (ofCast > 0) gains[cast] = ofCast;
        const auto actions = found(gains, 150e-6);
        REQUIRE(named(actions, "unfused-elementwise") != actions.end());
        CHECK(named(actions, "data-movement") == actions.end());
        CHECK(named(actions, "unfused-elementwise")->bound.value * 1e6 ==
              Approx(ofCast > 0 ? 150 : 250));
    }
    // Without operators to fuse, casts stand alone.
    const auto alone = found({}, 0);
    CHECK(named(alone, "unfused-elementwise") == alone.end());
    CHECK(named(alone, "data-movement") != alone.end());
}

TEST_CASE("a kernel that takes longer in the program than counted has page faults, if any can be") {
    const auto program = [](double countedUs, const char* allocate) {
        SyntheticProgram p;
        p.call(allocate, CallKind::Allocate, 50);
        for (int i = 0; i < 6; ++i) p.push("step").launch("solve", 1000).sync().pop();
        Profile profile = p.build();
        profile.counters.addColumn("gpu__time_duration.sum",
                                   std::vector<double>(profile.launches.size(), 1e3 * countedUs));
        return profile;
    };
    const Profile managed = program(100, "cuMemAllocManaged");
    const Analysis analysis = analyze(std::make_shared<const Profile>(managed));
    REQUIRE(analysis.kernels.size() == 1);
    const Verdict& verdict = analysis.kernels[0].verdict;
    CHECK(verdict.cls == VerdictClass::WaitsForPages);
    REQUIRE(verdict.reason.whileCounted);
    CHECK(verdict.reason.whileCounted->value * 1e6 == Approx(100));
    CHECK_FALSE(verdict.headroom.has());
    const Program faults = judged(managed);
    const Action* action = actionNamed(faults, "page-faults");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(900).epsilon(0.02));
    // No memory that could fault; and clocks that differ a little.
    const Analysis unmanaged = analyze(std::make_shared<const Profile>(program(100, "cuMemAlloc")));
    CHECK(unmanaged.kernels[0].verdict.cls == VerdictClass::Unknown);
    CHECK(actionNamed(judged(program(100, "cuMemAlloc_v2")), "page-faults") == nullptr);
    CHECK(actionNamed(judged(program(850, "cuMemAllocManaged")), "page-faults") == nullptr);
    // Kernels that run side by side slow each other down as well, but not so much.
    const Analysis beside =
        analyze(std::make_shared<const Profile>(program(650, "cuMemAllocManaged")));
    CHECK(beside.kernels[0].verdict.cls == VerdictClass::Unknown);
}

namespace {

constexpr const char* kTorchGather = "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPc";

/// Six rounds of a kernel that takes 1 ms in the program. `counted`: microseconds while counted, by
/// launch, each time with as many instructions.
Profile waitingRounds(const std::vector<double>& counted, const char* kernel = "solve") {
    Profile profile = sixSteps({{kernel, 1000}});
    std::vector<double> nanoseconds(profile.launches.size(), std::nan(""));
    std::vector<double> instructions = nanoseconds;
    for (std::size_t i = 0; i < counted.size(); ++i) {
        nanoseconds[i] = counted[i] * 1e3;
        instructions[i] = 400e3 + 100 * static_cast<double>(i);
    }
    profile.counters.addColumn("gpu__time_duration.sum", nanoseconds);
    profile.counters.addColumn("smsp__sass_inst_executed.sum", instructions);
    return profile;
}

}  // namespace

TEST_CASE("a kernel that waits for what counting does not show is named without a cause") {
    const Program waits = judged(waitingRounds({100, 100, 100}));
    const Action* action = actionNamed(waits, "hidden-waits");
    REQUIRE(action);
    CHECK(action->bound.value * 1e6 == Approx(900).epsilon(0.02));
    CHECK(actionNamed(waits, "page-faults") == nullptr);
    // Data in the L2 may make a launch three times as fast while it is counted.
    CHECK(actionNamed(judged(waitingRounds({300, 300, 300})), "hidden-waits") == nullptr);
    // A kernel of PyTorch has no managed variables.
    CHECK(actionNamed(judged(waitingRounds({100, 100, 100}, kTorchGather)), "hidden-waits") ==
          nullptr);
    // Other kernels run at the same time and take their part of the GPU.
    Profile beside = waitingRounds({100, 100, 100});
    const std::vector<Launch> launches = beside.launches;
    for (Launch launch : launches) {
        launch.stream = 7;
        beside.launches.push_back(launch);
    }
    beside.counters = {};
    std::vector<double> counted(beside.launches.size(), std::nan(""));
    counted[0] = counted[1] = 100e3;
    beside.counters.addColumn("gpu__time_duration.sum", counted);
    CHECK(actionNamed(judged(beside), "hidden-waits") == nullptr);
}

TEST_CASE("counted launches that waited, where few others do, say nothing of these") {
    // The first launch of a frame waits for pages; the other 24 take as long as while counted.
    const auto durationOf = [](int frames, int waiting) {
        SyntheticProgram p;
        p.call("cuMemAllocManaged", CallKind::Allocate, 50);
        for (int i = 0; i < frames * 25; ++i)
            p.launch("solve", i % 25 < waiting ? 400 : 100).sync();
        Profile profile = p.build();
        std::vector<double> counted(profile.launches.size(), std::nan(""));
        counted[0] = counted[25] = 100e3;
        profile.counters.addColumn("gpu__time_duration.sum", counted);
        return analyze(std::make_shared<const Profile>(profile)).kernels.at(0).quantities.duration;
    };
    CHECK_FALSE(durationOf(8, 1).whileCounted);
    CHECK_FALSE(durationOf(8, 1).ofCounted);  // without the wait they are like the others
    CHECK(durationOf(8, 25).whileCounted);
}

TEST_CASE("two kinds of work on one grid are no waits") {
    // Products of two sizes in turns. The first was counted, and another run has the second there.
    const auto durationOf = [](double other, std::uint32_t kinds) {
        SyntheticProgram p;
        for (std::uint32_t i = 0; i < 60; ++i) p.launch("solve", i % kinds ? 110 : other).sync();
        Profile profile = p.build();
        std::vector<double> counted(profile.launches.size(), std::nan(""));
        counted[0] = 110e3;
        profile.counters.addColumn("gpu__time_duration.sum", counted);
        return analyze(std::make_shared<const Profile>(profile)).kernels.at(0).quantities.duration;
    };
    const DurationStats two = durationOf(290, 2);
    CHECK_FALSE(two.whileCounted);
    REQUIRE(two.ofCounted);
    CHECK(two.ofCounted->value * 1e6 == Approx(110));
    CHECK(durationOf(290, 1).whileCounted);  // all take longer in the program
}

TEST_CASE("a launch that waited while it was counted does not say how long it takes without") {
    const auto durationOf = [](const Profile& profile) {
        return analyze(std::make_shared<const Profile>(profile)).kernels.at(0).quantities.duration;
    };
    const DurationStats waited = durationOf(waitingRounds({1000, 1000, 100}));
    REQUIRE(waited.whileCounted);
    CHECK(waited.whileCounted->value * 1e6 == Approx(100));
    CHECK(actionNamed(judged(waitingRounds({1000, 1000, 100})), "hidden-waits"));
    // Launches with more instructions are other work.
    Profile other = waitingRounds({1000, 1000, 100});
    other.counters.set("smsp__sass_inst_executed.sum", 2, 40e3);
    const DurationStats mean = durationOf(other);
    REQUIRE(mean.whileCounted);
    CHECK(mean.whileCounted->value * 1e6 == Approx(700));
    // All of them took as long: that is how long it takes.
    CHECK_FALSE(durationOf(waitingRounds({1000, 990, 1010})).whileCounted);
}

TEST_CASE("a launch that waited in the program is no launch with more work") {
    // Two of six launches were counted: one waited in the program, the other one while it was
    // counted.
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.push("step").launch("solve", i == 1 ? 400 : 10).sync().pop();
    Profile profile = p.build();
    std::vector<double> counted(profile.launches.size(), std::nan("")), instructions = counted;
    counted[0] = 700e3, instructions[0] = 9e5;
    counted[1] = 12e3, instructions[1] = 7e5;
    profile.counters.addColumn("gpu__time_duration.sum", counted);
    profile.counters.addColumn("smsp__sass_inst_executed.sum", instructions);
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    CHECK(analysis.kernels.at(0).quantities.duration.judged().value * 1e6 <= 12);
}

TEST_CASE("gains are those of the launches that were counted, where these take another time") {
    // One launch in five has more work, and that one was counted: half of its time is idle lanes.
    SyntheticProgram p;
    for (int i = 0; i < 25; ++i)
        p.push("step").launch("solve", i % 5 == 0 ? 500 : 100).sync().pop();
    Profile profile = p.build();
    std::vector<double> counted(profile.launches.size(), std::nan(""));
    counted[5] = 500e3;
    profile.counters.addColumn("gpu__time_duration.sum", counted);
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    const DurationStats& duration = analysis.kernels[0].quantities.duration;
    CHECK(duration.median.value * 1e6 == Approx(100));
    REQUIRE(duration.ofCounted);
    CHECK(duration.judged().value * 1e6 == Approx(500));
    // A launch that ran on warm caches while counted is no other work.
    counted[5] = 200e3;
    profile.counters = {};
    profile.counters.addColumn("gpu__time_duration.sum", counted);
    const Analysis warm = analyze(std::make_shared<const Profile>(profile));
    CHECK_FALSE(warm.kernels[0].quantities.duration.ofCounted);
}

TEST_CASE("where only some launches wait for pages, the others show how long it takes without") {
    // Every fourth launch faults, and those were counted; the CPU works on the pages in between.
    const auto program = [](double faulting, double work) {
        SyntheticProgram p;
        p.call("cuMemAllocManaged", CallKind::Allocate, 50);
        for (int i = 0; i < 16; ++i)
            p.push("step").launch("solve", i % 4 == 3 ? faulting : 100).sync().work(work).pop();
        Profile profile = p.build();
        std::vector<double> counted(profile.launches.size(), std::nan(""));
        for (std::size_t i = 3; i < counted.size(); i += 4) counted[i] = 100e3;
        profile.counters.addColumn("gpu__time_duration.sum", counted);
        return profile;
    };
    const Profile some = program(10'000, 20'000);
    const Analysis analysis = analyze(std::make_shared<const Profile>(some));
    const VerdictReason& reason = analysis.kernels[0].verdict.reason;
    REQUIRE(reason.whileCounted);
    CHECK(reason.time.value * 1e6 == Approx(10'000));
    CHECK(reason.whileCounted->value * 1e6 == Approx(100));
    const Program faulted = judged(some);
    const Action* action = actionNamed(faulted, "page-faults");
    REQUIRE(action);
    // (12 × 100 + 4 × 10,000) / 16 - 100
    CHECK(action->bound.value * 1e6 == Approx(2475).epsilon(0.02));
    // The kernel faults again and again, so the CPU must have had the pages in between.
    const auto editOf = [](const Program& of) {
        const Action* host = actionNamed(of, "host-bound");
        REQUIRE(host);
        return host->edit.in(Language::En);
    };
    CHECK(editOf(faulted).find("cudaCpuDeviceId") != std::string::npos);
    const Program without = judged(program(100, 20'000));
    CHECK(actionNamed(without, "page-faults") == nullptr);
    CHECK(editOf(without).find("cudaCpuDeviceId") == std::string::npos);
}

TEST_CASE("a loop around the launches that repeat is seen by its pauses") {
    // Twelve calls: 64 MB in, 30 rounds of two launches, 64 MB out, and host work.
    const auto window = [](double host, std::size_t rounds, bool regular = true) {
        SyntheticProgram p;
        for (std::size_t call = 0; call < 12; ++call) {
            p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 2000);
            const std::size_t own = regular ? rounds : 5 + (call * 37) % 91;
            for (std::size_t i = 0; i < own; ++i) p.launch("rows", 50).launch("columns", 50);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 64e6, 2000).sync().work(host);
        }
        return judged(p.build());
    };
    const Program calls = window(1000, 30);
    CHECK(calls.window.periodLaunches == 60);
    CHECK(calls.window.seconds.value == Approx(8e-3).epsilon(0.05));
    REQUIRE_FALSE(calls.account.copies.empty());
    CHECK(calls.account.copies.front().bytes.value == Approx(64e6));
    // Longer inner loops hide the pauses: these are then some per cent of the time.
    CHECK(window(10, 2000).window.periodLaunches == 2);
    CHECK(window(1000, 30, false).window.periodLaunches == 2);  // no such loop
}

TEST_CASE("a part of the program is judged by the steps that it repeats itself") {
    // Steps of six launches, then longer ones of three of them: 24 launches repeat in both.
    SyntheticProgram p;
    for (int i = 0; i < 400; ++i) {
        p.launch("integrate", 5).launch("force", 60).launch("integrate", 5);
        p.launch("sum", 3).launch("sum", 3).launch("scale", 3);
    }
    for (int i = 0; i < 400; ++i)
        p.launch("integrate", 20).launch("force", 240).launch("integrate", 20);
    const Window window = judged(p.build()).window;
    CHECK(window.periodLaunches == 3);
    CHECK(window.seconds.value * 1e6 == Approx(280).epsilon(0.05));
    CHECK(window.others.count > 0);
    CHECK(window.others.seconds.value == 0);  // they are of another length
    CHECK(window.leftOut == 0);
    CHECK(window.occurrences == window.counted + 1);
}
