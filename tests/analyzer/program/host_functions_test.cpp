// SPDX-License-Identifier: Apache-2.0
// What actions say of the CPU where it was sampled.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/program/actions/actions.h"
#include "analyzer/program/actions/host_work_kind.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::program::makesRandomNumbers;
using roofscope::program::namesACheck;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kTorchKernel = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi";

/// Six steps: 4 ms on the CPU, then a copy of data to the GPU and a kernel.
Profile loadingProgram() {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step").work(4000);
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 1e6, 100);
        p.launch(kTorchKernel, 1000).sync().pop();
    }
    return p.build();
}

/// A sample every 50 µs; of four, three are in `most` and one in `rest`.
Profile sampled(Profile profile, const std::vector<CpuFrame>& most,
                const std::vector<CpuFrame>& rest) {
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 50'000;
    for (const auto* stack : {&most, &rest}) {
        auto& indices = samples.stacks.emplace_back();
        for (const CpuFrame& frame : *stack) {
            indices.push_back(static_cast<std::uint32_t>(samples.frames.size()));
            samples.frames.push_back(frame);
        }
    }
    for (std::uint32_t i = 0; i < 2000; ++i)
        samples.samples.push_back(
            {.time = i * samples.period, .thread = 0, .stack = i % 4 == 0 ? 1U : 0U});
    return profile;
}

std::optional<Action> actionOf(const Profile& profile, std::string_view rule) {
    const Program program = judged(profile);
    const auto found = std::ranges::find(program.actions, rule, &Action::rule);
    return found == program.actions.end() ? std::nullopt : std::optional(*found);
}

Action hostBound(const Profile& profile) {
    const std::optional<Action> found = actionOf(profile, "host-bound");
    REQUIRE(found);
    return *found;
}

bool says(const Words& words, std::string_view part) {
    return words.in(Language::En).find(part) != std::string::npos;
}

const CpuFrame kOwn{.function = "augment", .file = "/home/a/train.py", .line = 12};
const CpuFrame kOther{.function = "main", .file = "/home/a/train.py", .line = 40};
const CpuFrame kFetch{.function = "_next_data",
                      .file = "/opt/lib/python3.12/site-packages/torch/utils/data/dataloader.py",
                      .line = 700};

}  // namespace

TEST_CASE("where samples know what the CPU does, nothing is guessed from the copy that follows") {
    CHECK(says(hostBound(loadingProgram()).title, "The CPU prepares data while the GPU waits"));
    const Action action = hostBound(sampled(loadingProgram(), {kOwn, kOther}, {kOther}));
    CHECK(says(action.title, "The GPU waits for work on the CPU"));
    CHECK_FALSE(says(action.sentence, "right before"));
    CHECK_FALSE(says(action.edit, "num_workers"));
    CHECK_FALSE(says(action.edit, "CPU profiler"));
    CHECK(action.sites.empty());
    REQUIRE(action.hostFunctions.size() == 2);
    CHECK(action.hostFunctions[0].function == "augment");
    CHECK(action.hostFunctions[0].place == "train.py:12");
    CHECK(action.hostFunctions[0].share.value == Approx(0.75).margin(0.03));
    CHECK(action.hostFunctions[1].share.value == Approx(0.25).margin(0.03));
}

TEST_CASE("PyTorch's operators on CPU tensors are told from those that it gives the GPU") {
    const CpuFrame torch{.module = "/opt/torch/lib/libtorch_cpu.so"};
    const CpuFrame threads{.module = "/opt/torch/lib/libgomp-a1b2.so.1"};
    const CpuFrame cuda{.module = "/opt/torch/lib/libtorch_cuda.so"};
    const auto toldSo = [&](std::vector<CpuFrame> stack, bool usesTorch = true) {
        stack.push_back(kOwn);
        Profile profile = sampled(loadingProgram(), std::move(stack), {kOther});
        if (!usesTorch)
            for (Kernel& kernel : profile.kernels) kernel.name = kernel.symbol = "own";
        return says(hostBound(profile).edit, "CPU tensors");
    };
    CHECK(toldSo({threads, threads, torch, torch}));
    CHECK_FALSE(toldSo({cuda, torch, torch, torch, torch, torch, torch}));
    CHECK_FALSE(toldSo({threads, torch, cuda}));
    // Not without threads: one operator's dispatch looks the same.
    CHECK_FALSE(toldSo({torch, torch, torch, torch, torch, torch}));
    CHECK_FALSE(toldSo({threads, threads, torch, torch}, false));
}

