// SPDX-License-Identifier: Apache-2.0
// Actions about kernels, ranks and optimizers, and the floor: where each must be given, and where
// not; how much actions can save beside what else must run, and which of two stays.
#include "analyzer/program/actions/actions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/program/account/sites.h"
#include "profile/operations/merge.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::Rules;
using roofscope::test::rulesOf;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

TEST_CASE("findings of one rule and edit are one action over their kernels") {
    Profile profile = repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 3; ++i) p.launch("a", 100);
        p.launch("b", 200).launch("c", 400).sync();
    });
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    REQUIRE(analysis.kernels.size() == 4);  // one of them runs before the steps
    const auto finding = [](const char* rule, double gain) {
        Finding f;
        f.ruleId = rule;
        f.gain = Derived<Seconds>::of({gain}, "test");
        return f;
    };
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.findings.clear();
        if (kernel.name == "a") kernel.findings = {finding("global-uncoalesced", 40e-6)};
        if (kernel.name == "b")
            kernel.findings = {finding("global-uncoalesced", 30e-6), finding("wave-tail", 6e-6)};
        if (kernel.name == "c") {
            kernel.findings = {finding("missing-tensor-core", 300e-6)};
            kernel.findings.push_back(finding("global-uncoalesced", 100e-6));
            kernel.findings.back().minor = true;  // blocked by something else
        }
    }
    const Program program = analyzeProgram(analysis);
    CHECK(rulesOf(program) == Rules{"missing-tensor-core", "global-uncoalesced"});
    const Action& action = program.actions[1];
    CHECK(action.bound.value * 1e6 == Approx(3 * 40 + 30));
    REQUIRE(action.kernels.size() == 2);
    CHECK(analysis.kernels[action.kernels[0]].name == "a");
    CHECK(action.finding == 0u);
    REQUIRE(action.sites.size() == 1);
    CHECK(action.sites[0].text == "step");
    CHECK(program.kernels[action.kernels[0]].perWindow == Approx(3));
}

TEST_CASE("launches that were timed and those that were counted") {
    SyntheticProgram p;
    p.launch("a", 10).launch("a", 10).launch("b", 10);
    Profile profile = p.build();
    profile.launches[2].duration.reset();
    profile.counters.set("dram__bytes_read.sum", 0, 5.0);
    const Program program = judged(profile);
    CHECK(program.launchesTimed == 2);
    CHECK(program.launchesCounted == 1);
    CHECK(program.kernels[0].timed + program.kernels[1].timed == 2);
}

TEST_CASE("of similar findings, an action shows one whose lines are known") {
    const auto shown = [](double known) {
        Profile profile =
            repeated([](SyntheticProgram& p) { p.launch("a", 200).launch("b", 200).sync(); });
        Analysis analysis = analyze(std::make_shared<const Profile>(profile));
        for (KernelAnalysis& kernel : analysis.kernels) {
            const bool withLine = kernel.name == "b";
            Finding finding{.ruleId = "integer-arithmetic",
                            .gain = Derived<Seconds>::of({withLine ? known : 100e-6}, "test")};
            if (withLine) finding.places.emplace_back();
            kernel.findings = {finding};
        }
        const Action action = actionOf(analyzeProgram(analysis), "integer-arithmetic");
        return analysis.kernels[action.kernels.front()].name;
    };
    CHECK(shown(80e-6) == "b");
    CHECK(shown(40e-6) == "a");
}

TEST_CASE("a program near its floor is told to stop") {
    Profile profile = repeated([](SyntheticProgram& p) { p.launch("k", 1000).sync(); });
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    analysis.kernels[0].findings.clear();
    analysis.kernels[0].jointGain = Derived<Seconds>::of({30e-6}, "test");
    const Program done = analyzeProgram(analysis);
    REQUIRE(done.floor.has_value());
    CHECK(done.floor->value * 1e6 == Approx(970));
    CHECK(done.fusedFloor == Seconds{});  // their operations are unknown
    REQUIRE(done.stop.has_value());
    CHECK(done.stop->value == Approx(1009.0 / 970 - 1));

    analysis.kernels[0].jointGain = Derived<Seconds>::of({300e-6}, "test");
    CHECK_FALSE(analyzeProgram(analysis).stop.has_value());
    // A kernel without a bound has no floor.
    analysis.kernels[0].jointGain = Derived<Seconds>::absent("counters");
    CHECK_FALSE(analyzeProgram(analysis).floor.has_value());
    CHECK_FALSE(analyzeProgram(analysis).stop.has_value());
}

