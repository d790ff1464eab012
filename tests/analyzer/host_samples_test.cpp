// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/host_samples.h"

#include "tests/support/catch.h"

using namespace roofscope;
using program::hostFunctions, program::HostSamples;

namespace {

const CpuFrame kSolve{.module = "/home/a/app",
                      .offset = 1,
                      .function = "ns::solve(int)",
                      .file = "/home/a/solve.cpp",
                      .line = 7};
const CpuFrame kSolveLater{.module = "/home/a/app",
                           .offset = 2,
                           .function = "ns::solve(int)",
                           .file = "/home/a/solve.cpp",
                           .line = 9};
const CpuFrame kMain{.module = "/home/a/app", .offset = 3, .function = "main"};
const CpuFrame kScan{.module = "/usr/lib/libc.so.6", .offset = 4, .function = "fscanf"};
const CpuFrame kTrain{.function = "train", .file = "/home/a/train.py", .line = 5};
const CpuFrame kLoader{.function = "_next_data",
                       .file = "/usr/lib/python3.12/site-packages/torch/utils/data/dataloader.py",
                       .line = 700};
const CpuFrame kTorch{.module = "/x/site-packages/torch/lib/libtorch_cpu.so", .offset = 5};
const CpuFrame kCudart{.module = "/home/a/app", .offset = 6, .function = "cudaMemcpy"};

/// A process with two threads and these stacks.
Profile profileOf(std::vector<std::vector<CpuFrame>> stacks) {
    Profile profile;
    profile.processes.resize(1);
    profile.timeline.threads = {{.process = 0, .id = 1}, {.process = 0, .id = 2}};
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 5'000'000;
    for (const auto& stack : stacks) {
        auto& indices = samples.stacks.emplace_back();
        for (const CpuFrame& frame : stack) {
            indices.push_back(static_cast<std::uint32_t>(samples.frames.size()));
            samples.frames.push_back(frame);
        }
    }
    return profile;
}

/// `count` samples of each stack.
SampleTally tallyOf(const Profile& profile, std::vector<double> counts,
                    CpuWait wait = CpuWait::None) {
    SampleTally tally;
    for (std::uint32_t i = 0; i < counts.size(); ++i)
        tally[{.process = 0, .stack = i, .wait = wait}] = counts[i];
    (void)profile;
    return tally;
}

}  // namespace

TEST_CASE("functions are the program's own, with the line that has most samples") {
    const Profile profile = profileOf({{kSolve, kMain}, {kSolveLater, kMain}, {kMain}});
    const auto functions = hostFunctions(profile, tallyOf(profile, {30, 50, 20}), Seconds{0.5});
    REQUIRE(functions.size() == 2);
    CHECK(functions[0].function == "solve");
    CHECK(functions[0].place == "solve.cpp:9");
    CHECK(functions[0].share.value == Approx(0.8));
    CHECK(functions[0].callee.empty());
    CHECK(functions[1].function == "main");
    CHECK(functions[1].place.empty());
}

TEST_CASE("what a library does is told with the function that called it") {
    const Profile profile = profileOf({{kScan, kSolve, kMain}, {kTorch, kLoader, kTrain}, {}});
    const auto functions =
        hostFunctions(profile, tallyOf(profile, {60, 30, 10}, CpuWait::Read), Seconds{0.5});
    REQUIRE(functions.size() == 2);
    CHECK(functions[0].function == "solve");
    CHECK(functions[0].callee == "fscanf");
    CHECK(functions[0].wait == CpuWait::Read);
    CHECK(functions[0].share.value == Approx(0.6));  // of all, the unknown ones included
    CHECK(functions[1].function == "train");
    CHECK(functions[1].callee == "_next_data");
    CHECK(functions[1].place == "train.py:5");
}

TEST_CASE("in a library the function is named in which nearly all samples are") {
    const auto library = [](const char* function) {
        return CpuFrame{.function = function,
                        .file = "/x/site-packages/l/" + std::string(function)};
    };
    const CpuFrame fit = library("fit"), advance = library("advance"), fetch = library("fetch"),
                   get = library("get"), collate = library("collate"), log = library("log");
    const Profile profile = profileOf({{get, fetch, advance, fit, kTrain},
                                       {collate, fetch, advance, fit, kTrain},
                                       {log, advance, fit, kTrain}});
    const auto named = [&](std::vector<double> counts) {
        return hostFunctions(profile, tallyOf(profile, counts), Seconds{0.5}).at(0).callee;
    };
    CHECK(named({50, 40, 10}) == "fetch");  // get has 56 % of it
    CHECK(named({90, 5, 5}) == "get");
    CHECK(named({30, 20, 50}) == "advance");
}