TEST_CASE("a CPU that computes with NumPy is told so") {
    const CpuFrame numpy{.module = "/opt/lib/python3.12/site-packages/numpy/_core/_multi.so"};
    const auto editOf = [](const CpuFrame& innermost) {
        return hostBound(sampled(loadingProgram(), {innermost, kOwn}, {kOther})).edit;
    };
    CHECK(says(editOf(numpy), "NumPy does this on one core"));
    CHECK_FALSE(says(editOf(kOwn), "NumPy"));
}

TEST_CASE("a DataLoader that samples show is said to be one") {
    const Action action = hostBound(sampled(loadingProgram(), {kFetch, kOther}, {kOwn, kOther}));
    CHECK(says(action.title, "The GPU waits for data loading"));
    CHECK(says(action.edit, "num_workers"));
    REQUIRE(action.hostFunctions.size() == 2);
    CHECK(action.hostFunctions[0].function == "main");
    CHECK(action.hostFunctions[0].callee == "_next_data");
}

TEST_CASE("a CPU that makes random numbers is told so, if that is most of its work") {
    const CpuFrame generator{.module = "/usr/lib/libc.so.6", .offset = 1, .function = "rand"};
    const CpuFrame other{.module = "/usr/lib/libc.so.6", .offset = 2, .function = "strand"};
    const auto edit = [&](const std::vector<CpuFrame>& most, const std::vector<CpuFrame>& rest) {
        return hostBound(sampled(loadingProgram(), most, rest)).edit;
    };
    CHECK(says(edit({generator, kOwn}, {kOther}), "cuRAND"));
    const Words quarter = edit({kOwn}, {generator, kOther});
    CHECK(says(quarter, "Make this work shorter"));
    CHECK(says(quarter, "25 % of this makes random numbers"));
    CHECK_FALSE(says(edit({other, kOwn}, {kOther}), "cuRAND"));
}

TEST_CASE("the time in a host stub is that of launching its kernel") {
    const CpuFrame stub{.module = "/a/app", .function = "__device_stub__Z4stepPf(float*)"};
    const CpuFrame loop{.module = "/a/app", .function = "loop()", .file = "/a/app.cu", .line = 9};
    const Action action = hostBound(sampled(loadingProgram(), {stub, loop}, {loop}));
    REQUIRE_FALSE(action.hostFunctions.empty());
    CHECK((action.hostFunctions[0].function == "step<<<>>>" ||
           action.hostFunctions[0].callee == "step<<<>>>"));
}

TEST_CASE("a loop around a library's call is told to make one batched call") {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int step = 0; step < 6; ++step) {
        p.push("step");
        for (int i = 0; i < 120; ++i) p.launch("gemm", 1).work(5).launch("splitk", 1).work(5);
        p.sync().pop();
    }
    const Profile program = p.build();
    const auto edit = [&](const char* function) {
        const CpuFrame library{.module = "/lib/libcublas.so.13", .offset = 1, .function = function};
        const CpuFrame loop{
            .module = "/a/app", .function = "detect()", .file = "/a/app.cu", .line = 9};
        const auto action =
            actionOf(sampled(program, {library, loop}, {loop}), "launch-bound-program");
        REQUIRE(action);
        std::string text = action->edit.in(Language::En);
        for (const Arg& arg : action->args)
            if (arg.name.str() == "batched") text += " " + arg.text.in(Language::En);
        return text;
    };
    const std::string gemm = edit("cublasCgemm_v2");
    CHECK(gemm.starts_with("Make one call of many"));
    CHECK(gemm.ends_with(" cublasCgemmStridedBatched"));
    CHECK(edit("cufftExecC2C").ends_with(" a plan of cufftPlanMany"));
    CHECK(edit("cublasStrsm_v2").ends_with(" cublasStrsmBatched"));
    CHECK_FALSE(edit("cublasCaxpy_v2").starts_with("Make one call of many"));
    CHECK_FALSE(edit("cublasCgemmStridedBatched").starts_with("Make one call of many"));
}

