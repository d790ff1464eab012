// SPDX-License-Identifier: Apache-2.0
// Recording a program that starts slowly, without a GPU: a shell script acts as the program and
// writes the spool that the injected library would. One run both counts and times if that is
// enough.
#include <algorithm>
#include <string>

#include "collector/run/measure/count_then_time.h"
#include "collector/run/recording/record.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// The count-first run has two launches of k, one of them counted, then `timed` more. A timing run
/// has six; a counter run has six, the last of them counted. `runs` gets one line per run.
std::string slowProgram(const std::string& runs, int timed, const std::string& ending = "") {
    return R"sh(f="$ROOFSCOPE_SPOOL_DIR/7.spool"; c="$ROOFSCOPE_SPOOL_DIR/configuration.json"
say() { printf '%s\n' "$@" >> "$f"; }
launch() { say '{"t":"launch","n":'$1',"k":0,"d":0,"s":0,"g":[8,1,1],"b":[32,1,1]'"$2"'}'; }
timed() { launch $1 ',"counted":false,"corr":1'$1; say '{"t":"time","c":1'$1',"b":1'$1'00000,"e":1'$1'15000}'; }
names() { say '{"t":"counters","d":0,"passes":2,"names":["a.sum"]}'; }
say '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0}'
say '{"t":"kernel","id":0,"name":"k","symbol":"k"}' '{"t":"kernel","id":1,"name":"other","symbol":"other"}'
other() { say '{"t":"launch","n":'$1',"k":1,"d":0,"s":0,"g":['${GRID:-8}',1,1],"b":[32,1,1]'"$2"'}'; }
timedOther() { other $1 ',"counted":false,"corr":1'$1; say '{"t":"time","c":1'$1',"b":1'$1'00000,"e":1'$1$2'}'; }
if grep -q '"mode":"count-first"' "$c"; then
  echo both >> )sh" +
           runs + R"sh(; say '{"t":"counts-first"}'; names
  timed 0; launch 1; say '{"t":"values","n":1,"d":0,"v":[5]}'
  say '{"t":"times-now","spent":0.5,"at":1,"loop":0}'
  n=2; while [ $n -lt )sh" +
           std::to_string(2 + timed) + R"sh( ]; do timed $n; n=$((n+1)); done
)sh" + ending +
           R"sh(
elif grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$c"; then
  echo timing >> )sh" +
           runs + R"sh(; for n in 0 1 2 3 4 5; do timed $n; done
else
  echo counters >> )sh" +
           runs + R"sh(; names; for n in 0 1 2 3 4; do launch $n ',"counted":false'; done
  launch 5; say '{"t":"values","n":5,"d":0,"v":[6]}'
  launch 6 ',"counted":false'; launch 7 ',"counted":false'
  n=8
  if [ "$GRID" ] && grep -q '"timeOthers":true' "$c"; then timedOther 8 72000; timedOther 9 72000; n=10; fi
  other $n; say '{"t":"values","n":'$n',"d":0,"v":[7]}'
fi
say '{"t":"end"}'
)sh";
}

struct Slow {
    Recording recording;
    std::string runs;
};
Slow recordSlow(int timed, const std::string& ending = "", RecordOptions options = {}) {
    const test::TemporaryFolder folder;
    const auto runs = folder.file("runs");
    options.command = {"sh", "-c", slowProgram(runs.string(), timed, ending)};
    options.library = "/none";
    options.nvml = "/none";
    auto recording = record(options);
    REQUIRE(recording.ok());
    return {std::move(*recording), test::readText(runs)};
}

bool says(const Profile& profile, const std::string& code) {
    return std::ranges::find(profile.issues, code, &Issue::code) != profile.issues.end();
}

}  // namespace

TEST_CASE("a run that counts first counts as many launches as were asked for") {
    const std::string tell = R"(grep -q '"countOneIfCostly":true' "$c" && echo one >> )";
    for (const bool one : {false, true}) {
        const test::TemporaryFolder folder;
        const auto said = folder.file("said");
        (void)recordSlow(6, tell + said.string(), {.countOneIfCostly = one});
        CHECK(test::readText(said) == (one ? "one\n" : ""));
    }
}

TEST_CASE("a program that starts slowly runs once") {
    const Slow slow = recordSlow(6);
    const Profile& p = slow.recording.profile;
    CHECK(slow.runs == "both\n");
    CHECK(recordExitCode(slow.recording) == 0);
    REQUIRE(p.launches.size() == 7);  // the counted launch passed its counters to a timed one
    CHECK_FALSE(p.launches[0].start);
    CHECK(p.launches[1].start == Seconds{});
    CHECK(p.counters.value("a.sum", 1) == 5.0);
    CHECK(p.capture.strategy == "kernel");
    CHECK(p.capture.timingRuns == 1);
    CHECK(p.capture.passes == 2);
    REQUIRE(says(p, "counted-first"));
    const std::string& message =
        std::ranges::find(p.issues, "counted-first", &Issue::code)->message;
    CAPTURE(message);
    CHECK(message.find("of 8 launches, and the timeline") != message.npos);
    CHECK(message.find("; 1 counted launch has no row") != message.npos);
}