namespace {

/// Steps of one rank: a product and its communication, in microseconds.
Profile rankOf(std::uint32_t rank, double product, double communication, double late = 0) {
    Profile profile = repeated([&](SyntheticProgram& p) {
        if (late > 0) p.work(late);
        p.launch("gemm", product).launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", communication);
        p.sync();
    });
    profile.processes[0].rank = rank;
    profile.processes[0].worldSize = 2;
    profile.processes[0].host = "node" + std::to_string(rank);
    return profile;
}

Program ranked(Profile first, Profile second) {
    std::vector<MergeInput> both;
    both.push_back({std::move(first), "rank0"});
    both.push_back({std::move(second), "rank1"});
    auto merged = mergeProfiles(std::move(both));
    REQUIRE(merged);
    return judged(*merged);
}

}  // namespace

TEST_CASE("a rank that waits for another is told for whom, in what and why") {
    const Program program = ranked(rankOf(0, 1000, 1100), rankOf(1, 2000, 100));
    const Action& action = actionOf(program, "uneven-ranks");
    const auto value = [&](std::string_view name) {
        const auto found = std::ranges::find(action.args, name, &Arg::name);
        REQUIRE(found != action.args.end());
        return *found;
    };
    CHECK(value("waiting").value == 0);
    CHECK(value("slow").value == 1);
    CHECK(value("waits").value * 1e6 == Approx(1000));
    CHECK(value("kernel").text.in(Language::En) == "gemm");
    CHECK(value("slowPart").value * 1e6 == Approx(2000));
    CHECK(action.bound.value * 1e6 == Approx(500));  // balanced, both take 1500
    CHECK(action.estimate);
}

TEST_CASE("a rank whose shapes differ launches kernels that the other one does not") {
    const auto rank = [](std::uint32_t number, const char* kernel, double time, double waits) {
        Profile profile = rankOf(number, time, waits);
        for (Kernel& k : profile.kernels)
            if (k.name == "gemm") k.name = k.symbol = kernel;
        return profile;
    };
    const Program program = ranked(rank(0, "small", 1000, 1100), rank(1, "large", 2000, 100));
    const Action& action = actionOf(program, "uneven-ranks");
    CHECK(action.sentence.in(Language::En).find("does not launch") != std::string::npos);
    CHECK(action.sentence.in(test::kZh).find("{waitingPart}") == std::string::npos);
}

TEST_CASE("a rank that gets its work later is not reported as having more work") {
    const Program program = ranked(rankOf(0, 1000, 1100), rankOf(1, 1000, 100, 1000));
    const Action& action = actionOf(program, "uneven-ranks");
    CHECK(std::ranges::find(action.args, "kernel", &Arg::name) == action.args.end());
    CHECK(action.sentence.in(Language::En).find("gets its work later") != std::string::npos);
}

TEST_CASE("one late step does not make a rank slow") {
    // One step of six takes six times as long: on average rank 0 waits for 5 ms of 6.
    int step = 0;
    Profile late = repeated([&](SyntheticProgram& p) {
        const double more = ++step == 4 ? 5000 : 0;
        p.launch("gemm", 1000).launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100 + more);
        p.sync();
    });
    late.processes[0].rank = 0;
    late.processes[0].worldSize = 2;
    late.processes[0].host = "node0";
    CHECK_FALSE(says(ranked(late, rankOf(1, 1000, 100)), "uneven-ranks"));
}

TEST_CASE("even ranks and unknown ranks give no action") {
    CHECK_FALSE(says(ranked(rankOf(0, 1000, 100), rankOf(1, 1010, 95)), "uneven-ranks"));
    Profile nameless = rankOf(1, 2000, 100);
    nameless.processes[0].rank.reset();
    CHECK_FALSE(says(ranked(rankOf(0, 1000, 1100), nameless), "uneven-ranks"));
    CHECK_FALSE(says(judged(rankOf(0, 1000, 1100)), "uneven-ranks"));
}

