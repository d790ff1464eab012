// SPDX-License-Identifier: Apache-2.0
// Reports of a part of a running process (Capture::snap).
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/program/account/step_times.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::has;
using test::SyntheticProgram;

namespace {

constexpr int kSteps = 50, kLaunches = 100;

/// 50 steps of 100 launches that were recorded, and the pace of the same steps before and after
/// that, in these shares of the time.
Profile snapped(double before, double after) {
    SyntheticProgram p;
    for (int step = 0; step < kSteps; ++step) {
        for (int i = 0; i < kLaunches; ++i) p.launch("k" + std::to_string(i), 2);
        p.sync();
    }
    Profile profile = p.build();
    profile.capture.command = {"python3", "serve.py"};
    profile.capture.snap =
        Snap{.steps = 40, .recorded = Seconds{0.5}, .age = Seconds{3.2 * 86400}, .endedEarly = {}};
    auto& pace = profile.processes[0].pace.emplace();
    std::uint64_t calls = 0;
    const auto marks = [&](double share) {
        std::vector<PaceMark> list;
        for (const Launch& launch : profile.launches)
            list.push_back({.calls = ++calls,
                            .time = static_cast<Nanoseconds>(launch.start->value * 1e9 * share)});
        return list;
    };
    pace.alone = marks(before);
    pace.traced = marks(1);
    pace.after = marks(after);
    return profile;
}

std::string textOf(const Profile& profile) {
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    return renderReport(analysis, ReportFormat::Markdown, {}).value();
}

std::string firstLines(const std::string& report) { return report.substr(0, 700); }

}  // namespace

TEST_CASE("a step's time before and after a snap is that of as many launch calls") {
    const Profile profile = snapped(0.5, 0.75);
    const program::StepTimes times = program::stepTimes(profile);
    CHECK(times.steps == kSteps);
    REQUIRE(times.before);
    REQUIRE(times.recorded);
    REQUIRE(times.after);
    CHECK(times.before->value == Approx(0.5 * times.recorded->value).epsilon(0.02));
    CHECK(times.after->value == Approx(0.75 * times.recorded->value).epsilon(0.02));
}

TEST_CASE("a stretch that is shorter than a step says nothing of it") {
    Profile profile = snapped(0.5, 0.75);
    profile.processes[0].pace->after.resize(kLaunches / 2);
    CHECK_FALSE(program::stepTimes(profile).after);
    CHECK(program::stepTimes(profile).before);
    profile.processes[0].pace.reset();
    CHECK_FALSE(program::stepTimes(profile).before);
    CHECK(program::stepTimes(profile).steps == kSteps);
}

TEST_CASE("a graph's launch may hold several steps") {
    // Each launch call of 100 kernels is one call of a graph, and a step is one kernel.
    SyntheticProgram p;
    for (int i = 0; i < kSteps * kLaunches; ++i) p.launch("k", 2);
    Profile profile = p.build();
    auto& pace = profile.processes[0].pace.emplace();
    const double all = profile.launches.back().start->value * 1e9;
    for (int i = 0; i <= kSteps; ++i) {
        const auto at = [&](double share) {
            return static_cast<Nanoseconds>(all * share * i / kSteps);
        };
        const auto calls = static_cast<std::uint64_t>(i);
        pace.alone.push_back({.calls = calls, .time = at(0.5)});
        pace.traced.push_back({.calls = calls + 100, .time = at(1)});
        pace.after.push_back({.calls = calls + 200, .time = at(0.75)});
    }
    const program::StepTimes times = program::stepTimes(profile);
    REQUIRE(times.before);
    REQUIRE(times.after);
    CHECK(times.before->value == Approx(0.5 * times.recorded->value).epsilon(0.05));
    CHECK(times.after->value == Approx(0.75 * times.recorded->value).epsilon(0.05));
    CHECK(*times.calls.before == Approx(2 * *times.calls.recorded).epsilon(0.01));
}

TEST_CASE("the first lines say that it is a part of a run") {
    const std::string text = firstLines(textOf(snapped(0.5, 0.75)));
    INFO(text);
    CHECK(has(text, "Part of a run"));
    CHECK(has(text, "50 steps in 500 ms of a process that had run for 3.2 days and went on."));
    CHECK(has(text, "A step took"));
    CHECK(has(text, "afterwards."));
    CHECK_FALSE(has(text, "ended early"));
    Profile early = snapped(0.5, 0.75);
    early.capture.snap->endedEarly = "the program ended";
    CHECK(has(firstLines(textOf(early)), "It ended early: the program ended."));
    Profile whole = snapped(0.5, 0.75);
    whole.capture.snap.reset();
    CHECK_FALSE(has(textOf(whole), "Part of a run"));
}

TEST_CASE("a snap without steps says so, and how many launch calls came") {
    Profile profile = snapped(0.5, 0.75);
    profile.launches.resize(1);
    profile.counters.resize(1);
    profile.timeline = {};
    profile.processes[0].timeline.reset();
    profile.capture.snap->age.reset();
    const std::string text = firstLines(textOf(profile));
    INFO(text);
    CHECK(has(text, "no steps were found in it"));
    CHECK_FALSE(has(text, "A step took"));
    CHECK(has(text, "Launch calls in a second: "));
    profile.processes[0].pace.reset();
    CHECK_FALSE(has(firstLines(textOf(profile)), "Launch calls in a second"));
}

TEST_CASE("the next command of a snap is another snap, not a restart") {
    const std::string text = textOf(snapped(0.5, 0.75));
    CHECK_FALSE(has(text, "roofscope record --out"));
    CHECK_FALSE(has(text, "exit code not recorded"));
    CHECK_FALSE(has(text, "--timing-only"));
}

TEST_CASE("JSON has the steps and their times; whole runs have none") {
    const auto json = [](const Profile& profile) {
        const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
        return nlohmann::json::parse(
                   renderReport(analysis, ReportFormat::Json, {}).value())["profile"]
            .value("snap", nlohmann::json());
    };
    const auto snap = json(snapped(0.5, 0.75));
    CHECK(snap["steps"] == kSteps);
    CHECK(snap["steps_asked"] == 40);
    CHECK(snap["recorded_seconds"] == 0.5);
    CHECK(snap["step_seconds_before"] < snap["step_seconds_after"]);
    CHECK(snap["ended_early"].is_null());
    Profile whole = snapped(0.5, 0.75);
    whole.capture.snap.reset();
    CHECK(json(whole).is_null());
}