TEST_CASE("generators of the C++ library, NumPy, PyTorch and Python make random numbers, too") {
    const auto is = [](const char* module, const char* function, const char* file = "") {
        return makesRandomNumbers({.module = module, .function = function, .file = file});
    };
    CHECK(is("/a/app", "std::mersenne_twister_engine<unsigned long, 32ul>::_M_gen_rand()"));
    CHECK(is("/a/app", "int std::uniform_int_distribution<int>::operator()<std::mt19937>(…)"));
    CHECK(is("/lib/libc.so.6", "__random_r"));
    CHECK(is("/lib/libc.so.6", "__drand48_iterate"));
    CHECK(is("/x/site-packages/numpy/random/_generator.cpython-312-x86_64-linux-gnu.so", ""));
    CHECK(is("/x/torch/lib/libtorch_cpu.so", "at::CPUGeneratorImpl::random()"));
    CHECK(is("", "Random.gauss", "/usr/lib/python3.12/random.py"));
    CHECK_FALSE(is("/a/app", "randomWalk(float*)"));
    CHECK_FALSE(is("/a/app", "strand"));
    CHECK_FALSE(is("/a/app", "distribution(int)"));
    CHECK_FALSE(is("", "random", "/home/a/random.py"));
    CHECK_FALSE(is("", "normal", "/x/site-packages/jax/_src/random.py"));
}

TEST_CASE("a function whose name says so looks like a check of the results") {
    for (const char* name :
         {"merge_ref", "ViterbiCPU", "floydWarshallCPUReference", "HistogramGold<3, 256, float4>",
          "verifyResults", "check", "validate_output", "test_correctness", "test_unordered_map",
          "cpu_viterbi", "cpuMatMul"})
        CHECK(namesACheck(name));
    for (const char* name : {"merge", "deref", "refine", "preference", "fread_check",
                             "check_collisions", "checkCudaErrors", "ref_count", "main", "cost",
                             "cpuWorker", "testBit", "test", "latest_state", "cpu_time"})
        CHECK_FALSE(namesACheck(name));
}

TEST_CASE("checks and random numbers in each repeat are told apart by their shares") {
    const CpuFrame engine{.module = "/a/app",
                          .offset = 1,
                          .function = "std::mersenne_twister_engine<unsigned long>::_M_gen_rand()",
                          .file = "/usr/include/c++/12/bits/random.tcc",
                          .line = 406};
    const CpuFrame main{
        .module = "/a/app", .offset = 2, .function = "main", .file = "/a/main.cu", .line = 128};
    const CpuFrame check{.module = "/a/app",
                         .offset = 3,
                         .function = "merge_ref(unsigned char*)",
                         .file = "/a/reference.h",
                         .line = 10};
    const auto edit = [&](const std::vector<CpuFrame>& most, const std::vector<CpuFrame>& rest) {
        return hostBound(sampled(loadingProgram(), most, rest)).edit;
    };
    const Words both = edit({check, main}, {engine, main});
    CHECK(says(both, "Most of this looks like a check of the results"));
    CHECK(says(both, "25 % of this makes random numbers"));
    CHECK_FALSE(says(both, "Make this work shorter"));
    // A quarter alone does not replace the usual advice.
    const Words quarter = edit({main}, {check, main});
    CHECK(says(quarter, "Make this work shorter"));
    CHECK(says(quarter, "25 % of this looks like a check"));
    // A Python function of such a name may be part of the training.
    const CpuFrame validate{.function = "validate", .file = "/home/a/train.py", .line = 3};
    CHECK_FALSE(says(edit({validate}, {kOther}), "check of the results"));
}

/// A program that waits, while `workers` processes that it forked work for `busy` of four moments
/// and one of them is seen.
Profile waitingProgram(std::vector<CpuFrame> stack, CpuWait wait, std::uint32_t workers = 2,
                       std::uint32_t cpus = 8, std::uint32_t busy = 4) {
    Profile profile = sampled(loadingProgram(), std::move(stack), {});
    CpuSamples& samples = *profile.processes[0].cpuSamples;
    samples.cpus = cpus;
    const CpuFrame decode{.function = "decode", .file = "/home/a/data.py", .line = 64};
    const CpuFrame loop{.function = "_worker_loop",
                        .file = "/x/site-packages/torch/utils/data/_utils/worker.py",
                        .line = 300};
    samples.stacks[1] = {static_cast<std::uint32_t>(samples.frames.size()),
                         static_cast<std::uint32_t>(samples.frames.size() + 1)};
    samples.frames.insert(samples.frames.end(), {decode, loop});
    const auto first = static_cast<std::uint32_t>(profile.timeline.threads.size());
    for (std::uint32_t i = 0; i < workers; ++i)
        profile.timeline.threads.push_back({.process = 0, .id = 100 + i, .worker = true});
    const std::size_t count = samples.samples.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        samples.samples[i].stack = 0;
        samples.samples[i].wait = wait;
        if (i % 4 < busy)
            samples.samples.push_back(
                {.time = samples.samples[i].time, .thread = first + i / 4 % workers, .stack = 1});
    }
    return profile;
}