TEST_CASE("a place names the operator, and the line of the forward pass") {
    CallSite site{.kernel = 0,
                  .file = "/app/train.py",
                  .line = 12,
                  .function = "forward",
                  .op = "aten::gelu",
                  .sizes = "[2048, 4096]"};
    CHECK(program::siteText(site) == "train.py:12 (forward) aten::gelu [2048, 4096]");
    CHECK(program::lineOf(site).line == 12);
    site = {.kernel = 0,
            .file = "/app/train.py",
            .line = 20,
            .function = "main",
            .indirect = true,
            .op = "aten::gelu_backward",
            .backward = "GeluBackward0",
            .forward = {.file = "/app/net.py", .line = 7, .function = "forward"}};
    CHECK(program::siteText(site) == "net.py:7 (forward) GeluBackward0: aten::gelu_backward");
    CHECK(program::lineOf(site).line == 7);
    site.forward = {};
    CHECK(program::siteText(site) == "train.py:20 (main) GeluBackward0: aten::gelu_backward");
    CHECK(program::siteText({.kernel = 0, .op = "aten::mm"}) == "aten::mm");
    CHECK(program::siteText({.call = "cuMemAlloc", .module = "/app/libx.so", .offset = 16}) ==
          "libx.so+0x10");
}

TEST_CASE("attention and products in fp32 are told once to run in bf16") {
    const auto model = [](const char* attention, double productUs) {
        Profile profile = repeated([&](SyntheticProgram& p) {
            p.launch(attention, 300)
                .launch("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_ffma_cublas",
                        productUs)
                .launch("at::native::vectorized_elementwise_kernel", 300)
                .sync();
        });
        for (Kernel& kernel : profile.kernels)
            if (kernel.name.starts_with("at::native"))
                kernel.symbol = "_ZN2at6native29vectorized_elementwise_kernelILi4E";
        return judged(profile);
    };
    constexpr const char* kFp32 = "fmha_cutlassF_f32_aligned_64x64_rf_sm80";
    const Program program = model(kFp32, 200);
    const Action& action = actionOf(program, "model-in-fp32");
    CHECK(action.bound.value * 1e6 == Approx(250).epsilon(0.01));
    CHECK(action.kernels.size() == 2);
    CHECK_FALSE(says(program, "fp32-product"));
    CHECK_FALSE(says(model("fmha_cutlassF_bf16_aligned_64x64_rf_sm80", 200), "model-in-fp32"));
    CHECK_FALSE(says(model(kFp32, 20), "model-in-fp32"));
}

namespace {

/// A PyTorch kernel that does one operation on the elements of many tensors.
std::string foreachKernel(const std::string& operation) {
    return "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
           "(anonymous namespace)::TensorListMetadata<2>, " +
           operation + ">(int)";
}

/// A step of Adam that runs one operation after another; each tensor read or written takes 10 us.
Profile adamStep(std::string_view without = "") {
    const std::vector<std::pair<std::string, double>> operations{
        {"at::native::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>", 30},
        {"at::native::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>", 20},
        {"at::native::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>", 30},
        {"at::native::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>", 20},
        {"at::native::BinaryOpScalarListFunctor<float, 1, 1, 0>, std::divides<float>", 20},
        {"at::native::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>", 20},
        {"at::native::PointwiseOpScalarListFunctor<float, 3, 3, 0>, std::divides<float>", 40}};
    Profile profile = repeated([&](SyntheticProgram& p) {
        p.launch("forward", 100);
        for (const auto& [operation, us] : operations)
            if (without.empty() || operation.find(without) == operation.npos)
                p.launch(foreachKernel(operation), us);
        // Clips gradients: not part of the optimizer.
        p.launch(foreachKernel("at::native::BinaryOpScalarTensorFunctor<float, 1, 1, 0>, "
                               "std::multiplies<float>"),
                 20);
        p.sync();
    });
    for (Kernel& kernel : profile.kernels)
        if (kernel.name.find("at::native") != std::string::npos)
            kernel.symbol = "_ZN2at6native25multi_tensor_apply_kernel" +
                            std::to_string(&kernel - profile.kernels.data());
    return profile;
}

}  // namespace

