// SPDX-License-Identifier: Apache-2.0
// How fast launches come: while a process is traced, and while it runs alone.
#include "collector/inject/launches/pace_log.h"

#include <chrono>
#include <functional>
#include <thread>

#include "collector/configuration/run_configuration.h"
#include "collector/spool/reader/spool_reader.h"
#include "profile/codec/codec.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/fake_gpu/fake_session.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace std::chrono_literals;
using inject::PaceLog;

namespace {

/// A process in which a launch takes `each`, by both clocks.
struct Paced {
    std::chrono::nanoseconds each{10us};
    std::chrono::nanoseconds now{1s};
    PaceLog pace{[this] { return static_cast<std::uint64_t>(now.count()); },
                 [this] { return PaceLog::Clock::time_point(now); }};

    void launch(int times = 1) {
        for (int i = 0; i < times; ++i) {
            pace.launching();
            now += each;
        }
    }
    /// Launches until the rest is over, at most `most` times. Returns how often it launched.
    int restFor(int most) {
        int launches = 0;
        while (launches < most && !pace.restIsOver()) {
            launch();
            ++launches;
        }
        return launches;
    }
};

}  // namespace

TEST_CASE("marks of traced launches have the number of calls before, and when the next came") {
    Paced p;
    p.launch(3);  // nobody asked yet
    p.pace.trace();
    p.launch(2);
    const auto rows = p.pace.take();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].calls == 3);
    CHECK(rows[0].atNs == 1'000'030'000);
    CHECK(rows[1].calls == 4);
    CHECK(rows[1].atNs == 1'000'040'000);
    CHECK_FALSE(rows[1].alone);
    p.launch();
    CHECK(p.pace.take().empty());
}

TEST_CASE("of a long stretch a few marks stay, evenly spread") {
    Paced p;
    p.pace.trace();
    constexpr int kLaunches = 100'000;
    p.launch(kLaunches);
    const auto rows = p.pace.take();
    CHECK(rows.size() < PaceLog::kMostMarks);
    CHECK(rows.size() >= PaceLog::kMostMarks / 2 - 1);
    CHECK(rows.front().calls == 0);
    CHECK(rows.back().calls > kLaunches - 2 * kLaunches / PaceLog::kMostMarks - 64);
    for (std::size_t i = 1; i < rows.size(); ++i)
        CHECK(rows[i].calls - rows[i - 1].calls == rows[1].calls - rows[0].calls);
}

TEST_CASE("a rest has lasted for a time once it is noted, and if it is alone") {
    Paced p;
    p.each = 1ms;
    CHECK_FALSE(p.pace.restedFor(0s));  // it does not rest
    p.pace.rest(0, true);
    p.launch(300);
    CHECK_FALSE(p.pace.restedFor(100ms));  // nobody has waited yet
    p.pace.waited();
    p.launch(99);
    CHECK_FALSE(p.pace.restedFor(100ms));
    p.launch(1);
    CHECK(p.pace.restedFor(100ms));
    p.pace.rest(0, false);  // lines are still followed
    p.pace.waited();
    p.launch(200);
    CHECK_FALSE(p.pace.restedFor(100ms));
}

TEST_CASE("a rest is noted from the first wait on, and over after a round") {
    Paced p;
    p.each = 500us;
    p.pace.rest(700, true);
    CHECK(p.pace.resting());
    p.launch(10);  // may only have been queued
    p.pace.waited();
    p.launch(5);
    p.pace.waited();  // later waits change nothing
    CHECK(p.restFor(1000) == 696);
    const auto rows = p.pace.take();
    REQUIRE(rows.size() == 701);
    CHECK(rows.front().calls == 10);
    CHECK(rows.front().alone);
    CHECK(rows.back().calls == 710);
    CHECK(rows.back().atNs - rows.front().atNs == 350'000'000);
    p.pace.endRest();
    CHECK_FALSE(p.pace.resting());
}

TEST_CASE("a rest without waits is noted once the queue is full") {
    Paced p;
    p.each = 100us;
    p.pace.rest(2000, true);
    CHECK(p.restFor(10'000) == 1024 + 3000);
    CHECK(p.pace.take().front().calls == 1025);
}

TEST_CASE("short rounds are repeated for three tenths of a second") {
    Paced p;
    p.each = 100us;
    p.pace.rest(300, true);
    p.pace.waited();
    CHECK(p.restFor(10'000) == 3000);
}

TEST_CASE("a long round is not waited for") {
    Paced p;
    p.each = 100us;
    p.pace.rest(1'000'000, true);
    p.pace.waited();
    CHECK(p.restFor(100'000) == 25'000);
}

TEST_CASE("a program that warms up rests until a launch takes as long as before") {
    Paced p;
    p.each = 400us;
    p.pace.rest(300, true);
    p.pace.waited();
    int launches = 0;
    // From slice to slice (150 ms) a launch takes a fifth less, until the fifth one.
    for (; launches < 100'000 && !p.pace.restIsOver(); ++launches) {
        p.launch();
        const auto slices = std::min<std::int64_t>((p.now - 1s) / 150ms, 4);
        p.each = 400us;
        for (std::int64_t i = 0; i < slices; ++i) p.each = p.each * 4 / 5;
    }
    CHECK(p.now - 1s >= 900ms);
    CHECK(p.now - 1s < 902ms);
}

TEST_CASE("slices of a long round may differ") {
    Paced p;
    p.pace.rest(4000, true);  // half of a round's launches take 100 us each, half of them 200
    p.pace.waited();
    int launches = 0;
    for (; launches < 100'000 && !p.pace.restIsOver(); ++launches) {
        p.each = launches % 4000 < 2000 ? 100us : 200us;
        p.launch();
    }
    CHECK(launches == 4001);
}

TEST_CASE("a program that is never steady is timed after a while") {
    Paced p;
    p.pace.rest(300, true);
    p.pace.waited();
    while (p.now < 10s && !p.pace.restIsOver()) {
        p.each = (p.now - 1s) / 150ms % 2 == 0 ? 100us : 130us;
        p.launch();
    }
    CHECK(p.now - 1s >= 2500ms);
    CHECK(p.now - 1s < 2501ms);
}

TEST_CASE("a rest ends early if launches are slow, or if there is nothing to begin with") {
    Paced slow;
    slow.each = 5ms;  // tracing adds nothing that matters
    slow.pace.rest(1000, true);
    slow.pace.waited();
    CHECK(slow.restFor(1000) == 60);
    Paced few;
    few.each = 10ms;
    few.pace.rest(2, true);
    CHECK(few.restFor(1000) == 50);
    CHECK(few.pace.take().empty());
}

TEST_CASE("a rest without a round lasts until the process ends, and may be unmarked") {
    Paced p;
    p.pace.rest(0, false);
    p.pace.waited();
    CHECK(p.restFor(5000) == 5000);
    CHECK(p.pace.take().empty());
}

namespace {

constexpr test::FakeProgram::Counters kReadable{.readable = true, .passes = 2};

Profile spooledBy(const RunConfiguration& configuration,
                  const std::function<void(test::FakeProgram&)>& program) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram(configuration, folder.path(), program, kReadable, 1));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return std::move(*profile);
}

/// Steps of 150 launches of 1 µs and a wait, the kernels of which CUPTI delivers if `timed()`.
void steps(test::FakeProgram& program, int count, const std::function<bool()>& timed,
           std::uint64_t now = 1'000'000) {
    for (int step = 0; step < count; ++step) {
        for (unsigned i = 0; i < 150; ++i, now += 1000) {
            program.at(now);
            program.launch({.kernel = "a", .grid = i + 1});
            if (timed()) test::kernelRan(program, now + 100, now + 600);
        }
        program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
    }
}

}  // namespace

TEST_CASE("between counting and timing a process runs alone, and its launches are only counted") {
    const CountFirstMode mode{.counting = {.perKernel = 1, .countOneIfCostly = true},
                              .leastStart = 0};
    bool sessionInRest = true;
    const Profile p = spooledBy({.mode = mode}, [&](test::FakeProgram& program) {
        const auto timed = [&] { return program.timesKernels(); };
        steps(program, 20, timed);
        sessionInRest = test::FakeSession::runs();
        for (std::uint64_t slice = 1; slice <= 4; ++slice) {  // until it is seen to be steady
            std::this_thread::sleep_for(160ms);
            steps(program, 20, timed, 1'000'000 + slice * 20 * 150'000);
        }
        if (sessionInRest) std::abort();  // in a child process
    });
    REQUIRE(p.processes.size() == 1);
    const auto& pace = p.processes.front().pace;
    REQUIRE(pace);
    REQUIRE(pace->alone.size() > 150);
    REQUIRE(pace->traced.size() > 150);
    CHECK(pace->alone.front().time == 0);
    // A launch takes 1 µs by the program's clock, whether traced or not.
    const PaceMark& last = pace->alone.back();
    CHECK(last.time == 1000 * static_cast<Nanoseconds>(last.calls - pace->alone.front().calls));
    CHECK(pace->traced.front().calls >= last.calls);
    CHECK(p.launches.size() < 100 * 150 - 100);  // those of the rest have no rows
    CHECK(p.issues.empty());
}

TEST_CASE("counters may be read group by group, from different launches of a kernel") {
    const CountFirstMode mode{
        .counting = {.perKernel = 3, .countOneIfCostly = true, .groupByGroup = true},
        .leastStart = 0,
        .rests = false};
    const auto recorded = [&](bool graph) {
        const test::TemporaryFolder folder;
        auto groups = kReadable;
        groups.groups = 3;
        REQUIRE(test::runFakeProgram(
            {.mode = mode}, folder.path(),
            [&](test::FakeProgram& program) {
                steps(program, 1, [] { return false; });
                static const test::FakeGraph two({"gg", "hhh"});
                if (graph) {
                    program.make(two);
                    program.launch(two);
                }
                steps(
                    program, 40, [&] { return program.timesKernels(); }, 1'000'000 + 150'000);
            },
            groups, 1));
        auto profile = readSpools(folder.path());
        REQUIRE(profile);
        return std::move(*profile);
    };
    const Profile p = recorded(false);
    std::size_t first = 0, second = 0;
    for (std::size_t row = 0; row < p.launches.size(); ++row) {
        const auto a = p.counters.value(test::FakeSession::kCounter, row);
        const auto b = p.counters.value(test::FakeSession::kSecond, row);
        CHECK_FALSE((a && b));
        if (a || b) CHECK(a.value_or(b.value_or(0)) == p.launches[row].grid.x);
        first += a ? 1 : 0;
        second += b ? 1 : 0;
    }
    CHECK(first == 150);  // one of each kind
    CHECK(second == 150);
    CHECK(p.processes.front().pace);  // it was timed, then
    CHECK(p.issues.empty());

    // Graphs keep the group under which they were made, so all counters are read from then on.
    const Profile graphs = recorded(true);
    std::size_t both = 0;
    for (std::size_t row = 0; row < graphs.launches.size(); ++row) {
        const bool a = graphs.counters.value(test::FakeSession::kCounter, row).has_value();
        const bool b = graphs.counters.value(test::FakeSession::kSecond, row).has_value();
        both += a && b ? 1 : 0;
        if (graphs.launches[row].fromGraph) CHECK((a && b));
    }
    CHECK(both == 150 + 2);
    CHECK_FALSE(graphs.processes.front().pace);  // it only counted
    CHECK(graphs.issues.empty());
}

TEST_CASE("of long kernels only the hardware's counters are read") {
    const auto signature = [](unsigned grid) {
        return launchSignature("a", Launch{.grid = {grid, 1, 1}, .block = {32, 1, 1}}, "");
    };
    const CountersMode mode{
        .perKernel = 1, .groupByGroup = true, .hardwareOnly = {signature(7), signature(9)}};
    const auto recorded = [&](std::size_t groups, bool graph) {
        const test::TemporaryFolder folder;
        auto counters = kReadable;
        counters.groups = groups;
        const auto program = [&](test::FakeProgram& p) {
            static const test::FakeGraph one({"gg"});
            if (graph) p.make(one);
            steps(p, 3, [] { return false; });
            if (graph) p.launch(one);
        };
        REQUIRE(test::runFakeProgram({.mode = mode}, folder.path(), program, counters, 1));
        auto profile = readSpools(folder.path());
        REQUIRE(profile);
        return std::move(*profile);
    };
    const auto first = [](const Profile& p, std::size_t row) {
        return p.counters.value(test::FakeSession::kCounter, row);
    };
    const auto second = [](const Profile& p, std::size_t row) {
        return p.counters.value(test::FakeSession::kSecond, row);
    };
    const Profile p = recorded(3, false);
    for (std::size_t row = 0; row < 150; ++row) {
        CHECK(first(p, row) == row + 1.0);
        CHECK(second(p, row).has_value() == (row != 6 && row != 8));
    }
    CHECK_FALSE(first(p, 150));
    CHECK(p.issues.empty());
    // Graphs keep the group under which they were made, so long kernels are not counted then.
    const Profile graphs = recorded(3, true);
    CHECK_FALSE(first(graphs, 6));
    CHECK_FALSE(first(graphs, 8));
    CHECK(first(graphs, 7) == 8.0);
    REQUIRE(graphs.issues.size() == 1);
    CHECK(graphs.issues.front().code == "long-kernels-uncounted");
    // Without groups no counter is instrumented.
    CHECK(first(recorded(1, false), 6) == 7.0);
}

TEST_CASE("once all picked launches are counted, later ones only pass") {
    const auto signature = [](unsigned grid) {
        return launchSignature("a", Launch{.grid = {grid, 1, 1}, .block = {32, 1, 1}}, "");
    };
    const CountersMode picked{
        .perKernel = 1, .picks = {{signature(1), {2}}, {signature(7), {0, 3}}}, .rests = true};
    const Profile p = spooledBy({.mode = picked}, [](test::FakeProgram& program) {
        steps(program, 10, [] { return false; });
    });
    // The last pick is the seventh launch of the fourth step; at the one after it the rest begins.
    CHECK(p.launches.size() == 3 * 150 + 8);
    std::size_t counted = 0;
    for (std::size_t row = 0; row < p.launches.size(); ++row)
        counted += p.counters.value(test::FakeSession::kCounter, row).has_value();
    // Signatures without a pick get their first launch.
    CHECK(counted == 150 - 2 + 3);
    const auto& pace = p.processes.front().pace;
    REQUIRE(pace);
    CHECK(pace->traced.empty());
    CHECK(pace->alone.size() == 6 * 150);
    CHECK(pace->alone.front().calls == 4 * 150);
    CHECK(p.issues.empty());
}

TEST_CASE("a run that times the others ends that after half of its launches") {
    const auto recorded = [](std::uint64_t restAfter) {
        const LaunchPicks picks{
            {launchSignature("a", Launch{.grid = {1, 1, 1}, .block = {32, 1, 1}}, ""), {0}}};
        const CountersMode mode{.perKernel = 1,
                                .picks = picks,
                                .timeOthers = true,
                                .rests = true,
                                .restAfter = restAfter};
        return spooledBy({.mode = mode}, [](test::FakeProgram& program) {
            steps(program, 10, [] { return false; });
        });
    };
    const Profile half = recorded(750);
    CHECK(half.launches.size() == 750);
    const auto& pace = half.processes.front().pace;
    REQUIRE(pace);
    CHECK(pace->alone.front().calls >= 750);
    CHECK(pace->alone.back().calls == 1499);
    CHECK(half.issues.empty());
    // Not known how many launches there are: all of them are timed.
    const Profile all = recorded(0);
    CHECK(all.launches.size() == 1500);
    CHECK_FALSE(all.processes.front().pace);
}

TEST_CASE("a run that times the others, or whose picks do not all come, goes on as before") {
    const LaunchPicks picks{
        {launchSignature("a", Launch{.grid = {1, 1, 1}, .block = {32, 1, 1}}, ""), {0}},
        {12345, {0}}};
    const Profile never =
        spooledBy({.mode = CountersMode{.perKernel = 1, .picks = picks}},
                  [](test::FakeProgram& program) { steps(program, 3, [] { return false; }); });
    CHECK(never.launches.size() == 450);
    CHECK_FALSE(never.processes.front().pace);
}

TEST_CASE("of some kernels more counters are read in the same run") {
    const auto signature = launchSignature("a", Launch{.grid = {7, 1, 1}, .block = {32, 1, 1}}, "");
    const CountersMode mode{
        .perKernel = 1, .groupByGroup = true, .moreGroups = {"stalls"}, .moreOf = {signature}};
    const test::TemporaryFolder folder;
    auto counters = kReadable;
    counters.groups = 3;  // the first one is what most launches have
    const auto program = [&](test::FakeProgram& p) { steps(p, 3, [] { return false; }); };
    REQUIRE(test::runFakeProgram({.mode = mode}, folder.path(), program, counters, 1));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    for (std::size_t row = 0; row < 50; ++row) {
        CHECK(profile->counters.value(test::FakeSession::kCounter, row) == row + 1.0);
        CHECK(profile->counters.value(test::FakeSession::kSecond, row).has_value() == (row == 6));
    }
    CHECK(profile->issues.empty());
}

TEST_CASE("a graph that is created beside further counters reads the usual ones") {
    const auto signature = launchSignature("a", Launch{.grid = {7, 1, 1}, .block = {32, 1, 1}}, "");
    const CountersMode mode{
        .perKernel = 1, .groupByGroup = true, .moreGroups = {"stalls"}, .moreOf = {signature}};
    const test::TemporaryFolder folder;
    auto counters = kReadable;
    counters.groups = 3;
    static const test::FakeGraph two({"gg", "hhh"});
    const auto program = [&](test::FakeProgram& p) {
        p.launch({.kernel = "a", .grid = 7});
        p.make(two);
        p.launch(two);
        p.launch({.kernel = "a", .grid = 8});
    };
    REQUIRE(test::runFakeProgram({.mode = mode}, folder.path(), program, counters, 1));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    REQUIRE(profile->launches.size() == 4);
    for (std::size_t row = 0; row < 4; ++row) {
        CHECK(profile->counters.value(test::FakeSession::kCounter, row).has_value());
        CHECK(profile->counters.value(test::FakeSession::kSecond, row).has_value() == (row == 0));
    }
}