const CpuFrame kConnection{
    .function = "_poll", .file = "/usr/lib/python3.12/multiprocessing/connection.py", .line = 440};
const CpuFrame kCondition{
    .function = "Condition.wait", .file = "/usr/lib/python3.12/threading.py", .line = 320};

TEST_CASE("forked workers count in place of the thread that waits for them") {
    const auto checked = [](const std::vector<CpuFrame>& stack, CpuWait wait) {
        const Action action = hostBound(waitingProgram(stack, wait));
        REQUIRE(action.hostFunctions.size() == 1);
        CHECK(action.hostFunctions[0].function == "decode");
        CHECK(action.hostFunctions[0].place == "data.py:64");
        CHECK(action.hostFunctions[0].inWorker);
        CHECK(action.hostFunctions[0].wait == CpuWait::None);
        CHECK(says(action.title, "The GPU waits for data loading"));
        CHECK_FALSE(says(action.edit, "num_workers"));
        CHECK(says(action.edit, "seen at a time: 2"));
        CHECK(says(action.edit, "may use 8 CPUs"));
    };
    checked({kConnection, kOther}, CpuWait::Poll);
    checked({kCondition, kFetch, kOther}, CpuWait::Lock);  // pin_memory=True
    checked({kOther}, CpuWait::Child);
}

TEST_CASE("workers are not named for a wait that may be for something else") {
    const auto waits = [](const Profile& profile) {
        const Action action = hostBound(profile);
        REQUIRE_FALSE(action.hostFunctions.empty());
        return !action.hostFunctions[0].inWorker && action.hostFunctions[0].function == "main";
    };
    CHECK(waits(waitingProgram({kOther}, CpuWait::Poll)));              // a socket of its own
    CHECK(waits(waitingProgram({kCondition, kOther}, CpuWait::Lock)));  // a thread
    CHECK(waits(waitingProgram({kConnection, kOther}, CpuWait::None)));
    CHECK(waits(waitingProgram({kConnection, kOther}, CpuWait::Poll, 2, 8, 0)));  // none works
    // A package's own folder of this name is the program's.
    const CpuFrame own{.function = "main", .file = "/home/a/multiprocessing/run.py", .line = 4};
    CHECK(waits(waitingProgram({own}, CpuWait::Poll)));
}

TEST_CASE("a thread that waits for the workers speaks for one that waits for a lock") {
    Profile profile = waitingProgram({kCondition, kOther}, CpuWait::Lock);
    CpuSamples& samples = *profile.processes[0].cpuSamples;
    const auto stack = static_cast<std::uint32_t>(samples.stacks.size());
    samples.stacks.push_back({static_cast<std::uint32_t>(samples.frames.size())});
    samples.frames.push_back(kConnection);
    const auto thread = static_cast<std::uint32_t>(profile.timeline.threads.size());
    profile.timeline.threads.push_back({.process = 0, .id = 2});
    for (std::uint32_t i = 0; i < 2000; ++i)
        samples.samples.push_back(
            {.time = i * samples.period, .thread = thread, .stack = stack, .wait = CpuWait::Poll});
    const Action action = hostBound(profile);
    REQUIRE(action.hostFunctions.size() == 1);
    CHECK(action.hostFunctions[0].function == "decode");
}

TEST_CASE("more workers are advised only where CPUs are left") {
    const auto edit = [](std::uint32_t workers, std::uint32_t cpus) {
        return hostBound(waitingProgram({kConnection}, CpuWait::Poll, workers, cpus)).edit;
    };
    CHECK(says(edit(7, 8), "more workers"));
    CHECK_FALSE(says(edit(8, 8), "more workers"));
    CHECK(says(edit(8, 8), "all 8 CPUs"));
    Profile unknown = waitingProgram({kConnection}, CpuWait::Poll);
    unknown.processes[0].cpuSamples->cpus.reset();
    CHECK(says(hostBound(unknown).edit, "Worker processes do this already."));
}

TEST_CASE("with too few samples the action is as without samples") {
    Profile profile = sampled(loadingProgram(), {kOwn}, {kOther});
    profile.processes[0].cpuSamples->samples.resize(10);
    const Action action = hostBound(profile);
    CHECK(action.hostFunctions.empty());
    CHECK(says(action.title, "The CPU prepares data while the GPU waits"));
}

