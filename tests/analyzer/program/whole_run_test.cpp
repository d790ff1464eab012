// SPDX-License-Identifier: Apache-2.0
// The whole run: what came before the first work on the GPU, outside of the loop, and after it.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/compare/program_comparison.h"
#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

constexpr Nanoseconds kMs = 1'000'000;

/// 50 repeats of a kernel of 100 us, which take about 6 ms, after a copy of 20 ms.
Profile loopAfterCopy() {
    SyntheticProgram p;
    p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 4e6, 20'000);
    for (int i = 0; i < 50; ++i) p.launch("step", 100).sync();
    return p.build();
}

/// Starts `before` ms ahead of the first launch, of which the recorder took 40 and the context 300,
/// and ends `after` ms later.
Profile withRun(Profile profile, Nanoseconds before, Nanoseconds after) {
    ProcessRun run;
    run.time = {-before * kMs, after * kMs};
    run.setup = {-450 * kMs, -410 * kMs};
    run.firstContext = run.setup.end + 300 * kMs;
    run.firstLaunch = 0;
    profile.processes[0].run = run;
    profile.capture.command = {"./search", "graph.txt"};
    return profile;
}

Program judgedBy(const Profile& profile, WindowChoice choice = WindowChoice::Auto) {
    return analyzeProgram(analyze(std::make_shared<const Profile>(profile), {.window = choice}));
}

double inMs(Seconds time) { return time.value * 1e3; }

}  // namespace

TEST_CASE("a run that mostly reads its input is judged by that, then its loop") {
    const Profile profile = withRun(loopAfterCopy(), 2500, 100);
    const Program program = judgedBy(profile);
    REQUIRE(program.window.kind == WindowKind::Run);
    // 2,600 ms less the recorder's 40.
    CHECK(inMs(program.window.seconds) == Approx(2560));
    REQUIRE(program.run);
    const double copyStart = inMs(*program.run->beforeGpu) - 2460;  // before the first launch: < 0
    CHECK(copyStart < -20);
    CHECK(copyStart > -25);
    CHECK(inMs(program.run->context) == Approx(300));
    CHECK(inMs(program.run->hostBefore) == Approx(2160).margin(25));
    CHECK(inMs(program.run->loop) == Approx(5.4).margin(0.3));
    REQUIRE(program.run->outside);
    CHECK(inMs((*program.run->outside)[TimeClass::Copies]) == Approx(20).margin(0.1));
    CHECK(inMs(program.run->hostAfter) == Approx(inMs(*program.run->afterGpu)).margin(0.1));
    REQUIRE(!program.actions.empty());
    CHECK(program.actions.front().rule == "work-before-gpu");
    CHECK(program.actions.front().bound == program.run->hostBefore);
    // Its other host work is told apart: nothing here is worth an action of its own.
    CHECK(std::ranges::find(program.actions, "host-bound", &Action::rule) == program.actions.end());
    REQUIRE(program.loop);
    CHECK(program.loop->window.kind == WindowKind::Period);
    CHECK(program.loop->window.occurrences == 50);
}