TEST_CASE("an optimizer that does one operation after the other can do all in one pass") {
    const Program program = judged(adamStep());
    const Action& action = actionOf(program, "optimizer-passes");
    // 18 tensors read or written; seven in a single pass.
    CHECK(action.bound.value * 1e6 == Approx(180 - 70).epsilon(0.01));
    CHECK(action.estimate);
    CHECK(action.kernels.size() == 7);
    CHECK(action.args[0].value == Approx(7));
    CHECK(action.args[1].value * 1e6 == Approx(180).epsilon(0.01));
}

TEST_CASE("operations on many tensors that are not Adam's give no action") {
    for (const char* missing :
         {"LerpFunctor", "Sqrt", "PointwiseOpScalarFunctor", "ListFunctor<float, 3"}) {
        INFO(missing);
        CHECK_FALSE(says(judged(adamStep(missing)), "optimizer-passes"));
    }
    // NAdam has two quotients and centred RMSprop two products; neither has a fused form.
    for (const char* twice : {"ListFunctor<float, 3", "PointwiseOpScalarFunctor"}) {
        Profile profile = adamStep();
        for (Launch& launch : profile.launches)
            if (profile.kernels[launch.kernel].name.find(twice) != std::string::npos)
                launch.duration = *launch.duration * 2.1;
        CHECK_FALSE(says(judged(profile), "optimizer-passes"));
    }
    // Without the plain product, as in Adam without weight decay: the action is still given.
    CHECK(says(judged(adamStep("ScalarListFunctor<float, 1")), "optimizer-passes"));
}

TEST_CASE("the floor counts one pass of an optimizer") {
    Analysis analysis = analyze(std::make_shared<const Profile>(adamStep()));
    for (KernelAnalysis& kernel : analysis.kernels)
        kernel.jointGain = Derived<Seconds>::of(Seconds{0}, "test");
    CHECK(analyzeProgram(analysis).floor->value * 1e6 == Approx(100 + 70 + 20).epsilon(0.01));
}

namespace {

Analysis analysisOf(Profile profile) {
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

/// Gives the kernels whose names contain `name` this finding and no other.
void findIn(Analysis& analysis, std::string_view name, const char* rule, double gain) {
    for (KernelAnalysis& kernel : analysis.kernels) {
        if (kernel.fullName.find(name) == std::string::npos) continue;
        Finding finding;
        finding.ruleId = rule;
        finding.gain = Derived<Seconds>::of({gain}, "test");
        kernel.findings = {finding};
    }
}

double inUs(Seconds time) { return time.value * 1e6; }

/// Rows of a field, one small launch each, in so many blocks.
Profile rowByRow(std::uint32_t blocks) {
    Profile profile = repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 200; ++i) p.launch("axpy", 3).work(5);
        p.sync();
    });
    for (Launch& launch : profile.launches) launch.grid = {.x = blocks, .y = 1, .z = 1};
    return profile;
}

/// Kernels that run beside a copy of `copied` microseconds.
Program besideCopies(double copied) {
    Analysis analysis = analysisOf(repeated([&](SyntheticProgram& p) {
        p.copyBeside(TransferKind::HostToDevice, copied * 54e3, copied);
        p.launch("gemm", 5000).sync().work(5200);
    }));
    findIn(analysis, "gemm", "global-uncoalesced", 3e-3);
    return analyzeProgram(analysis);
}

constexpr const char* kGatherOfTorch = "void at::native::vectorized_gather_kernel<16, long>(char*)";
constexpr const char* kAddOfTorch =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)";

}  // namespace

TEST_CASE("one launch of many small ones saves their kernels' time, too") {
    const Program small = judged(rowByRow(4)), full = judged(rowByRow(1024));
    const Action& one = actionOf(small, "launch-bound-program");
    const Action& other = actionOf(full, "launch-bound-program");
    CHECK(one.edit.in(Language::En).starts_with("Make one launch of many"));
    // All but one of 200 launches of 3 us, and the gaps that a graph leaves between them.
    CHECK(inUs(one.ofKernels) == Approx(199 * 3));
    CHECK(inUs(one.bound - other.bound) == Approx(199 * 3 + 199).epsilon(0.01));
    CHECK(one.bound < small.window.seconds);
    CHECK(one.sentence.in(Language::En).find("{merged}") != std::string::npos);
    // Where each launch fills the GPU, one of all takes as long as they do.
    CHECK(other.ofKernels.value == 0);
    CHECK(other.sentence.in(Language::En).find("{merged}") == std::string::npos);
}