TEST_CASE("what was counted is kept where no time is left for a timing run") {
    const Slow slow = recordSlow(0, "sleep 1.6", {.timeLimitSeconds = 2});
    CHECK(slow.runs == "both\n");
    const Profile& p = slow.recording.profile;
    REQUIRE(p.launches.size() == 1);  // the counted launch passed its counters to a timed one
    CHECK(p.counters.value("a.sum", 0) == 5.0);
    CHECK(p.launches[0].duration);
    CHECK(p.capture.strategy == "kernel");
    CHECK(says(p, "run-left-out"));
    // With time enough, the timing run follows.
    CHECK(recordSlow(0, "sleep 0.1", {.timeLimitSeconds = 20}).runs.find("both\ntiming\n") == 0);
}

TEST_CASE("a kernel that came after the counting is counted in a further run, without an alarm") {
    const Slow slow = recordSlow(
        6,
        R"sh(other 8 ',"counted":false,"corr":18'; say '{"t":"time","c":18,"b":1800000,"e":2000000}')sh");
    const Profile& p = slow.recording.profile;
    CHECK(slow.runs == "both\ncounters\n");
    REQUIRE(p.launches.size() == 8);
    CHECK(p.counters.value("a.sum", 7) == 7.0);
    CHECK(p.counters.value("a.sum", 1) == 5.0);
    CHECK_FALSE(says(p, "launch-sequence-differs"));
}

TEST_CASE("the run that counts what is missing also times what tracing made longer") {
    test::Environment environment;
    environment.set("GRID", "2000000");
    // 90 us each; without instrumentation 72.
    const Slow slow = recordSlow(6, "for n in 8 9 10 11 12 13 14 15; do timedOther $n 90000; done");
    CHECK(slow.runs == "both\ncounters\n");
    const Profile& p = slow.recording.profile;
    REQUIRE(p.launches.size() == 15);
    CHECK(p.launches[8].duration->value * 1e6 == Approx(70));  // less what timing one by one adds
    std::size_t counted = 0;
    p.counters.column("a.sum").forEach([&](std::size_t, double value) { counted += value == 7; });
    CHECK(counted == 1);
}

TEST_CASE("counters of two launches of a kernel, read group by group, go to one launch") {
    Profile p;
    p.kernels.push_back({.name = "k", .symbol = "k"});
    p.processes.emplace_back();
    p.devices.emplace_back();
    p.launches.resize(7);
    for (std::uint32_t row = 3; row < 7; ++row) {
        p.launches[row].duration = Seconds{1e-6 * row};
        p.launches[row].start = Seconds{1e-3 * row};
    }
    p.counters.set("hardware.sum", 0, 5);
    p.counters.set("hardware.sum", 2, 7);  // a second launch of the first group
    p.counters.set("instrumented.sum", 1, 6);
    CHECK(moveCountersToTimed(p, {{0, {.firstTimed = 3}}}, {}) == 3);
    REQUIRE(p.launches.size() == 4);
    std::size_t both = 0, one = 0;
    for (std::size_t row = 0; row < 4; ++row) {
        const auto hardware = p.counters.value("hardware.sum", row);
        const auto instrumented = p.counters.value("instrumented.sum", row);
        if (hardware && instrumented) {
            CHECK((*hardware == 5.0 && *instrumented == 6.0));
            ++both;
        } else if (hardware) {
            CHECK(*hardware == 7.0);
            ++one;
        }
    }
    CHECK(both == 1);
    CHECK(one == 1);
    CHECK(p.issues.front().message.find("of different launches") != std::string::npos);
}

TEST_CASE("groups of counters come together, and a kernel that met one group lacks the other") {
    Profile p;
    p.kernels.push_back({.name = "k", .symbol = "k"});
    p.processes.emplace_back();
    p.devices.emplace_back();
    p.launches.resize(4);
    for (Launch& launch : p.launches) {
        launch.duration = Seconds{1};
        launch.start = Seconds{0};
    }
    p.launches[3].grid = {2, 1, 1};  // another shape
    p.counters.set("a.sum", 0, 5);
    p.counters.set("smsp__sass_b.sum", 2, 6);
    p.counters.set("a.sum", 3, 7);
    using Rows = std::vector<std::uint32_t>;
    CHECK(timedOnly(p) == Rows{3});
    joinGroups(p);
    CHECK(p.counters.value("a.sum", 0) == 5.0);
    CHECK(p.counters.value("smsp__sass_b.sum", 0) == 6.0);
    CHECK_FALSE(p.counters.value("smsp__sass_b.sum", 2));
    CHECK(p.counters.value("a.sum", 3) == 7.0);
}

