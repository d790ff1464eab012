// SPDX-License-Identifier: Apache-2.0
// How much time CPU samples stand for, and whom they are counted for while a compiler runs.
#include "analyzer/program/account/sample_weights.h"

#include <memory>

#include "analyzer/program/account/compilers.h"
#include "analyzer/program/account/host_samples.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;

Profile withSamples(CpuSamples samples, std::uint32_t threads) {
    Profile profile;
    profile.processes.emplace_back().cpuSamples = std::move(samples);
    profile.timeline.threads.resize(threads);
    return profile;
}

}  // namespace

TEST_CASE("samples that are further apart stand for more time") {
    CpuSamples samples{.period = 20 * kMillisecond};
    Nanoseconds at = 0;
    for (int i = 0; i < 100; ++i, at += 10 * kMillisecond) samples.samples.push_back({.time = at});
    for (int i = 0; i < 50; ++i, at += 100 * kMillisecond) samples.samples.push_back({.time = at});
    const program::SampleWeights weights(samples);
    CHECK(weights.at(200 * kMillisecond) == Approx(0.1 * weights.at(3000 * kMillisecond)));
    double sum = 0;
    for (const CpuSample& sample : samples.samples) sum += weights.at(sample.time);
    CHECK(sum == Approx(150));

    // A thread that answers late belongs to the same round.
    CpuSamples late{.period = 50 * kMillisecond};
    for (int i = 0; i < 60; ++i) {
        late.samples.push_back({.time = i * 100 * kMillisecond});
        late.samples.push_back({.time = i * 100 * kMillisecond + 3 * kMillisecond, .thread = 1});
    }
    for (int i = 10; i < 50; ++i) {
        CAPTURE(i);
        CHECK(program::SampleWeights(late).at(i * 100 * kMillisecond) == Approx(1).epsilon(0.2));
    }

    // Twenty threads answer one after the other: a round takes 100 ms, not 5.
    CpuSamples many{.period = 10 * kMillisecond};
    for (int i = 0; i < 200; ++i) many.samples.push_back({.time = i * 10 * kMillisecond});
    for (int i = 0; i < 600; ++i)
        many.samples.push_back({.time = 2000 * kMillisecond + i * 5 * kMillisecond,
                                .thread = static_cast<std::uint32_t>(i % 20)});
    const program::SampleWeights ofMany(many);
    CHECK(ofMany.at(3500 * kMillisecond) == Approx(10 * ofMany.at(1000 * kMillisecond)));

    // One long pause is no reason to weigh its neighbours.
    CpuSamples paused{.period = 10 * kMillisecond};
    for (int i = 0; i < 60; ++i)
        paused.samples.push_back(
            {.time = i * 10 * kMillisecond + (i > 30 ? 5000 * kMillisecond : 0)});
    CHECK(program::SampleWeights(paused).at(300 * kMillisecond) == Approx(1));
    CHECK(program::SampleWeights(CpuSamples{}).at(5) == 1);
}

TEST_CASE("threads that work for a compiler count as the thread that compiles") {
    CpuSamples samples{.period = 10 * kMillisecond};
    samples.frames = {
        {.function = "MeshComputation.compile", .file = "/p/jax/_src/interpreters/pxla.py"},
        {.module = "/p/xla_cuda_plugin.so", .function = "llvm"},
        {.function = "main", .file = "/home/me/train.py"}};
    samples.stacks = {{0}, {1}, {2}};
    // 0 to 300 ms: thread 0 waits for its compiler's thread 1; later thread 1 works without it.
    for (int i = 0; i < 60; ++i) {
        const Nanoseconds at = i * 10 * kMillisecond;
        samples.samples.push_back({.time = at,
                                   .thread = 0,
                                   .stack = i < 30 ? 0U : 2U,
                                   .wait = i < 30 ? CpuWait::Lock : CpuWait::None});
        samples.samples.push_back({.time = at, .thread = 1, .stack = 1});
    }
    const Profile profile = withSamples(samples, 2);
    const program::HostSamples host(profile);
    // In a program without Python, a thread that works beside a compiler does its own work.
    CpuSamples native = samples;
    native.frames[0] = {.module = "/usr/lib/libnvrtc.so.13", .function = "compile"};
    native.frames[2] = {.module = "/home/me/app", .function = "main"};
    const Profile compiled = withSamples(native, 2);
    SampleTally own;
    program::HostSamples(compiled).addTo(own, 1, {0, 300 * kMillisecond});
    CHECK(program::compilersIn(compiled, own).share() == 0);
    for (const std::uint32_t thread : {0U, 1U}) {
        SampleTally tally;
        host.addTo(tally, thread, {0, 300 * kMillisecond});
        const auto found = program::compilersIn(profile, tally);
        CHECK(found.most == program::Compiler::Xla);
        CHECK(found.share() == Approx(1));
        CHECK(samplesIn(tally) == Approx(30));
    }
    SampleTally later;
    host.addTo(later, 1, {300 * kMillisecond, 600 * kMillisecond});
    CHECK(program::compilersIn(profile, later).share() == 0);
}
