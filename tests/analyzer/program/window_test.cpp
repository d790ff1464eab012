// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/window.h"

#include <algorithm>
#include <initializer_list>

#include "analyzer/program/window/period.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::program::findPeriod;
using roofscope::test::SyntheticProgram;

namespace {

Window windowOf(const Profile& profile) { return test::judged(profile).window; }

/// Three kernels and a wait.
void step(SyntheticProgram& p, double time = 100) {
    p.launch("a", time).launch("b", time).launch("b", time).sync();
}

}  // namespace

TEST_CASE("an outermost range that repeats is the window, without a first that loads code") {
    SyntheticProgram p;
    p.launch("init", 50).sync().work(100'000);
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        if (i == 0) p.call("cuModuleLoadData", CallKind::Load, 30'000);
        p.push("layer");
        step(p);
        p.pop();
        p.push("layer").launch("c", 100).sync().pop();
        p.pop().work(700);
    }
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Range);
    CHECK(window.name == "step");
    CHECK(window.occurrences == 6);
    CHECK(window.counted == 5);
    CHECK(window.seconds.value * 1e6 == Approx(300 + 9 + 100 + 9));
}

TEST_CASE("ranges that another thread pushes while the step waits for it are no window") {
    SyntheticProgram p;
    p.push("ncclAllReduce").launch("a", 1000).sync().pop();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.launch("forward", 50);
        // Like NCCL on autograd's thread: this work fills nearly the whole step.
        for (int k = 0; k < 3; ++k) p.push("ncclAllReduce").launch("a", 300).sync().pop();
        p.pop();
    }
    Profile profile = p.build();
    profile.timeline.threads.push_back({.process = 0, .id = 2, .name = "pt_autograd_0"});
    const auto outer = std::ranges::find(profile.ranges, "ncclAllReduce");
    REQUIRE(outer != profile.ranges.end());
    for (RangeSpan& range : profile.timeline.ranges)
        if (profile.ranges[range.range] == "step > ncclAllReduce") {
            range.thread = 1;
            range.range = static_cast<std::uint32_t>(outer - profile.ranges.begin());
        }
    const Window window = windowOf(profile);
    CHECK(window.kind == WindowKind::Range);
    CHECK(window.name == "step");
    CHECK(window.occurrences == 6);
}

TEST_CASE("a range that repeats inside of one that does not is the window") {
    SyntheticProgram p;
    p.push("train");
    for (int i = 0; i < 4; ++i) {
        p.push("step");
        step(p);
        p.pop();
    }
    p.pop();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Range);
    CHECK(window.name == "step");
    CHECK(window.counted == 4);
}

TEST_CASE("a range that holds little of the work is no window") {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("log").launch("print", 1).sync().pop();
        step(p);
    }
    CHECK(windowOf(p.build()).kind == WindowKind::Period);
}

TEST_CASE("a library's ranges are a part of what repeats around them") {
    SyntheticProgram p;
    for (int i = 0; i < 8; ++i) {
        p.launch("make", 100).push("cub::sort");
        step(p, 200);
        p.pop().launch("sum", 150).sync();
    }
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.occurrences == 8);
    CHECK(window.periodLaunches == 5);
    // The same holds if the last turn is not a part of the period, because it differs.
    p.launch("make", 100).push("cub::sort");
    step(p, 200);
    p.pop().launch("other", 1).launch("sum", 150).sync();
    CHECK(windowOf(p.build()).kind == WindowKind::Period);
    // A loop inside the range repeats more often: the range is the window.
    SyntheticProgram q;
    for (int i = 0; i < 4; ++i) {
        q.push("step");
        for (int layer = 0; layer < 5; ++layer) step(q);
        q.pop().launch("evaluate", 400).sync();
    }
    CHECK(windowOf(q.build()).name == "step");
}

TEST_CASE("a library's range does not hold what was issued before it") {
    // The CPU is far ahead: between the push of a sort and its end, the steps before it run.
    SyntheticProgram p;
    const auto steps = [&](int count) {
        for (int i = 0; i < count; ++i)
            p.launch("gemm", 900).launch("relu", 300).launch("adam", 200);
    };
    for (const int count : {8, 8, 8, 8, 8}) {
        p.push("cub::DeviceRadixSort").launch("sort", 20).pop();
        steps(count);
    }
    p.sync();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.name.empty());
    // Nearly all of the time is that of the steps.
    CHECK(window.seconds.value * 1e6 == Approx(8 * 1400 + 20).epsilon(0.02));
}