TEST_CASE("what the recorder does is not said of the program") {
    const CpuFrame cupti{.module = "/usr/lib/libcupti.so.13", .function = "process"};
    const Action action = hostBound(sampled(loadingProgram(), {cupti, kOwn, kOther}, {kOther}));
    for (const auto& function : action.hostFunctions) {
        CHECK(function.function.find("cupti") == std::string::npos);
        CHECK(function.callee.find("process") == std::string::npos);
    }
    CHECK(action.hostFunctions.at(0).function == "augment");
}

TEST_CASE("code that is compiled in each repeat is an action of its own") {
    const CpuFrame nvrtc{.module = "/x/site-packages/nvidia/lib/libnvrtc.so.13", .offset = 1};
    const CpuFrame cudnn{.module = "/x/nvidia/libcudnn_engines_runtime_compiled.so.9"};
    const auto compiled = [&](const std::vector<CpuFrame>& stack) {
        return sampled(loadingProgram(), stack, {kOwn, kOther});
    };
    constexpr const char* kHostFunctions = "code-compiled-in-loop";
    Profile attention = compiled({nvrtc, nvrtc, cudnn, kOther});
    const auto convolutions = actionOf(attention, kHostFunctions);
    REQUIRE(convolutions);
    CHECK(says(convolutions->edit, "cudnn.benchmark"));
    attention.kernels.at(0).name = "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_kernel0_0";
    const auto action = actionOf(attention, kHostFunctions);
    REQUIRE(action);
    CHECK(action->bound.value * 1e3 == Approx(3).margin(0.2));  // of 4 ms
    CHECK(action->args[1].text.in(Language::En) == "cuDNN");
    CHECK(says(action->edit, "enable_cudnn_sdp"));
    CHECK(says(action->edit, "cache_implementation"));
    // A training may choose which samples make a batch.
    Profile training = attention;
    training.callSites.push_back({.backward = "SDPABackward0"});
    const auto ofTraining = actionOf(training, kHostFunctions);
    REQUIRE(ofTraining);
    CHECK(says(ofTraining->edit, "samples of like length"));
    CHECK(says(ofTraining->edit, "enable_cudnn_sdp"));
    REQUIRE(action->hostFunctions.size() == 1);
    CHECK(action->hostFunctions[0].function == "main");
    // The rest of the time is still host work.
    const Action rest = hostBound(attention);
    CHECK(rest.bound.value * 1e3 == Approx(1).margin(0.2));
    CHECK(rest.hostFunctions.at(0).function == "augment");

    const auto compilerOf = [&](const CpuFrame& frame) {
        const auto found = actionOf(compiled({nvrtc, frame, kOther}), kHostFunctions);
        REQUIRE(found);
        return found->args[1].text.in(Language::En);
    };
    const auto python = [](std::string_view path) {
        return CpuFrame{.function = "f", .file = "/opt/site-packages/" + std::string(path)};
    };
    CHECK(compilerOf(python("torch/_dynamo/convert_frame.py")) == "torch.compile");
    CHECK(compilerOf(python("cupy/cuda/compiler.py")) == "CuPy");
    CHECK(compilerOf(python("jax/_src/compiler.py")) == "XLA");
    // Each call of a compiled function goes through this file.
    CHECK(compilerOf(python("torch/_dynamo/eval_frame.py")) == "NVRTC");
    CHECK_FALSE(actionOf(compiled({kOwn, kOther}), kHostFunctions));
}

TEST_CASE("a kernel of Numba that is defined anew all along is a fault without repeats, too") {
    const CpuFrame numba{.function = "compile_cuda",
                         .file = "/opt/site-packages/numba_cuda/numba/cuda/compiler.py"};
    const auto found = [&](const char* before, const char* after) {
        SyntheticProgram p;
        for (int i = 0; i < 30; ++i)
            p.launch(before + std::to_string(i) + after, 100 + 7 * i).sync().work(2000 + 131 * i);
        return actionOf(sampled(p.build(), {numba, kOwn}, {kOwn}), "code-compiled-in-loop");
    };
    const auto action = found("__main__::basin[abi:v", "](Array<double, 2>)");
    REQUIRE(action);
    CHECK(says(action->edit, "pass what changes as arguments"));
    // Kernels of other functions, each compiled when it is first used.
    CHECK_FALSE(found("__main__::step", "[abi:v1](Array<double, 2>)"));
}

