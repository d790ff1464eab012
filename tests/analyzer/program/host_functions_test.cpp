// SPDX-License-Identifier: Apache-2.0
// What actions say of the CPU where it was sampled.
#include <algorithm>
#include <memory>

#include "analyzer/program/actions.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
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

Action hostBound(const Profile& profile) {
    const Program program = analyzeProgram(analyze(std::make_shared<const Profile>(profile)));
    const auto found = std::ranges::find(program.actions, std::string("host-bound"), &Action::rule);
    REQUIRE(found != program.actions.end());
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

TEST_CASE("a DataLoader that samples show is said to be one") {
    const Action action = hostBound(sampled(loadingProgram(), {kFetch, kOther}, {kOwn, kOther}));
    CHECK(says(action.title, "The GPU waits for data loading"));
    CHECK(says(action.edit, "num_workers"));
    REQUIRE(action.hostFunctions.size() == 2);
    CHECK(action.hostFunctions[0].function == "main");
    CHECK(action.hostFunctions[0].callee == "_next_data");
}

TEST_CASE("with too few samples the action is as without samples") {
    Profile profile = sampled(loadingProgram(), {kOwn}, {kOther});
    profile.processes[0].cpuSamples->samples.resize(10);
    const Action action = hostBound(profile);
    CHECK(action.hostFunctions.empty());
    CHECK(says(action.title, "The CPU prepares data while the GPU waits"));
}