TEST_CASE("what the compiler took from a library's header is not the program's own") {
    const CpuFrame hash{.module = "/home/a/app",
                        .offset = 7,
                        .function = "std::__detail::_Mod_range_hash::operator()(int) const",
                        .file = "/usr/include/c++/12/bits/hashtable_policy.h",
                        .line = 488};
    const CpuFrame sort{.module = "/home/a/app",
                        .offset = 8,
                        .function = "void std::sort<int*>(int*, int*)",
                        .file = "/usr/include/c++/12/bits/stl_algo.h",
                        .line = 9};
    const Profile profile = profileOf({{hash, kSolve, kMain}, {sort, kSolve, kMain}});
    const auto functions = hostFunctions(profile, tallyOf(profile, {60, 40}), Seconds{0.5});
    REQUIRE(functions.size() == 2);
    CHECK(functions[0].function == "solve");
    CHECK(functions[0].place == "solve.cpp:7");
    CHECK(functions[0].callee.empty());
    CHECK(functions[1].function == "solve");
    CHECK(functions[1].callee == "sort<int*>");
    // Containers build programs in /usr/src.
    CpuFrame own = kSolve;
    own.file = "/usr/src/app/solve.cpp";
    const Profile built = profileOf({{own, kMain}});
    CHECK(hostFunctions(built, tallyOf(built, {60}), Seconds{0.3}).at(0).function == "solve");
}

TEST_CASE("CUDA's runtime within the program is not the program's own") {
    const Profile profile = profileOf({{kCudart, kSolve, kMain}});
    const auto functions = hostFunctions(profile, tallyOf(profile, {30}), Seconds{0.1});
    REQUIRE(functions.size() == 1);
    CHECK(functions[0].function == "solve");
    CHECK(functions[0].callee == "cudaMemcpy");
}

TEST_CASE("with too few samples no function is named") {
    const Profile profile = profileOf({{kSolve}});
    CHECK(hostFunctions(profile, tallyOf(profile, {19}), Seconds{0.1}).empty());
    CHECK(hostFunctions(profile, tallyOf(profile, {40}), Seconds{0.2}).size() == 1);
    // 40 samples stand for 0.2 s.
    CHECK(hostFunctions(profile, tallyOf(profile, {40}), Seconds{2}).empty());
}

TEST_CASE("samples of a waiting thread are replaced by those of running threads") {
    Profile profile = profileOf({{kMain}, {kSolve}, {kScan, kSolve}});
    auto& samples = profile.processes[0].cpuSamples->samples;
    samples = {{.time = 100, .thread = 0, .stack = 0, .wait = CpuWait::Lock},
               {.time = 100, .thread = 1, .stack = 1},
               {.time = 5'000'100, .thread = 0, .stack = 0, .wait = CpuWait::Lock},
               {.time = 10'000'100, .thread = 0, .stack = 0, .wait = CpuWait::Poll},
               {.time = 10'000'100, .thread = 1, .stack = 1}};
    SampleTally tally;
    HostSamples(profile).addTo(tally, 0, {0, 11'000'000});
    CHECK(tally == SampleTally{{{0, 1, CpuWait::None}, 1},
                               {{0, 0, CpuWait::Lock}, 1},
                               {{0, 0, CpuWait::Poll}, 1}});
    tally.clear();
    HostSamples(profile).addTo(tally, 0, {101, 10'000'100});  // its end is excluded
    CHECK(tally == SampleTally{{{0, 0, CpuWait::Lock}, 1}});
}

TEST_CASE("samples are found by what is on their stack") {
    const Profile profile = profileOf({{kTorch, kLoader, kTrain}, {kTrain}});
    const SampleTally tally = tallyOf(profile, {30, 10});
    CHECK(program::shareWithin(profile, tally, "torch/utils/data/") == Approx(0.75));
    CHECK(program::withoutModule(profile, tally, "libtorch_cpu").size() == 1);
}