TEST_CASE("attention that is built anew all along is a fault without repeats, too") {
    const CpuFrame nvrtc{.module = "/usr/lib/libnvrtc.so.13", .offset = 1};
    const CpuFrame cudnn{.module = "/x/nvidia/libcudnn_engines_runtime_compiled.so.9"};
    constexpr const char* kHostFunctions = "code-compiled-in-loop";
    SyntheticProgram p;
    for (int i = 0; i < 30; ++i)
        p.launch("shape" + std::to_string(i), 100 + 7 * i).sync().work(2000 + 131 * i);
    const Profile all = sampled(p.build(), {nvrtc, cudnn, kOwn}, {kOwn});
    const Program program = judged(all);
    REQUIRE(program.window.kind == WindowKind::Whole);
    const auto action = actionOf(all, kHostFunctions);
    REQUIRE(action);
    CHECK(action->share.value == Approx(0.75).margin(0.1));
    // The same with a few long repeats, one for each text.
    SyntheticProgram texts;
    for (int text = 0; text < 4; ++text)
        for (int i = 0; i < 10; ++i)
            texts.launch("shape" + std::to_string(i), 100 + 7 * i).sync().work(2000 + 31 * i);
    const Profile few = sampled(texts.build(), {nvrtc, cudnn, kOwn}, {kOwn});
    REQUIRE(judged(few).window.counted == 3);
    CHECK(actionOf(few, kHostFunctions));
    CHECK_FALSE(actionOf(sampled(texts.build(), {nvrtc, kOwn}, {kOwn}), kHostFunctions));
    // Each kernel may be compiled once, when it is first used.
    CHECK_FALSE(actionOf(sampled(p.build(), {nvrtc, kOwn}, {kOwn}), kHostFunctions));
    // Only for the first and the last part of the program.
    Profile ends = all;
    const double last = ends.launches.back().start->value * 1e9;
    for (CpuSample& sample : ends.processes[0].cpuSamples->samples) {
        const auto at = static_cast<double>(sample.time) / last;
        if (at > 0.25 && at < 0.75) sample.stack = 1;
    }
    CHECK_FALSE(actionOf(ends, kHostFunctions));
}

TEST_CASE("a JAX function that is compiled for several shapes all along is a fault") {
    const CpuFrame xla{.function = "compile", .file = "/opt/site-packages/jax/_src/compiler.py"};
    struct Case {
        const char* module = "jit_train_step";
        int kernels = 3;
        /// Steps from which on the shapes no longer change.
        int changing = 24;
    };
    const auto judged = [&](const Case& c) {
        SyntheticProgram p;
        for (int step = 0; step < 24; ++step) {
            for (int k = 0; k < c.kernels; ++k)
                p.launch("loop_add_fusion_" + std::to_string(k), 100 + 7 * step);
            p.sync().work(2000 + 131 * step);
        }
        Profile profile = p.build();
        profile.ranges = {"XlaModule:#hlo_module=" + std::string(c.module) + "#"};
        for (std::size_t i = 0; i < profile.launches.size(); ++i) {
            const int step = static_cast<int>(i) / c.kernels;
            profile.launches[i].range = 0;
            profile.launches[i].grid.x =
                100 + static_cast<std::uint32_t>(step < c.changing ? step : step % 3);
        }
        return actionOf(sampled(profile, {xla, kOwn}, {kOwn}), "code-compiled-in-loop");
    };
    const auto action = judged({});
    REQUIRE(action);
    CHECK(says(action->edit, "Pad shapes"));
    CHECK_FALSE(judged({.module = "jit_add", .kernels = 1}));  // eager code, other arrays
    CHECK_FALSE(judged({.module = "gemm_fusion_dot.32"}));     // what XLA tries while it tunes
    CHECK_FALSE(judged({.changing = 3}));                      // other functions are compiled later
}

TEST_CASE("code that is compiled in the first repeats only is no fault") {
    const CpuFrame nvrtc{.module = "/usr/lib/libnvrtc.so.13", .offset = 1};
    Profile profile = sampled(loadingProgram(), {nvrtc, kOther}, {kOther});
    Nanoseconds last = 0;
    for (const Launch& launch : profile.launches)
        last = std::max(last, static_cast<Nanoseconds>(launch.start->value * 1e9));
    for (CpuSample& sample : profile.processes[0].cpuSamples->samples)
        if (sample.time > last / 2) sample.stack = 1;
    CHECK_FALSE(actionOf(profile, "code-compiled-in-loop"));
}
