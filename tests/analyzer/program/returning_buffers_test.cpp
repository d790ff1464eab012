// SPDX-License-Identifier: Apache-2.0
// data-comes-back, where the CPU only provides the memory of what comes and goes.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/program/actions/host_work_kind.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::actionOf;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kReturningBuffers = "data-comes-back";
const CpuFrame kMain{.module = "/home/a/app", .function = "main", .file = "/home/a/app.cu"};
const CpuFrame kMemset{.module = "/lib/x86_64-linux-gnu/libc.so.6",
                       .function = "__memset_avx2_unaligned_erms"};
const CpuFrame kFree{.module = "/lib/x86_64-linux-gnu/libc.so.6", .function = "__libc_free"};
const CpuFrame kCopy{.module = "/lib/x86_64-linux-gnu/libc.so.6",
                     .function = "__memmove_avx_unaligned_erms"};
const CpuFrame kDecode{.module = "/usr/lib/x86_64-linux-gnu/libjpeg.so.8",
                       .function = "jpeg_read_scanlines"};
const CpuFrame kFilter{.module = "/home/a/app", .function = "filter()", .file = "/home/a/app.cu"};

struct Step {
    double back = 4e6, there = 4e6;
    std::vector<CpuFrame> most = {kMemset, kMain};  ///< three of four samples
    std::vector<CpuFrame> rest = {kFree, kMain};
    double memory = 80e9;
    bool sampled = true;
};

/// Twelve steps: 4 ms on the CPU, a copy back into new memory, and a copy of old data to the GPU.
Program judgedSteps(const Step& step) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 12; ++i) {
        p.push("step").work(4000).launch("advance", 300);
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, step.back, 1000);
        p.launch("other", 300);
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, step.there, 1000).pop();
    }
    Profile profile = p.build();
    if (step.memory > 0)
        profile.devices[0].memoryBytes = static_cast<std::uint64_t>(step.memory);
    else
        profile.devices[0].memoryBytes.reset();
    if (!step.sampled) return test::judged(profile);
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 50'000;
    for (const auto* stack : {&step.most, &step.rest}) {
        auto& indices = samples.stacks.emplace_back();
        for (const CpuFrame& frame : *stack) {
            indices.push_back(static_cast<std::uint32_t>(samples.frames.size()));
            samples.frames.push_back(frame);
        }
    }
    for (std::uint32_t i = 0; i < 3000; ++i)
        samples.samples.push_back(
            {.time = i * samples.period, .thread = 0, .stack = i % 4 == 0 ? 1U : 0U});
    return test::judged(profile);
}

double argumentOf(const Action& action, std::string_view name) {
    const auto found = std::ranges::find(action.args, name, &Arg::name);
    REQUIRE(found != action.args.end());
    return found->value;
}

}  // namespace

TEST_CASE("copies of data that comes back, and the work on their buffers, are one action") {
    const Program program = judgedSteps({});
    REQUIRE_FALSE(program.actions.empty());
    const Action& action = program.actions.front();
    REQUIRE(action.rule == kReturningBuffers);
    // 2 ms of copies and 4 ms of memset() and free().
    CHECK(action.bound.value * 1e3 == Approx(6).margin(0.1));
    CHECK(argumentOf(action, "copies") * 1e3 == Approx(2).margin(0.05));
    CHECK(argumentOf(action, "host") * 1e3 == Approx(4).margin(0.05));
    CHECK(argumentOf(action, "out") == Approx(4e6));
    CHECK(argumentOf(action, "memory") == Approx(80e9));
    CHECK(action.sampledTime.value * 1e3 == Approx(4).margin(0.05));
    REQUIRE(action.hostFunctions.size() == 2);
    const std::string edit = action.edit.in(Language::En);
    CHECK(edit.find("keep it in GPU memory that is allocated once") != edit.npos);
    CHECK(edit.find("cudaMallocHost") != edit.npos);
    CHECK_FALSE(action.edit.in(test::kZh).empty());
    // Nothing is promised twice.
    for (const char* part : {"host-bound", "pageable-both-ways", "pageable-copy"})
        CHECK_FALSE(says(program, part));
}

TEST_CASE("what else the CPU does is left to its own action") {
    const Program program = judgedSteps({.rest = {kFilter, kMain}});
    CHECK(argumentOf(actionOf(program, kReturningBuffers), "host") * 1e3 == Approx(3).margin(0.2));
    const Action& host = actionOf(program, "host-bound");
    CHECK(host.bound.value * 1e3 == Approx(1).margin(0.2));
    REQUIRE(host.hostFunctions.size() == 1);
    CHECK(host.hostFunctions[0].function == "filter");
}

TEST_CASE("inputs and results of the same size with work on the CPU between are not kept") {
    // A library that decodes copies memory as well.
    using Stack = std::vector<CpuFrame>;
    for (const Stack& most :
         {Stack{kFilter, kMain}, Stack{kDecode, kMain}, Stack{kCopy, kDecode, kMain}}) {
        const Program program = judgedSteps({.most = most});
        CHECK_FALSE(says(program, kReturningBuffers));
        CHECK(actionOf(program, "host-bound").bound.value * 1e3 == Approx(4).margin(0.1));
        const std::string edit = actionOf(program, "pageable-both-ways").edit.in(Language::En);
        CHECK(edit.find("if it is the same data") != edit.npos);
    }
    // Other sizes, no samples, or more than the GPU holds.
    CHECK_FALSE(says(judgedSteps({.back = 3e6}), kReturningBuffers));
    CHECK_FALSE(says(judgedSteps({.sampled = false}), kReturningBuffers));
    CHECK_FALSE(says(judgedSteps({.memory = 4e6}), kReturningBuffers));
    // A GPU whose memory is not known may hold it.
    const Program unknown = judgedSteps({.memory = 0});
    CHECK(actionOf(unknown, kReturningBuffers).edit.in(Language::En).find("{memory}") ==
          std::string::npos);
}

TEST_CASE("only memory functions that the program's own code calls are work on memory alone") {
    const auto share = [](std::vector<CpuFrame> stack) {
        Profile profile;
        CpuSamples& samples = profile.processes.emplace_back().cpuSamples.emplace();
        auto& indices = samples.stacks.emplace_back();
        for (CpuFrame& frame : stack) {
            indices.push_back(static_cast<std::uint32_t>(samples.frames.size()));
            samples.frames.push_back(std::move(frame));
        }
        return program::memorySamplesIn(profile, SampleTally{{SampledStack{}, 2.0}}).share();
    };
    const CpuFrame python{.function = "step", .file = "/home/a/train.py", .line = 4};
    const CpuFrame numpy{.module = "/opt/lib/python3.12/site-packages/numpy/_core/_multi.so"};
    const CpuFrame allocator{.module = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                             .function = "operator new(unsigned long)"};
    const CpuFrame inside{.module = "/lib/x86_64-linux-gnu/libc.so.6", .function = "__munmap"};
    const CpuFrame reads{.module = "/lib/x86_64-linux-gnu/libc.so.6", .function = "__read"};
    CHECK(share({kMemset, kMain}) == 1);
    CHECK(share({inside, kFree, kMain}) == 1);
    CHECK(share({allocator, kMain}) == 1);
    CHECK(share({kCopy, numpy, python}) == 1);
    CHECK(share({kCopy, kDecode, kMain}) == 0);
    CHECK(share({reads, kMain}) == 0);
    CHECK(share({kMain}) == 0);
    CHECK(share({numpy, python}) == 0);
}