TEST_CASE("between a library's ranges the program does what belongs to a turn") {
    const auto turns = [](double pause, std::string_view range) {
        SyntheticProgram p;
        for (int i = 0; i < 8; ++i) {
            p.push(range);
            step(p, 200);
            p.pop().work(pause).launch(i % 3 == 0 ? "rare" : "usual", 1).sync();
        }
        return windowOf(p.build());
    };
    const Window window = turns(2000, "XlaModule:#hlo_module=jit_loss#");
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.seconds.value * 1e6 > 2200);
    CHECK(window.counted == 7);
    // A short pause is nothing; and what the program named itself is what it wants to know.
    CHECK(turns(20, "XlaModule:#hlo_module=jit_loss#").kind == WindowKind::Range);
    CHECK(turns(2000, "step").kind == WindowKind::Range);
}

TEST_CASE("what a compiler does while it tunes is no window") {
    SyntheticProgram p;
    for (int i = 0; i < 3; ++i) {
        p.push("roofscope:autotuning").push("XlaCompile");
        p.work(50'000).memset(1e9, 20'000).sync();
        p.pop().pop();
    }
    for (int i = 0; i < 8; ++i) step(p);
    p.profile().processes[0].autotuningLaunches = 30;
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.seconds.value * 1e6 < 1000);
    // Nor do its memsets and copies count as work of the program.
    p.profile().launches.clear();
    CHECK(windowOf(p.build()).occurrences == 0);
}

TEST_CASE("ranges whose work outlasts their pop share no nanosecond") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.launch("a", 1000).launch("b", 1000);  // 8 us of calls, 2 ms of work
        p.pop();
    }
    p.sync();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Range);
    CHECK(window.counted == 6);
    CHECK(window.seconds.value * 6e6 == Approx(12'006));
}

TEST_CASE("the first occurrence begins when what was issued before it is done") {
    SyntheticProgram p;
    p.launch("before", 900).work(10);
    for (int i = 0; i < 3; ++i) {
        p.push("step");
        p.launch("a", 1000).launch("b", 1000);
        p.pop();
    }
    p.sync();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Range);
    CHECK(window.counted == 3);
    CHECK(window.seconds.value * 1e6 == Approx(2000));
    // Nor does it begin after its own work, or before its push.
    SyntheticProgram idle;
    idle.launch("before", 900).sync().work(500);
    for (int i = 0; i < 3; ++i) {
        idle.push("step").work(100);
        idle.launch("a", 1000).sync();
        idle.pop();
    }
    CHECK(windowOf(idle.build()).seconds.value * 1e6 == Approx(1109).margin(2));
}

TEST_CASE("without ranges a period of the launches is the window") {
    SyntheticProgram p;
    p.launch("init", 50).launch("fill", 70).sync().work(5000);
    for (int i = 0; i < 8; ++i) step(p);
    p.launch("check", 20).sync();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.periodLaunches == 3);
    CHECK(window.occurrences == 8);
    CHECK(window.seconds.value * 1e6 == Approx(309));
}

TEST_CASE("a loop of few long launches comes before a set-up of many short ones") {
    const auto periodAfterSetUp = [](double microseconds) {
        SyntheticProgram p;
        for (int i = 0; i < 300; ++i) p.launch("noise", 5).launch("add", 5).launch("cast", 5);
        for (int i = 0; i < 20; ++i)
            p.launch("prepare", microseconds).launch("mean", 10).launch("store", 5).launch("n", 5);
        return windowOf(p.sync().build());
    };
    const Window heavy = periodAfterSetUp(2000);
    CHECK(heavy.periodLaunches == 4);
    CHECK(heavy.occurrences == 20);
    // Near-miss: as much time in both.
    CHECK(periodAfterSetUp(250).periodLaunches == 3);
}