TEST_CASE("further shapes of a kernel that was counted in four are not worth a run") {
    // Times of 20 ms each; four shapes have counters, the fifth and sixth have none.
    const auto profileOf = [](std::size_t counted, double seconds) {
        Profile p;
        p.kernels.push_back({.name = "k", .symbol = "k"});
        p.processes.emplace_back();
        p.devices.emplace_back();
        for (std::uint32_t shape = 1; shape <= 6; ++shape)
            p.launches.push_back({.grid = {shape, 1, 1},
                                  .duration = Seconds{shape == 6 ? seconds : 0.02},
                                  .start = Seconds{0.1 * shape}});
        for (std::size_t row = 0; row < counted; ++row) p.counters.set("a.sum", row, 1);
        return p;
    };
    using Rows = std::vector<std::uint32_t>;
    CHECK(timedOnly(profileOf(4, 0.02)).empty());
    CHECK(timedOnly(profileOf(3, 0.02)) == Rows{3, 4, 5});
    CHECK(timedOnly(profileOf(4, 0.2)) == Rows{5});  // a large share, for which counters are due
    CHECK(timedOnly(profileOf(4, 0.02), true) == Rows{4, 5});
}

TEST_CASE("a kernel of which only a small launch was counted is counted again") {
    // The persistent kernel of a library has one shape for products of all sizes.
    const auto profileOf = [](double counted) {
        Profile p;
        p.kernels.push_back({.name = "k", .symbol = "k"});
        p.processes.emplace_back();
        p.devices.emplace_back();
        for (const double us : {13.0, 143.0, 49.0, 189.0, 171.0})
            p.launches.push_back({.duration = Seconds{us * 1e-6}, .start = Seconds{0}});
        p.launches[2].duration = Seconds{counted * 1e-6};
        for (const std::size_t row : {0, 2}) p.counters.set("a.sum", row, 1);
        return p;
    };
    CHECK(timedOnly(profileOf(49)).empty());
    CHECK(timedOnly(profileOf(20)).size() == 5);
}

TEST_CASE("a further run that would not end before the time limit is left out, and said") {
    // The run takes 1.5 s, of which 0.5 count: another one takes a second.
    const std::string late =
        R"sh(other 8 ',"counted":false,"corr":18'; say '{"t":"time","c":18,"b":1800000,"e":2000000}'
  sleep 1.5)sh";
    CHECK(recordSlow(6, late, {.timeLimitSeconds = 60}).runs == "both\ncounters\n");
    const Slow slow = recordSlow(6, late, {.timeLimitSeconds = 2.2});
    CHECK(slow.runs == "both\n");
    const auto issue =
        std::ranges::find(slow.recording.profile.issues, "run-left-out", &Issue::code);
    REQUIRE(issue != slow.recording.profile.issues.end());
    CHECK(issue->severity == Severity::Info);
    CHECK(issue->message.find("not counted yet") != std::string::npos);
    CHECK_FALSE(says(slow.recording.profile, "process-ended-early"));
}

TEST_CASE("a program that launches nothing does so once") {
    const test::TemporaryFolder folder;
    const auto runs = folder.file("runs").string();
    const auto r = record({.command = {"sh", "-c",
                                       "echo run >> " + runs +
                                           R"sh(; printf '%s\n' '{"t":"process","pid":7}' )sh"
                                           R"sh('{"t":"counts-first"}' '{"t":"end"}' )sh"
                                           R"sh(> "$ROOFSCOPE_SPOOL_DIR/7.spool")sh"},
                           .library = "/none",
                           .nvml = "/none"});
    REQUIRE(r.ok());
    CHECK(recordExitCode(*r) == kExitNothing);
    CHECK(test::readText(runs) == "run\n");
}

TEST_CASE("a program that times too little after counting is timed in a run of its own") {
    const Slow slow = recordSlow(0);
    const Profile& p = slow.recording.profile;
    CHECK(slow.runs == "both\ntiming\n");
    REQUIRE(p.launches.size() == 6);
    for (const Launch& launch : p.launches) CHECK(launch.start);
    CHECK(p.counters.value("a.sum", 1) == 5.0);
    CHECK(p.capture.strategy == "kernel");
    CHECK_FALSE(says(p, "counted-first"));
}

TEST_CASE("a program that fails while counters are read runs again without") {
    const Slow slow = recordSlow(6, "exit 5");
    CHECK(slow.runs == "both\ntiming\ncounters\n");
    CHECK(slow.recording.programExit == 0);
    CHECK(slow.recording.profile.counters.value("a.sum", 5) == 6.0);
    CHECK_FALSE(says(slow.recording.profile, "runs-differ"));
}

TEST_CASE("an explicit request for a timing run or a replay is kept") {
    CHECK(recordSlow(6, "", {.timingRuns = 1}).runs == "timing\ncounters\n");
    CHECK(recordSlow(6, "", {.replay = ReplayChoice::Kernel}).runs == "timing\ncounters\n");
    CHECK(recordSlow(6, "", {.timingOnly = true}).runs == "timing\n");
    CHECK(recordSlow(6, "", {.perKernel = 0}).runs == "timing\ncounters\n");
}