TEST_CASE("a loop that is most of its run is judged as before, with a line for the run") {
    SyntheticProgram p;
    for (int i = 0; i < 50; ++i) p.launch("step", 100'000).sync();
    const Program program = judgedBy(withRun(p.build(), 2500, 5100));
    CHECK(program.window.kind == WindowKind::Period);
    CHECK_FALSE(program.loop);
    REQUIRE(program.run);
    CHECK(program.run->loop.value > 4.8);
}

TEST_CASE("the run names what the CPU did before and after the work on the GPU") {
    const CpuFrame reads{.module = "/a/app", .offset = 1, .function = "readGraph"};
    const CpuFrame checks{.module = "/a/app", .offset = 2, .function = "check"};
    SyntheticProgram p;
    for (int i = 0; i < 50; ++i) p.launch("step", 100'000).sync();
    const auto named = [&](Nanoseconds before, std::vector<std::string> command) {
        Profile profile = withRun(p.build(), before, 5100 + 900);
        profile.capture.command = std::move(command);
        CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
        samples.period = 10 * kMs;
        samples.frames = {reads, checks};
        samples.stacks = {{0}, {1}};
        for (Nanoseconds at = -before; at < 6000; at += 10)
            samples.samples.push_back({.time = at * kMs, .thread = 0, .stack = at < 0 ? 0U : 1U});
        return *judgedBy(profile).run;
    };
    const WholeRun run = named(2500, {"./search"});
    REQUIRE(run.functionsBefore.size() == 1);
    CHECK(run.functionsBefore[0].function == "readGraph");
    REQUIRE(run.functionsAfter.size() == 1);
    CHECK(run.functionsAfter[0].function == "check");
    // Too little of the run; and imports of modules are not worth a word.
    CHECK(named(700, {"./search"}).functionsBefore.empty());
    CHECK(named(2500, {"python3", "a.py"}).functionsBefore.empty());
}

TEST_CASE("the run names what the CPU does outside of the loop, in Python programs, too") {
    const CpuFrame prepares{.function = "prepare", .file = "/home/a/solve.py", .line = 7};
    const CpuFrame solves{.function = "solve", .file = "/home/a/solve.py", .line = 40};
    const auto named = [&](double outside) {
        SyntheticProgram p;
        p.launch("init", 100).sync().work(outside * 1e3);
        for (int i = 0; i < 50; ++i) p.launch("step", 20'000).sync();
        Profile profile = withRun(p.build(), 500, 1300 + static_cast<Nanoseconds>(outside));
        profile.capture.command = {"python3", "solve.py"};
        CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
        samples.period = 10 * kMs;
        samples.frames = {prepares, solves};
        samples.stacks = {{0}, {1}};
        for (int at = -500; at < 1300 + static_cast<int>(outside); at += 10)
            samples.samples.push_back(
                {.time = at * kMs, .thread = 0, .stack = at > 0 && at < outside ? 0U : 1U});
        const Program program = judgedBy(profile, WindowChoice::Loop);
        REQUIRE(program.run);
        REQUIRE(program.run->outside);
        return program.run->functionsOutside;
    };
    const auto functions = named(3000);
    REQUIRE(functions.size() == 1);
    CHECK(functions[0].function == "prepare");
    CHECK(named(150).empty());  // too little of the run
}

TEST_CASE("a program is not judged by the start-up of CUDA or Python") {
    const Profile profile = loopAfterCopy();
    // 460 ms before the first launch: 300 of the context, 40 of the recorder, 21 of a copy.
    CHECK(judgedBy(withRun(profile, 460, 30)).window.kind == WindowKind::Period);
    Profile python = withRun(profile, 2500, 100);
    python.capture.command = {"/usr/bin/python3.12", "train.py"};
    CHECK(judgedBy(python).window.kind == WindowKind::Period);
    CHECK(judgedBy(python, WindowChoice::Run).window.kind == WindowKind::Run);
    CHECK(judgedBy(withRun(profile, 2500, 100), WindowChoice::Loop).window.kind ==
          WindowKind::Period);
}

TEST_CASE("without a loop, what comes before and after the work on the GPU is as much of the run") {
    // 2 s of different kernels.
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) p.launch("kernel " + std::to_string(i), 500'000).sync();
    const Profile profile = p.build();
    const Program program = judgedBy(withRun(profile, 1500, 2100));
    CHECK(program.window.kind == WindowKind::Run);
    CHECK_FALSE(program.loop);
    // Near-miss: start-up and a few milliseconds.
    CHECK(judgedBy(withRun(profile, 700, 2100)).window.kind == WindowKind::Whole);
}

TEST_CASE("no run is described where launches were left out, or times cannot be") {
    const Profile profile = withRun(loopAfterCopy(), 2500, 100);
    const auto runOf = [](const Profile& p) { return judgedBy(p).run.has_value(); };
    CHECK(runOf(profile));
    Profile filtered = profile;
    filtered.capture.filters = {"--kernel step"};
    CHECK_FALSE(runOf(filtered));
    Profile unseen = profile;
    unseen.processes[0].launchesSeen = 500;
    CHECK_FALSE(runOf(unseen));
    // The GPU's work lies beyond the end of the process.
    Profile impossible = profile;
    impossible.processes[0].run->time.end = 1000;
    impossible.processes[0].run->firstLaunch.reset();
    CHECK_FALSE(judgedBy(impossible).run->beforeGpu);
}

TEST_CASE("launches without a time are not called left out") {
    const auto says = [](const Profile& p, const char* what) {
        const Program program = judgedBy(p);
        return std::ranges::any_of(program.unknown, [&](const Words& text) {
            return text.in(Language::En).find(what) != std::string::npos;
        });
    };
    Profile profile = loopAfterCopy();
    for (Process& process : profile.processes) process.launchesSeen = profile.launches.size();
    CHECK_FALSE(says(profile, "have no time"));
    profile.launches[10].start.reset();
    profile.launches[10].duration.reset();
    CHECK(says(profile, "Some launches have no time"));
    CHECK_FALSE(says(profile, "left out"));
    profile.processes[0].launchesSeen += 5;
    CHECK(says(profile, "left out"));
}

TEST_CASE("calls after the last work are not the CPU working alone") {
    SyntheticProgram p;
    for (int i = 0; i < 50; ++i) p.launch("step", 100).sync();
    p.call("cuMemFree", CallKind::Free, 900'000);
    const Program program = judgedBy(withRun(p.build(), 500, 2000));
    REQUIRE(program.run);
    CHECK(inMs(*program.run->afterGpu) > 1990);
    CHECK(inMs(program.run->hostAfter) == Approx(inMs(*program.run->afterGpu) - 900).margin(1));
}

TEST_CASE("a context is not all that happens before it") {
    Profile profile = withRun(loopAfterCopy(), 2500, 100);
    profile.processes[0].run->setup = {-2400 * kMs, -2360 * kMs};
    profile.processes[0].run->firstContext = -100 * kMs;
    const Program program = judgedBy(profile);
    CHECK(inMs(program.run->context) == Approx(500));
    CHECK(inMs(program.run->hostBefore) == Approx(1960).margin(25));
}

TEST_CASE("what ran while counters were read is left out of the run") {
    Profile counted = withRun(loopAfterCopy(), 2500, 100);
    counted.processes[0].run->firstLaunch = -400 * kMs;
    counted.processes[0].run->countedUntil = -50 * kMs;
    const Program program = judgedBy(counted);
    REQUIRE(program.window.kind == WindowKind::Run);
    // Before the first launch 2,100 less the recorder's 40; from the first timed work on 20 and
    // 100.
    CHECK(inMs(*program.run->beforeGpu) == Approx(2060));
    CHECK(inMs(program.run->seconds) == Approx(2180));
    CHECK(inMs(program.window.seconds) == Approx(2180));
    CHECK(program.run->countedFirst);
    CHECK(program.run->launchesLeftOut == 0);
}

TEST_CASE("until the first timed work, the GPU may have worked off what was not timed") {
    Profile counted = withRun(loopAfterCopy(), 2500, 100);
    // Timing began 300 ms before the first work that it saw.
    counted.processes[0].run->firstLaunch = -400 * kMs;
    counted.processes[0].run->countedUntil = -300 * kMs;
    LaunchPace pace;
    for (std::uint64_t i = 0; i < 50; ++i)
        pace.traced.push_back({.calls = 147 + i, .time = -300 * kMs + Nanoseconds(i)});
    counted.processes[0].pace = pace;
    const Program program = judgedBy(counted);
    REQUIRE(program.window.kind == WindowKind::Run);
    CHECK(inMs(program.run->seconds) == Approx(2180));
    CHECK(inMs(program.window.seconds) == Approx(2180));
    CHECK(program.account.time[TimeClass::IdleLaunch].value < 0.001);
    // What 147 launches take if 49 take as long as the work that is known.
    CHECK(program.run->launchesLeftOut == 147);
    const double known =
        program.run->seconds.value - program.run->beforeGpu->value - program.run->afterGpu->value;
    CHECK(program.run->leftOut.value == Approx(3 * known).epsilon(0.01));
    CHECK(program.run->launches == 147 + 49);
    CHECK(program.window.unrecorded == program.run->leftOut);
}

TEST_CASE("without its start and end, the run is what was recorded of it") {
    SyntheticProgram p;
    p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 4e9, 900'000);
    for (int i = 0; i < 50; ++i) p.launch("step", 100).sync();
    const Program program = judgedBy(p.build());
    REQUIRE(program.window.kind == WindowKind::Run);
    CHECK_FALSE(program.run->beforeGpu);
    CHECK(program.account.share(TimeClass::Copies).value > 0.9);
    Profile traced = p.build();
    traced.capture.origin = "imported";
    const Program imported = judgedBy(traced);
    CHECK(imported.window.kind == WindowKind::Whole);
    CHECK(imported.account.share(TimeClass::Copies).value > 0.9);
    REQUIRE(imported.loop);
    CHECK(imported.loop->window.kind == WindowKind::Period);
    // A loop of milliseconds in a program of milliseconds stays a loop.
    CHECK(judgedBy(loopAfterCopy()).window.kind == WindowKind::Period);
}

TEST_CASE("an imported run of milliseconds is not judged by a loop of microseconds") {
    // 20 ms of a copy, about 6 ms in repeats.
    Profile traced = loopAfterCopy();
    traced.capture.origin = "imported";
    const Program program = judgedBy(traced);
    CHECK(program.window.kind == WindowKind::Whole);
    CHECK(program.account.share(TimeClass::Copies).value > 0.7);
    // What torch.profiler was asked for is a loop.
    traced.capture.strategy = "imported from a trace of PyTorch's profiler";
    CHECK(judgedBy(traced).window.kind == WindowKind::Period);
}

TEST_CASE("the same kernel on four streams at once is no loop") {
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) p.launch("part", 1000);
    p.sync();
    Profile profile = p.build();
    for (std::uint32_t i = 0; i < 4; ++i) {
        profile.launches[i].stream = i;
        profile.launches[i].start = Seconds{*profile.launches[0].start + Seconds{i * 1e-4}};
    }
    CHECK(judgedBy(profile).window.kind == WindowKind::Whole);
    // One after the other they are one, even if each iteration makes a stream.
    SyntheticProgram one;
    for (int i = 0; i < 4; ++i) one.launch("part", 1000).sync();
    Profile sequential = one.build();
    for (std::uint32_t i = 0; i < 4; ++i) sequential.launches[i].stream = i;
    CHECK(judgedBy(sequential).window.kind == WindowKind::Period);
}

TEST_CASE("two runs are compared by the same part, even if an edit changed which part is judged") {
    const auto analysisOf = [](const Profile& profile, WindowChoice window = WindowChoice::Auto) {
        return analyze(std::make_shared<const Profile>(profile), {.window = window});
    };
    SyntheticProgram p;
    for (int i = 0; i < 50; ++i) p.launch("step", 20'000).sync();
    // What the user chose is kept, even where both would be judged by their runs.
    const Analysis byLoop = analysisOf(withRun(p.build(), 2500, 1100), WindowChoice::Loop);
    Matching same = matchKernels(byLoop, byLoop);
    CHECK(comparePrograms(byLoop, byLoop, same).before.window.kind == WindowKind::Period);
    const Analysis slow = analysisOf(withRun(p.build(), 2500, 1100));
    const Analysis fast = analysisOf(withRun(p.build(), 500, 1100));
    REQUIRE(analyzeProgram(slow).window.kind == WindowKind::Run);
    REQUIRE(analyzeProgram(fast).window.kind == WindowKind::Period);
    Matching matching = matchKernels(slow, fast);
    const ProgramComparison comparison = comparePrograms(slow, fast, matching);
    CHECK(comparison.before.window.kind == WindowKind::Run);
    CHECK(comparison.after.window.kind == WindowKind::Run);
    CHECK(comparison.comparable);
    CHECK(inMs(comparison.before.window.seconds - comparison.after.window.seconds) == Approx(2000));
}