TEST_CASE("a repeat ends before a long pause in which the program does something else") {
    // Pauses after these repeats: not at the same distances, as where a loop around this one ends.
    Window::Pauses pauses;
    const auto meanOf = [&](std::initializer_list<int> after, double pause, const char* command) {
        SyntheticProgram p;
        for (int i = 0; i < 900; ++i) {
            step(p);
            if (std::ranges::find(after, i) != after.end()) p.work(pause);
        }
        Profile profile = p.build();
        profile.capture.command = {command};
        const Window window = windowOf(profile);
        CHECK(window.counted == 899);
        pauses = window.pauses;
        return window.seconds.value * 1e6;
    };
    CHECK(meanOf({300, 500, 850}, 60'000, "./check") == Approx(309).margin(2));
    CHECK(pauses.count == 3);
    CHECK(pauses.total.value == Approx(0.18).epsilon(0.01));
    // Near-misses: many pauses are what the loop does; short ones hardly matter; a Python program
    // is judged by its loop alone.
    CHECK(meanOf({100, 130, 300, 310, 400, 410, 450, 500, 520, 700, 705, 840}, 15'000, "./check") ==
          Approx(509).margin(5));
    CHECK(meanOf({300, 500, 850}, 20'000, "./check") == Approx(375).margin(5));
    CHECK(meanOf({300, 500, 850}, 60'000, "python3") == Approx(509).margin(5));
}

TEST_CASE("an occurrence in which code is loaded is not counted, wherever it is") {
    SyntheticProgram p;
    for (int i = 0; i < 7; ++i) {
        p.push("step");
        if (i == 4) p.call("cuLibraryLoadData", CallKind::Load, 30'000);
        step(p);
        p.pop();
    }
    const Window window = windowOf(p.build());
    CHECK(window.occurrences == 7);
    CHECK(window.counted == 6);
    CHECK(window.leftOut == 1);
    CHECK(window.seconds.value * 1e6 == Approx(309));
}

TEST_CASE("a program that loads code in every step is judged with it") {
    SyntheticProgram p;
    for (int i = 0; i < 7; ++i) {
        p.push("step").call("cuLibraryLoadData", CallKind::Load, 3'000);
        step(p);
        p.pop();
    }
    const Window window = windowOf(p.build());
    CHECK(window.counted == 7);
    CHECK(window.seconds.value * 1e6 > 3'000);
}

TEST_CASE("work after the last turn of a period does not lengthen the turn") {
    SyntheticProgram p;
    for (int i = 0; i < 8; ++i) step(p);
    p.work(50'000).call("cuLibraryLoadData", CallKind::Load, 80'000);
    p.launch("check", 20).sync();
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Period);
    CHECK(window.counted == 7);
    CHECK(window.leftOut == 0);
    CHECK(window.seconds.value * 1e6 == Approx(309));
}

TEST_CASE("what the user chose comes before everything else") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        step(p);
        p.pop();
    }
    Profile profile = p.build();
    SECTION("between cudaProfilerStart and cudaProfilerStop") {
        profile.timeline.profiler = {{.process = 0, .time = {0, 150'000}}};
        const Window window = windowOf(profile);
        CHECK(window.kind == WindowKind::Chosen);
        CHECK(window.seconds.value * 1e6 == Approx(150));
    }
    SECTION("launches of ranges") {
        profile.capture.filters = {"--nvtx st.p"};
        const Window window = windowOf(profile);
        CHECK(window.kind == WindowKind::Chosen);
        CHECK(window.name == "step");
        CHECK(window.counted == 6);
    }
    SECTION("ranges that are not there") {
        profile.capture.filters = {"--nvtx other"};
        CHECK(windowOf(profile).kind == WindowKind::Range);
    }
}

TEST_CASE("a program that repeats nothing is judged as a whole") {
    SyntheticProgram p;
    for (const char* name : {"a", "b", "c", "d", "e"}) p.launch(name, 100);
    const Window window = windowOf(p.build());
    CHECK(window.kind == WindowKind::Whole);
    CHECK(window.occurrences == 1);
    CHECK(window.seconds.value * 1e6 == Approx(500));
}

TEST_CASE("without timed launches there is no window") {
    SyntheticProgram p;
    p.launch("a", 100);
    Profile profile = p.build();
    profile.launches[0].start.reset();
    CHECK(windowOf(profile).occurrences == 0);
    CHECK(windowOf(Profile{}).occurrences == 0);
}

TEST_CASE("between which lengths the middle half of the repeats is, where they vary") {
    const auto spreadOf = [](int repeats, auto work) {
        SyntheticProgram p;
        for (int i = 0; i < repeats; ++i) {
            p.push("step");
            step(p);
            p.work(work(i)).launch("last", 100).sync().pop();
        }
        return windowOf(p.build()).spread;
    };
    // A processor that takes 1.5 times as long in half of the steps.
    const auto paces = spreadOf(40, [](int i) { return i % 4 < 2 ? 1000.0 : 1500.0; });
    REQUIRE(paces);
    CHECK(paces->second / paces->first > 1.2);
    CHECK((paces->second - paces->first).value * 1e6 == Approx(500));
    CHECK_FALSE(spreadOf(40, [](int i) { return i % 4 < 2 ? 1000.0 : 1100.0; }));  // hardly
    CHECK_FALSE(spreadOf(40, [](int i) { return i == 20 ? 9000.0 : 1000.0; }));    // one
    CHECK_FALSE(spreadOf(10, [](int i) { return i % 4 < 2 ? 1000.0 : 1500.0; }));  // few
    CHECK_FALSE(spreadOf(40, [](int i) { return 1000.0 + 100 * i; }));             // it grows
}

TEST_CASE("periods") {
    using Sequence = std::vector<std::uint32_t>;
    const auto found = [](const Sequence& sequence) {
        const auto period = findPeriod(sequence);
        return period ? std::vector<std::size_t>{period->first, period->length, period->repeats}
                      : std::vector<std::size_t>{};
    };
    using Found = std::vector<std::size_t>;
    CHECK(found({}) == Found{});
    CHECK(found({1, 2, 3, 4, 5, 6}) == Found{});
    CHECK(found({1, 2, 1, 2}) == Found{});  // two times may be chance
    CHECK(found({1, 2, 1, 2, 1, 2}) == Found{0, 2, 3});
    CHECK(found({9, 8, 7, 1, 2, 1, 2, 1, 2, 1, 2, 6}) == Found{3, 2, 4});
    // Many launches of one kernel inside a step are not the step.
    Sequence storm{9, 9, 8};
    for (int turn = 0; turn < 5; ++turn) {
        storm.push_back(1);
        for (int i = 0; i < 60; ++i) storm.push_back(2);
    }
    CHECK(found(storm) == Found{3, 61, 5});
    // Every kernel occurs more than once per turn.
    Sequence twice;
    for (int turn = 0; turn < 6; ++turn) twice.insert(twice.end(), {1, 1, 2, 1, 2, 2});
    CHECK(found(twice)[1] == 6);
    // In some turns a library uses another kernel for one of 40 launches.
    Sequence nearly{9};
    for (int turn = 0; turn < 10; ++turn)
        for (std::uint32_t i = 0; i < 40; ++i)
            nearly.push_back(i == 20 && turn * turn % 7 == 2 ? 99 : i);
    CHECK(found(nearly) == Found{1, 40, 10});
    // If every second item differs, nothing repeats.
    Sequence other;
    for (std::uint32_t i = 0; i < 60; ++i) other.push_back(i % 2 ? 100 + i : i % 6);
    CHECK(found(other) == Found{});
    // As many trial launches of a library precede the loop.
    Sequence trials;
    for (std::uint32_t i = 0; i < 55; ++i) trials.push_back(i * i % 47);
    for (int turn = 0; turn < 10; ++turn) trials.insert(trials.end(), {70, 71, 72, 73, 74});
    CHECK(found(trials) == Found{55, 5, 10});
    // Each of many kernels is tried a few times, at distances of its own: the rarest show no loop.
    Sequence rare;
    for (std::uint32_t i = 0; i < 1200; ++i) rare.push_back(1000 + (i * i + i / 7) % 300);
    for (int turn = 0; turn < 40; ++turn)
        for (std::uint32_t i = 0; i < 60; ++i) rare.push_back(i % 20 == 0 ? i : 500 + i % 5);
    CHECK(found(rare) == Found{1200, 60, 40});
}
