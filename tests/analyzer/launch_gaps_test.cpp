// SPDX-License-Identifier: Apache-2.0
// Time without a kernel: the rule launch-gaps and the verdict launch-bound.
#include "analyzer/launches/launch_gaps.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// Launches of kernels "a" and "b" in turn, one after the other, as seen by a timing run.
struct LoopOfLaunches {
    SyntheticProfile p{testDevice()};
    std::uint32_t kernels[2] = {p.kernel("a(float*)"), p.kernel("b(float*)")};
    double now = 0;  ///< µs
    std::size_t count = 0;

    LaunchRef launch(double duration, double gap) {
        now += count > 0 ? gap : 0;
        auto ref = p.launch(kernels[count++ % 2], {1320, 1, 1}, {256, 1, 1}).durationUs(duration);
        ref.launch().start = Seconds{now * 1e-6};
        now += duration;
        return ref;
    }
    LoopOfLaunches& loop(std::size_t launches, double duration, double gap) {
        for (std::size_t i = 0; i < launches; ++i) launch(duration, gap);
        return *this;
    }
    [[nodiscard]] Analysis analysis() const {
        return analyze(std::make_shared<const Profile>(p.build()));
    }
    [[nodiscard]] bool quiet() const { return analysis().sequenceFindings.empty(); }
};

double value(const Finding& finding, std::string_view name) {
    for (const Arg& argument : finding.args)
        if (argument.name == name) return argument.value;
    FAIL("no argument " << name);
    return 0;
}

}  // namespace

TEST_CASE("launch-gaps leaves the word to the account of a recorded timeline") {
    LoopOfLaunches program;
    program.loop(30, 10, 10);
    const auto findings = [&] { return program.analysis().sequenceFindings.size(); };
    REQUIRE(findings() == 1);
    auto& timeline = program.p.profile().processes[0].timeline;
    timeline = TimelineParts{.copies = true, .waits = true, .launches = true};
    CHECK(findings() == 0);
    for (bool TimelineParts::*part :
         {&TimelineParts::copies, &TimelineParts::waits, &TimelineParts::launches}) {
        (*timeline).*part = false;  // without this part the account cannot tell
        CHECK(findings() == 1);
        (*timeline).*part = true;
    }
}

TEST_CASE("launch-gaps fires on a loop that launches slower than the GPU works") {
    LoopOfLaunches program;
    program.loop(20, 10, 10).launch(10, 40);
    program.loop(9, 10, 10);
    const Analysis analysis = program.analysis();
    REQUIRE(analysis.sequenceFindings.size() == 1);
    const Finding& finding = analysis.sequenceFindings.front();
    CHECK(finding.ruleId == "launch-gaps");
    CHECK(unfilled(finding).empty());
    // 30 launches of 10 µs and 29 gaps of 10 µs, one of them 30 µs longer. The gap before b's first
    // launch is left out, as b's code is loaded there.
    CHECK(value(finding, "count") == 28);
    CHECK(value(finding, "idle") == Approx(310e-6));
    CHECK(value(finding, "span") == Approx(610e-6));
    CHECK(value(finding, "share") == Approx(310.0 / 610));
    CHECK(value(finding, "median") == Approx(10e-6));
    CHECK(value(finding, "largest") == Approx(40e-6));
    CHECK(finding.args.back().text.in(Language::En) == "a");
    CHECK(finding.gain->value == Approx(310e-6));
    CHECK(analysis.sequenceCannotTell.empty());
}

