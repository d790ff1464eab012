// SPDX-License-Identifier: Apache-2.0
// The window of a program that also ran alone (Process::pace): its seconds are those without us.
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::judged;
using test::SyntheticProgram;

namespace {

constexpr int kSteps = 120, kLaunches = 200;

/// Steps of 200 launches of 1 µs, one after each launch call of 4 µs; then a wait and `host` µs of
/// work.
SyntheticProgram launchBound(double host = 0) {
    SyntheticProgram p;
    for (int step = 0; step < kSteps; ++step) {
        for (int i = 0; i < kLaunches; ++i) p.launch("k" + std::to_string(i), 1);
        p.sync();
        if (host > 0) p.work(host);
    }
    return p;
}

/// Marks at every `every`th launch call, from the calls of the profile's timeline.
std::vector<PaceMark> tracedMarks(const Profile& profile, std::size_t every) {
    std::vector<PaceMark> marks;
    std::uint64_t calls = 0;
    for (const Call& call : profile.timeline.calls) {
        if (profile.timeline.callNames[call.name].kind != CallKind::Launch) continue;
        if (calls % every == 0) marks.push_back({.calls = calls, .time = call.time.start});
        ++calls;
    }
    return marks;
}

/// The same marks in `share` of the time, from zero.
std::vector<PaceMark> faster(std::vector<PaceMark> marks, double share) {
    const Nanoseconds first = marks.front().time;
    for (PaceMark& mark : marks)
        mark.time = static_cast<Nanoseconds>(static_cast<double>(mark.time - first) * share);
    return marks;
}

}  // namespace

TEST_CASE("a window's seconds are those of the same launches in a run alone") {
    Profile profile = launchBound().build();
    const double traced = judged(profile).window.seconds.value;
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    pace.alone = faster(pace.traced, 0.7);
    const Program program = judged(profile);
    CHECK(program.window.measuredAlone);
    CHECK(program.window.seconds.value == Approx(0.7 * traced).epsilon(0.01));
    CHECK(program.window.traced.value == Approx(0.3 * traced).epsilon(0.02));
    // The kernels' time is real; what is gone was spent in launch calls.
    CHECK(program.account.time[TimeClass::Kernels].value == Approx(kLaunches * 1e-6));
    CHECK(program.account.total().value == Approx(program.window.seconds.value));
}

TEST_CASE("a run alone that covers a part of the window stands for all of it") {
    Profile profile = launchBound().build();
    const double traced = judged(profile).window.seconds.value;
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    const auto half = pace.traced.begin() + static_cast<std::ptrdiff_t>(pace.traced.size() / 2);
    pace.alone = faster({half, pace.traced.end()}, 0.8);
    CHECK(judged(profile).window.seconds.value == Approx(0.8 * traced).epsilon(0.01));
    // Too little of it says nothing.
    pace.alone = faster({pace.traced.end() - 600, pace.traced.end()}, 0.8);
    CHECK_FALSE(judged(profile).window.measuredAlone);
}

TEST_CASE("four occurrences of many that ran alone are enough") {
    Profile profile = launchBound(10'000).build();
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    const auto ofSteps = [&](int steps) {
        pace.alone = faster({pace.traced.end() - steps * kLaunches / 8, pace.traced.end()}, 0.99);
        return judged(profile).window.measuredAlone;
    };
    CHECK(ofSteps(6));
    CHECK_FALSE(ofSteps(3));
}

TEST_CASE("a stretch alone before the process was traced is compared by rounds") {
    Profile profile = launchBound().build();
    const double traced = judged(profile).window.seconds.value;
    auto& pace = profile.processes[0].pace.emplace();
    const auto all = tracedMarks(profile, 1);
    constexpr std::size_t kAlone = 80 * kLaunches + 17;
    pace.alone = faster({all.begin(), all.begin() + kAlone}, 0.5);
    for (PaceMark mark : all) {
        mark.calls += kAlone;
        pace.traced.push_back(mark);
    }
    const Program program = judged(profile);
    CHECK(program.window.measuredAlone);
    CHECK(program.window.seconds.value == Approx(0.5 * traced).epsilon(0.01));
    pace.alone.resize(kLaunches / 2);  // not one round
    CHECK_FALSE(judged(profile).window.measuredAlone);
}

TEST_CASE("of a stretch alone, the rounds in which the program warmed up are left out") {
    Profile profile = launchBound().build();
    const double traced = judged(profile).window.seconds.value;
    auto& pace = profile.processes[0].pace.emplace();
    const auto all = tracedMarks(profile, 1);
    // 20 rounds that take three times as long as when they were traced, then 40 in half the time.
    const auto steady = all.begin() + 20 * kLaunches;
    pace.alone = faster({all.begin(), steady}, 3);
    const Nanoseconds warm = pace.alone.back().time + 1000;
    for (PaceMark mark : faster({steady, steady + 40 * kLaunches}, 0.5)) {
        mark.time += warm;
        pace.alone.push_back(mark);
    }
    for (PaceMark mark : all) {
        mark.calls += 60 * kLaunches;
        pace.traced.push_back(mark);
    }
    CHECK(judged(profile).window.seconds.value == Approx(0.5 * traced).epsilon(0.01));
}

TEST_CASE("what tracing added is taken from idle time in launch calls, not from host work") {
    Profile profile = launchBound(2000).build();
    const Program before = judged(profile);
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    pace.alone = faster(pace.traced, 0.9);
    const Program program = judged(profile);
    REQUIRE(program.window.measuredAlone);
    CHECK(program.account.time[TimeClass::IdleHost].value ==
          Approx(before.account.time[TimeClass::IdleHost].value));
    CHECK(program.account.time[TimeClass::IdleLaunch].value <
          before.account.time[TimeClass::IdleLaunch].value - 0.05 * before.window.seconds.value);
}

TEST_CASE("a program that was not slower when it was traced keeps its time") {
    Profile profile = launchBound().build();
    const double traced = judged(profile).window.seconds.value;
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    pace.alone = faster(pace.traced, 1.1);
    CHECK(judged(profile).window.seconds.value == Approx(traced));
    CHECK(judged(profile).window.measuredAlone);
}

TEST_CASE("what tracing cannot have added is the program's") {
    // 20 ms of work in each step, which had its data in stock when it was alone.
    Profile profile = launchBound(20'000).build();
    auto& pace = profile.processes[0].pace.emplace();
    pace.traced = tracedMarks(profile, 8);
    pace.alone = faster(pace.traced, 0.5);
    CHECK_FALSE(judged(profile).window.measuredAlone);
}