TEST_CASE("small calls of a solver, one after the other, are told of the library's batched form") {
    const auto edit = [](const char* symbol, int launches, std::uint32_t blocks, bool waits) {
        SyntheticProgram p;
        for (int i = 0; i < 100; ++i) {
            p.push("step");
            for (int k = 0; k < launches; ++k) p.launch("solve", 40);
            if (waits) p.sync();
            p.pop();
        }
        Profile profile = p.sync().build();
        for (Kernel& kernel : profile.kernels) kernel.symbol = symbol;
        for (Launch& launch : profile.launches) launch.grid = {blocks, 1, 1};
        Analysis analysis = analysisOf(std::move(profile));
        findIn(analysis, "solve", "grid-too-small", 30e-6);
        return actionOf(analyzeProgram(analysis), "grid-too-small").edit.in(Language::En);
    };
    constexpr const char* kSolver = "_Z12trsv_ln_execIdLj32EEviPKT_lPS0_lPi";
    constexpr const char* kReduction = "_ZN3cub6detail28DeviceReduceSingleTileKernelEv";
    CHECK(edit(kSolver, 2, 1, false).find("batched form") != std::string::npos);
    CHECK(edit("_Z5solvePd", 16, 1, false).find("Make the {launches} launches one") == 0);
    CHECK(edit(kSolver, 2, 1, true).empty());      // the rule's own edit
    CHECK(edit(kSolver, 16, 1, false).empty());    // perhaps one call of many kernels
    CHECK(edit(kSolver, 2, 9, false).empty());     // larger ones
    CHECK(edit(kReduction, 2, 1, false).empty());  // has no such form
}

TEST_CASE("a grid that is too small is not told again where one launch of many is") {
    Analysis analysis = analysisOf(rowByRow(4));
    findIn(analysis, "axpy", "grid-too-small", 2e-6);
    CHECK_FALSE(says(analyzeProgram(analysis), "grid-too-small"));
    findIn(analysis, "axpy", "global-uncoalesced", 2e-6);
    CHECK(says(analyzeProgram(analysis), "global-uncoalesced"));
}

TEST_CASE("a kernel that runs while the link is busy saves nothing beside it") {
    CHECK_FALSE(says(besideCopies(10'000), "global-uncoalesced"));
    CHECK(inUs(actionOf(besideCopies(1000), "global-uncoalesced").bound) == Approx(3000));
}

TEST_CASE("no floor is stated where an action may go below it") {
    const auto floorOf = [](double kernel) {
        Analysis analysis = analysisOf(repeated([&](SyntheticProgram& p) {
            p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 540e6, 10'000);
            p.launch("gemm", kernel).sync();
        }));
        for (KernelAnalysis& kernelOf : analysis.kernels) {
            kernelOf.findings.clear();
            kernelOf.jointGain = Derived<Seconds>::of({0}, "test");
        }
        return analyzeProgram(analysis).floor;
    };
    CHECK_FALSE(floorOf(500));  // fewer bytes would shorten the copies
    const auto floor = floorOf(30'000);
    REQUIRE(floor);
    CHECK(inUs(*floor) == Approx(30'000));
}

TEST_CASE("of two actions that take the same launches away the larger one stays") {
    const auto judgedWith = [](const char* kernel, const char* symbol) {
        Profile profile = repeated([&](SyntheticProgram& p) {
            p.launch(kernel, 400).launch("sm80_xmma_gemm_f32f32", 300).sync();
        });
        for (Kernel& of : profile.kernels)
            if (of.name == kernel) of.symbol = symbol;
        Analysis analysis = analysisOf(std::move(profile));
        findIn(analysis, kernel, "block-start-rate", 300e-6);
        return analyzeProgram(analysis);
    };
    const Program moves =
        judgedWith(kGatherOfTorch, "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPc");
    CHECK(says(moves, "data-movement"));
    CHECK_FALSE(says(moves, "block-start-rate"));
    // Nothing takes these launches away.
    const Program adds =
        judgedWith(kAddOfTorch, "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi");
    CHECK(says(adds, "block-start-rate"));
    CHECK(says(judgedWith("own", "own"), "block-start-rate"));
}