TEST_CASE("launch-gaps is quiet where the GPU is kept busy or the program does something else") {
    CHECK(LoopOfLaunches().loop(100, 10, 1.5).quiet());  // usual between two kernels
    CHECK(LoopOfLaunches().loop(100, 100, 20).quiet());  // 17 %
    CHECK_FALSE(LoopOfLaunches().loop(100, 100, 30).quiet());
    CHECK(LoopOfLaunches().loop(100, 100, 1000).quiet());  // it waits for something else
    CHECK(LoopOfLaunches().loop(11, 10, 10).quiet());      // 9 gaps: may be start-up and end
    CHECK_FALSE(LoopOfLaunches().loop(12, 10, 10).quiet());
    CHECK(LoopOfLaunches().quiet());

    LoopOfLaunches waits;  // the same gaps, but one pause takes most of the time
    waits.loop(20, 10, 10).loop(1, 10, 3000).loop(9, 10, 10);
    CHECK(waits.quiet());
    LoopOfLaunches startup;  // a pause before a kernel's first launch: its code is loaded
    startup.launch(10, 0);
    startup.loop(1, 10, 3000).loop(28, 10, 1);
    CHECK(startup.quiet());
    LoopOfLaunches slowStart;  // such a pause does not hide later gaps
    slowStart.launch(10, 0);
    slowStart.loop(1, 10, 3000).loop(28, 10, 10);
    CHECK_FALSE(slowStart.quiet());
}

TEST_CASE("launch-gaps looks at the whole GPU, and not at nodes of graphs") {
    LoopOfLaunches streams;
    streams.loop(30, 10, 10);
    const auto other = streams.p.kernel("long(float*)");
    auto ref = streams.p.launch(other, {1320, 1, 1}, {256, 1, 1}).durationUs(590).stream(1);
    ref.launch().start = Seconds{0};
    CHECK(streams.quiet());

    LoopOfLaunches graph;
    for (int i = 0; i < 30; ++i) graph.launch(10, 10).launch().fromGraph = true;
    CHECK(graph.quiet());
}

TEST_CASE("launch-gaps cannot tell where launches or their starts are missing") {
    const auto unknown = [](const LoopOfLaunches& program) {
        const Analysis analysis = program.analysis();
        return analysis.sequenceFindings.empty() && analysis.sequenceCannotTell.size() == 1 &&
               analysis.sequenceCannotTell.front().ruleId == "launch-gaps";
    };
    LoopOfLaunches chosen;
    chosen.loop(30, 10, 10).p.profile().capture.filters = {"--kernel a"};
    CHECK(unknown(chosen));
    LoopOfLaunches lost;
    lost.loop(30, 10, 10);
    ++lost.p.profile().processes.front().launchesSeen;
    CHECK(unknown(lost));
    LoopOfLaunches untimed;
    untimed.loop(30, 10, 10).p.profile().launches[7].start.reset();
    CHECK(unknown(untimed));
}

TEST_CASE("launch-bound: short launches with gaps at least as long") {
    const auto verdictOf = [](double duration, double gap) {
        return LoopOfLaunches().loop(30, duration, gap).analysis().kernels.front().verdict;
    };
    const Verdict verdict = verdictOf(4, 9);
    CHECK(verdict.cls == VerdictClass::LaunchBound);
    CHECK(verdict.confidence == Confidence::High);
    CHECK(verdict.reason.time.value == Approx(4e-6));
    CHECK(verdict.reason.gap.value == Approx(9e-6));
    CHECK(verdictOf(4, 5).confidence == Confidence::Medium);
    CHECK(verdictOf(4, 3).cls != VerdictClass::LaunchBound);
    CHECK(verdictOf(12, 30).cls != VerdictClass::LaunchBound);  // not short
    CHECK(verdictOf(4, 500).cls != VerdictClass::LaunchBound);  // the program does something else
    CHECK(verdictOf(0.5, 1).cls != VerdictClass::LaunchBound);  // back to back
    LoopOfLaunches few;
    CHECK(few.loop(5, 4, 9).analysis().kernels.front().verdict.cls != VerdictClass::LaunchBound);
}

TEST_CASE("launch-bound needs durations of a timing run") {
    LoopOfLaunches program;
    program.loop(30, 4, 9);
    for (Launch& launch : program.p.profile().launches) launch.start.reset();
    CHECK(program.analysis().kernels.front().verdict.cls != VerdictClass::LaunchBound);
}

TEST_CASE("a launch during which another one runs on leaves no gap") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    const auto at = [&](double start, double duration) {
        auto ref = p.launch(k, {132, 1, 1}, {256, 1, 1}).durationUs(duration);
        ref.launch().start = Seconds{start * 1e-6};
    };
    at(0, 100);
    at(10, 5);
    at(110, 5);
    at(112, 5);
    const LaunchGaps gaps = findLaunchGaps(p.build());
    REQUIRE(gaps.devices.size() == 1);
    CHECK(*gaps.after[0] == Approx(10e-6));
    CHECK(*gaps.after[1] == 0.0);
    CHECK(*gaps.after[2] == 0.0);
    CHECK_FALSE(gaps.after[3]);
    CHECK(gaps.devices.front().idle.value == Approx(10e-6));
    CHECK(gaps.devices.front().span.value == Approx(117e-6));
}

namespace {

/// As if recorded, with launch calls that took `callUs`; 0: not known.
Analysis asRecorded(const LoopOfLaunches& program, double callUs = 0) {
    Profile profile = program.p.build();
    profile.capture.origin = "recorded";
    if (callUs > 0) profile.processes.front().tracedLaunch = Seconds{callUs * 1e-6};
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

/// Ten steps of one long kernel and 20 short ones on a GPU that runs them one after the other. The
/// CPU takes `cpuUs` per launch; `waits`: it waits for the GPU after each step.
LoopOfLaunches training(double longUs, double cpuUs, bool waits) {
    LoopOfLaunches program;
    double cpu = 0, gpu = 0;  // busy until
    bool waited = false;
    for (int n = 0; n < 10 * 21; ++n) {
        if (waits && n > 0 && n % 21 == 0) {
            waited = gpu > cpu;
            cpu = std::max(cpu, gpu);
        }
        cpu += cpuUs;
        const double start = std::max(cpu, gpu), duration = n % 21 == 0 ? longUs : 5;
        program.launch(duration, start - gpu).launch().afterSync = std::exchange(waited, false);
        gpu = start + duration;
    }
    return program;
}

}  // namespace

TEST_CASE("what tracing a launch costs is taken off the gaps of a recording") {
    const auto recorded = [](double gap) {
        LoopOfLaunches program;
        program.loop(40, 10, gap);
        return asRecorded(program);
    };
    CHECK(recorded(18).sequenceFindings.empty());  // untraced the GPU would be busy all the time
    const Analysis slow = recorded(35);
    REQUIRE(slow.sequenceFindings.size() == 1);
    // 38 gaps of 15 µs between 40 launches of 10 µs.
    CHECK(value(slow.sequenceFindings[0], "idle") == Approx(38 * 15e-6));
}

TEST_CASE("a recording on a slow CPU takes off what its launch calls really took") {
    LoopOfLaunches program;
    program.loop(40, 10, 45);
    const Analysis assumed = asRecorded(program), measured = asRecorded(program, 40);
    REQUIRE(assumed.sequenceFindings.size() == 1);
    CHECK(value(assumed.sequenceFindings[0], "idle") == Approx(38 * 25e-6));
    REQUIRE(measured.sequenceFindings.size() == 1);
    CHECK(value(measured.sequenceFindings[0], "idle") == Approx(38 * 5e-6));
    CHECK(asRecorded(program, 44).sequenceFindings.empty());
    // At least the usual cost of tracing is taken off.
    CHECK(value(asRecorded(program, 2).sequenceFindings[0], "idle") == Approx(38 * 25e-6));
}

TEST_CASE("what is launched for other GPUs costs the same CPU") {
    // One thread launches on four GPUs in turn, 40 µs of work each. Untraced it takes 10 µs per
    // launch and all GPUs are busy; traced it takes 30 µs and each GPU waits.
    SyntheticProfile p(testDevice());
    for (int i = 0; i < 3; ++i) p.profile().devices.push_back(p.profile().devices.front());
    const auto kernel = p.kernel("k");
    double cpu = 0;
    std::array<double, 4> gpu{};
    for (std::uint32_t n = 0; n < 400; ++n) {
        cpu += 30;
        double& end = gpu[n % 4];
        auto ref = p.launch(kernel, {132, 1, 1}, {256, 1, 1}).durationUs(40);
        ref.launch().device = n % 4;
        ref.launch().start = Seconds{std::max(cpu, end) * 1e-6};
        end = std::max(cpu, end) + 40;
    }
    Profile profile = p.build();
    const LaunchGaps asTraced = findLaunchGaps(profile);
    profile.capture.origin = "recorded";
    const LaunchGaps gaps = findLaunchGaps(profile);
    REQUIRE(gaps.devices.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        INFO("GPU " << i);
        CHECK(asTraced.devices[i].idle / asTraced.devices[i].span > 0.5);
        CHECK(gaps.devices[i].idle / gaps.devices[i].span < 0.02);
    }
}

TEST_CASE("pauses between the nodes of a graph are not the CPU's") {
    LoopOfLaunches program;
    program.loop(3, 10, 30);
    for (int i = 0; i < 100; ++i) program.launch(10, 5).launch().fromGraph = true;
    program.loop(3, 10, 30);
    Profile profile = program.p.build();
    const double span = findLaunchGaps(profile).devices[0].span.value;
    profile.capture.origin = "recorded";
    // Only the six launches outside of the graph lose the cost of tracing, not the graph's pauses.
    CHECK(findLaunchGaps(profile).devices[0].span.value > span - 6 * 20e-6);
}

TEST_CASE("pauses in which autotuning was left out are not judged") {
    LoopOfLaunches program;
    program.loop(40, 10, 10).loop(1, 10, 5e6).loop(40, 10, 10);
    CHECK(program.quiet());  // five seconds of something else
    program.p.profile().issues.push_back({.severity = Severity::Info,
                                          .source = "inject",
                                          .code = "autotuning-left-out",
                                          .message = "",
                                          .advice = ""});
    CHECK_FALSE(program.quiet());
}

TEST_CASE("a traced recording has the gaps that the program has untraced") {
    struct Case {
        double longUs;
        bool waits;
        bool fires;
    };
    // Untraced 20 µs per launch, 420 per step; traced 55 and 1155.
    for (const auto& [longUs, waits, fires] :
         {Case{800, false, false},  // the long kernel hides all launches, but only untraced
          Case{800, true, false},   // the CPU starts each step anew but is soon ahead again
          Case{150, false, true},   // it hides some launches
          Case{150, true, true}, Case{5, false, true},  // nothing to hide behind
          Case{5, true, true}}) {
        INFO(longUs << " us, " << (waits ? "waits" : "runs on"));
        const LaunchGaps truth = findLaunchGaps(training(longUs, 20, waits).p.build());
        Profile traced = training(longUs, 55, waits).p.build();
        traced.capture.origin = "recorded";
        traced.processes.front().tracedLaunch = Seconds{35e-6};
        const LaunchGaps found = findLaunchGaps(traced);
        REQUIRE(found.devices.size() == 1);
        CHECK(found.devices[0].span.value == Approx(truth.devices[0].span.value).epsilon(0.01));
        CHECK(found.devices[0].idle.value ==
              Approx(truth.devices[0].idle.value).epsilon(0.02).margin(40e-6));
        CHECK(analyze(std::make_shared<const Profile>(traced)).sequenceFindings.empty() == !fires);
    }
    // Uncorrected, the trace would show gaps that the program does not have.
    const LaunchGaps asTraced = findLaunchGaps(training(800, 55, false).p.build());
    CHECK(asTraced.devices[0].idle / asTraced.devices[0].span > 0.2);
}
