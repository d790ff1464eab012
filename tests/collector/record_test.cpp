// SPDX-License-Identifier: Apache-2.0
// What `record` does around a program, without a GPU: there is no injected library, and the
// "program" writes the spools itself.
#include "collector/run/recording/record.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "profile/chips/chip.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// One run, with counters.
Recording run(const std::string& script) {
    auto recording = record({.command = {"sh", "-c", script}, .timingRuns = 0, .library = "/none"});
    REQUIRE(recording.ok());
    return std::move(*recording);
}

const std::string kSpool =
    R"(printf '%s\n' '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU"}' )"
    R"('{"t":"counters","d":0,"passes":2,"names":["a.sum"]}' '{"t":"kernel","id":0,"name":"k","symbol":"k"}' )"
    R"('{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1]}' '{"t":"values","n":0,"d":0,"v":[5]}' )"
    R"(> "$ROOFSCOPE_SPOOL_DIR/7.spool"; )";
const std::string kEnd = R"(echo '{"t":"end"}' >> "$ROOFSCOPE_SPOOL_DIR/7.spool"; )";

bool hasIssue(const Recording& recording, const std::string& code) {
    for (const auto& issue : recording.profile.issues)
        if (issue.code == code) return true;
    return false;
}

}  // namespace

TEST_CASE("a program that ends well exits 0") {
    const auto r = run(kSpool + kEnd);
    CHECK(recordExitCode(r) == 0);
    CHECK(r.profile.counters.value("a.sum", 0) == 5.0);
    CHECK(r.profile.capture.exitCode == 0);
    CHECK(r.profile.capture.command.front() == "sh");
    CHECK(r.profile.capture.passes == 2);
    CHECK(r.profile.capture.createdUtc.size() == 20);
}

TEST_CASE("the program's own exit code passes through") {
    const auto r = run(kSpool + kEnd + "exit 7");
    CHECK(recordExitCode(r) == 7);
    CHECK(r.profile.capture.exitCode == 7);
}

TEST_CASE("a crash keeps what was measured, and says so") {
    const auto r = run(kSpool + "kill -SEGV $$");
    CHECK(recordExitCode(r) == 128 + 11);
    CHECK(r.profile.capture.termSignal == 11);
    CHECK_FALSE(r.profile.capture.exitCode);
    CHECK(r.profile.counters.value("a.sum", 0) == 5.0);
    CHECK(hasIssue(r, "process-ended-early"));
}

TEST_CASE("_exit with code 0 is a partial measurement") {
    CHECK(recordExitCode(run(kSpool)) == kExitPartial);
}

TEST_CASE("a program without CUDA, and one that launches nothing") {
    const auto none = run("true");
    CHECK(recordExitCode(none) == kExitNothing);
    CHECK(hasIssue(none, "no-cuda"));
    const auto idle = run(
        R"(printf '%s\n' '{"t":"process","pid":7}' '{"t":"end"}' > "$ROOFSCOPE_SPOOL_DIR/7.spool")");
    CHECK(recordExitCode(idle) == kExitNothing);
    CHECK(hasIssue(idle, "no-launch"));
    // The program's own failure takes precedence.
    CHECK(recordExitCode(run("exit 3")) == 3);
}

TEST_CASE("the program sees that it is profiled, and where to write") {
    const auto r =
        run(R"(test "$ROOFSCOPE_PROFILING" = 1 && test "$CUDA_INJECTION64_PATH" = /none &&
                          test "$NVTX_INJECTION64_PATH" = /none &&
                          test -r "$ROOFSCOPE_SPOOL_DIR/configuration.json")");
    CHECK(r.programExit == 0);
}

TEST_CASE("a temporary folder by a relative path is found by programs that go elsewhere") {
    const test::TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    const char* old = std::getenv("TMPDIR");
    const std::string usual = old ? old : "";
    std::filesystem::current_path(folder.path());
    setenv("TMPDIR", ".", 1);
    const auto r = run("cd / && test -r \"$ROOFSCOPE_SPOOL_DIR/configuration.json\"");
    old ? setenv("TMPDIR", usual.c_str(), 1) : unsetenv("TMPDIR");
    std::filesystem::current_path(before);
    CHECK(r.programExit == 0);
}

TEST_CASE("a folder for autotuners' results exists only if autotuning is left out") {
    const auto foldersOf = [](bool keep) {
        const test::TemporaryFolder parent;
        test::Environment environment;
        environment.set("TMPDIR", parent.path().c_str());
        const std::string counted = parent.file("counted").string();
        const auto recording = record(
            {.command = {"sh", "-c", "find \"$TMPDIR\" -mindepth 1 -type d | wc -l > " + counted},
             .timingRuns = 0,
             .selection = {.autotuning = keep},
             .library = "/none"});
        CHECK(recording.ok());
        return std::stoi(test::readText(counted));
    };
    CHECK(foldersOf(true) == 1);
    CHECK(foldersOf(false) == 2);
}

TEST_CASE("the temporary folder is gone afterwards") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("where").string();
    (void)run("printf %s \"$ROOFSCOPE_SPOOL_DIR\" > " + file);
    CHECK_FALSE(test::readText(file).empty());
    CHECK_FALSE(std::filesystem::exists(test::readText(file)));
}

TEST_CASE("a program that does not exist is an error, not a recording") {
    const auto r = record({.command = {"/no/such/program"}, .library = "/none"});
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().where == "/no/such/program");
}

TEST_CASE("a malformed expression is refused before the program runs") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("ran").string();
    RecordOptions options{.command = {"touch", file}, .library = "/none"};
    options.selection.kernel = "(";
    CHECK_FALSE(record(options).ok());
    options.selection.kernel.clear();
    options.source.pattern = "[";
    const auto r = record(options);
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().code == ErrorCode::Usage);
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a counter group that does not exist is refused before the program runs") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("ran").string();
    for (const std::vector<std::string>& groups :
         {std::vector<std::string>{"bogus"}, std::vector<std::string>{}}) {
        const auto r = record({.command = {"touch", file}, .groups = groups, .library = "/none"});
        REQUIRE_FALSE(r.ok());
        CHECK(r.error().code == ErrorCode::Usage);
        CHECK(r.error().advice.find("default") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(file));
    }
}

namespace {

/// A program that writes what the injected library would: two timed launches in a timing run, and
/// the launches in `countedLaunches`, with counters, in a counter run.
std::string twoRuns(const std::string& countedLaunches) {
    return R"(f="$ROOFSCOPE_SPOOL_DIR/7.spool"
printf '%s\n' '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU"}' '{"t":"kernel","id":0,"name":"k","symbol":"k"}' > "$f"
l='"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1]'
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  printf '%s\n' '{"t":"launch","n":0,'"$l"',"corr":5}' '{"t":"launch","n":1,'"$l"',"corr":6}' '{"t":"time","c":5,"b":1000,"e":3000}' '{"t":"time","c":6,"b":4000,"e":5000}' >> "$f"
  echo timing
else
  printf '%s\n' '{"t":"counters","d":0,"passes":2,"names":["a.sum"]}' >> "$f"
  for n in )" +
           countedLaunches + R"(; do
    printf '%s\n' '{"t":"launch","n":'$n','"$l"'}' '{"t":"values","n":'$n',"d":0,"v":[1'$n']}' >> "$f"
  done
  echo counters
fi
echo '{"t":"end"}' >> "$f"
)";
}

Recording recordTwice(const std::string& script, RecordOptions options = {}) {
    options.command = {"sh", "-c", script};
    options.library = "/none";
    options.replay = ReplayChoice::Kernel;
    auto recording = record(options);
    REQUIRE(recording.ok());
    return std::move(*recording);
}

}  // namespace

TEST_CASE("durations come from a run of their own, counters from the next") {
    const auto r = recordTwice(twoRuns("0 1"));
    const Profile& p = r.profile;
    CHECK(recordExitCode(r) == 0);
    REQUIRE(p.launches.size() == 2);
    CHECK(p.launches[0].duration == Seconds{2000 / 1e9});
    CHECK(p.launches[1].duration == Seconds{1000 / 1e9});
    CHECK(p.launches[0].start == Seconds{0});
    CHECK(p.launches[1].start == Seconds{3000 / 1e9});
    CHECK(p.counters.value("a.sum", 0) == 10.0);
    CHECK(p.counters.value("a.sum", 1) == 11.0);
    CHECK(p.capture.strategy == "kernel");
    CHECK(p.capture.timingRuns == 1);
    CHECK(p.capture.passes == 2);
    CHECK(p.issues.empty());
}

TEST_CASE(
    "of a kernel that instrumentation would stretch for minutes, hardware counters are read") {
    const test::TemporaryFolder folder;
    const auto seen = folder.file("seen").string();
    std::string script = twoRuns("0 1");
    const std::string shortOne = R"("e":5000)";
    script.replace(script.find(shortOne), shortOne.size(), R"("e":400000000)");  // 0.4 s
    script += "cp \"$ROOFSCOPE_SPOOL_DIR/configuration.json\" " + seen;
    const auto modeOf = [&](RecordOptions options) {
        const Recording recording = recordTwice(script, std::move(options));
        return std::pair(nlohmann::json::parse(test::readText(seen)),
                         hasIssue(recording, "instrumented-left-out"));
    };
    const auto [mode, told] = modeOf({});
    CHECK(mode.at("groupByGroup") == true);
    CHECK(mode.at("hardwareOnly").size() == 1);  // both launches are of one kind
    CHECK(mode.at("accessesOfLong") == true);    // five passes more take two seconds
    CHECK(told);
    // Unless it is asked for, or if it takes less than two seconds.
    CHECK(modeOf({.sparesLongKernels = false}).first.at("hardwareOnly").empty());
    CHECK(modeOf({.countOneIfCostly = false}).first.at("hardwareOnly").empty());
    script.replace(script.find("400000000"), 9, "7000000");
    CHECK(modeOf({}).first.at("hardwareOnly").empty());
    CHECK_FALSE(modeOf({}).second);
    script.replace(script.find("7000000"), 7, "500000000");
    CHECK(modeOf({}).first.at("accessesOfLong") == false);
    script.replace(script.find("500000000"), 9, "7000000");
    // The launch that is counted decides: not the first one, if there are others.
    const auto change = [&](const std::string& from, const std::string& to) {
        script.replace(script.find(from), from.size(), to);
    };
    change(R"("e":3000)", R"("e":400000000)");
    change(R"("b":4000,"e":7000000)", R"("b":400001000,"e":400008000)");
    CHECK(modeOf({.perKernel = 1}).first.at("hardwareOnly").empty());
}

TEST_CASE("what follow-up questions mostly ask is read at once of kernels that take the time") {
    const test::TemporaryFolder folder;
    const auto seen = folder.file("seen").string();
    const auto stall = chipTable("GH100").value().groups.at("stalls").counters.front();
    std::string script = twoRuns("0 1");
    const auto change = [&](const std::string& from, const std::string& to) {
        REQUIRE(script.find(from) != std::string::npos);
        script.replace(script.find(from), from.size(), to);
    };
    change(R"("name":"GPU")", R"("name":"GPU","chip":"GH100")");
    change(R"(["a.sum"])", R"(["a.sum",")" + stall + R"("])");
    change(R"("v":[1'$n'])", R"("v":[1'$n',2])");
    change(R"("e":3000)", R"("e":30001000)");
    change(R"("b":4000,"e":5000)", R"("b":30004000,"e":60004000)");
    script += "cp \"$ROOFSCOPE_SPOOL_DIR/configuration.json\" " + seen;
    const auto always = [](const Profile&, const Kernel&) { return true; };
    const auto recorded = [&](RecordOptions options) {
        const Recording recording = recordTwice(script, std::move(options));
        return std::pair(nlohmann::json::parse(test::readText(seen)),
                         recording.profile.capture.further);
    };
    const auto [mode, further] =
        recorded({.perKernel = 1, .sparesLongKernels = false, .asksAhead = always});
    CHECK(mode.at("moreGroups") == nlohmann::json{"stalls", "pipes"});
    CHECK(mode.at("moreOf").size() == 1);
    REQUIRE(further.size() == 1);
    CHECK(further[0].groups == std::vector<std::string>{"stalls", "pipes"});
    CHECK(further[0].launches == std::vector<std::uint32_t>{0, 1});
    // Nothing is asked ahead if it costs more than it may spare, or about kernels that nobody would
    // ask about.
    CHECK(recorded({.perKernel = 2,
                    .countOneIfCostly = false,
                    .sparesLongKernels = false,
                    .asksAhead = always})
              .first.at("moreOf")
              .empty());
    const auto never = [](const Profile&, const Kernel&) { return false; };
    CHECK(recorded({.perKernel = 1, .sparesLongKernels = false, .asksAhead = never})
              .first.at("moreOf")
              .empty());
    CHECK(recorded({.perKernel = 1, .sparesLongKernels = false}).second.empty());
}

namespace {

/// Two launches of j and five of k, 360 µs each, which instrumentation lengthened. A counter run
/// counts two of k. If asked to, it also times the others: the first launch of each kernel at 400
/// µs, the one after a counted one at 300, later ones at 330.
std::string instrumentedProgram() {
    return R"(f="$ROOFSCOPE_SPOOL_DIR/7.spool"; c="$ROOFSCOPE_SPOOL_DIR/configuration.json"
printf '%s\n' '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","sms":132}' '{"t":"kernel","id":0,"name":"k","symbol":"k"}' '{"t":"kernel","id":1,"name":"j","symbol":"j"}' > "$f"
say() { printf '%s\n' "$@" >> "$f"; }
took() { say '{"t":"time","c":'$1',"b":'$((n * 1000000))',"e":'$((n * 1000000 + $2))'}'; }
for n in 0 1 2 3 4 5 6; do
  k=0; [ $n -lt 2 ] && k=1
  l='{"t":"launch","n":'$n',"k":'$k',"d":0,"s":0,"g":[524288,1,1],"b":[256,1,1]'
  if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$c"; then
    say "$l"',"corr":'$n'}'; took $n 360000
  elif [ $n = 3 ] || [ $n = 4 ]; then
    [ $n = 3 ] && say '{"t":"counters","d":0,"passes":2,"names":["a.sum"]}'
    say "$l}" '{"t":"values","n":'$n',"d":0,"v":[1]}'
  else
    say "$l"',"counted":false,"corr":'$n'}'
    us=330; [ $n = 2 ] && us=400; [ $n = 0 ] && us=400; [ $n = 5 ] && us=300
    grep -q '"timeOthers":true' "$c" && took $n ${us}000
  fi
done
say '{"t":"end"}'
:)";
}

}  // namespace

TEST_CASE("record tells how long each run took, if it is asked to") {
    const auto saidWith = [](bool tellTimes) {
        std::string said;
        (void)recordTwice(instrumentedProgram(),
                          {.tellTimes = tellTimes,
                           .progress = [&](const std::string& text) { said += text + '\n'; }});
        return said;
    };
    const std::string told = saidWith(true);
    CAPTURE(told);
    CHECK(told.find("run 1 (timing): ") != told.npos);
    CHECK(told.find("run 2 (counters): ") != told.npos);
    CHECK(saidWith(false).find("run 1") == std::string::npos);
}

TEST_CASE("a run with counters times kernels without instrumentation, where it leaves some") {
    std::string said;
    const auto r = recordTwice(instrumentedProgram(),
                               {.progress = [&](const std::string& text) { said += text + '\n'; }});
    const Profile& p = r.profile;
    CAPTURE(said);
    REQUIRE(p.launches.size() == 7);
    for (const Launch& launch : p.launches) {
        REQUIRE(launch.duration);
        CHECK(launch.duration->value == Approx(330e-6));
        CHECK(launch.start);
    }
    CHECK(said.find("timing run without") == said.npos);
    CHECK(p.capture.timingRuns == 1);
    CHECK(p.counters.value("a.sum", 3) == 1.0);

    // If a number of launches was asked for, none of them is left out to be timed.
    for (const bool asked : {false, true}) {
        const test::TemporaryFolder folder;
        const auto seen = folder.file("seen").string();
        (void)recordTwice(instrumentedProgram() + "\ncp \"$c\" " + seen,
                          {.perKernel = 4, .countOneIfCostly = !asked});
        const auto picks = nlohmann::json::parse(test::readText(seen)).at("picks");
        std::size_t most = 0;
        for (const auto& entry : picks) most = std::max(most, entry.at(1).size());
        CHECK(most == (asked ? 4U : 3U));
    }

    // A kernel whose launches are all counted needs a separate timing run.
    said.clear();
    const auto all = recordTwice(
        instrumentedProgram(),
        {.perKernel = 0, .progress = [&](const std::string& text) { said += text + '\n'; }});
    CAPTURE(said);
    CHECK(said.find("timing run without") != said.npos);
    // Not for a program in which all of that is a few tenths of a millisecond of half a second.
    said.clear();
    (void)recordTwice(
        "sleep 0.5\n" + instrumentedProgram(),
        {.perKernel = 0, .progress = [&](const std::string& text) { said += text + '\n'; }});
    CHECK(said.find("timing run without") == said.npos);
}

TEST_CASE("a rank that mpirun started runs its program once, unless several runs are asked for") {
    test::Environment environment;
    environment.set("OMPI_COMM_WORLD_RANK", "1");
    environment.set("OMPI_COMM_WORLD_SIZE", "2");
    const auto once = recordTwice(twoRuns("0 1"));
    CHECK(once.profile.capture.timingRuns == 0);
    CHECK(once.profile.capture.strategy == "kernel");
    CHECK(once.profile.counters.column("a.sum").size() == 2);
    CHECK(hasIssue(once, "one-run-under-mpi"));
    CHECK(recordExitCode(once) == 0);

    const auto timedOnly = recordTwice(twoRuns(""), {.timingOnly = true});
    CHECK(timedOnly.profile.capture.timingRuns == 1);
    CHECK_FALSE(hasIssue(timedOnly, "one-run-under-mpi"));
    const auto asked = recordTwice(twoRuns("0 1"), {.timingRuns = 1});
    CHECK(asked.profile.capture.timingRuns == 1);
    CHECK_FALSE(hasIssue(asked, "one-run-under-mpi"));
    CHECK(timingRunsOf({.ranges = {"step"}}) == 1);
    CHECK(timingRunsOf({.source = {.top = 1}}) == 1);
    CHECK(timingRunsOf({.replay = ReplayChoice::Multiplex}) == 1);

    const auto fails = recordTwice(
        twoRuns("0 1") +
            R"(grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json" || exit 1)",
        {.timingRuns = 1});
    REQUIRE(hasIssue(fails, "runs-differ"));
    for (const Issue& issue : fails.profile.issues)
        if (issue.code == "runs-differ")
            CHECK(issue.advice.find("roofscope record -- mpirun") != std::string::npos);

    CHECK(timingRunsOf({.command = {"app"}}) == 0);
    CHECK(timingRunsOf({.command = {"/usr/bin/mpirun", "app"}}) == 1);
    environment.set("RANK", "1");  // torchrun inside mpirun: any number of runs
    environment.set("WORLD_SIZE", "2");
    CHECK(timingRunsOf({}) == 1);
}

TEST_CASE("a program that does not repeat itself: what matches is joined, and the rest is told") {
    const auto more = recordTwice(twoRuns("0 1 2"));
    CHECK(more.profile.launches.size() == 2);
    CHECK(hasIssue(more, "launch-sequence-differs"));
    const auto fewer = recordTwice(twoRuns("0"));
    REQUIRE(fewer.profile.launches.size() == 2);
    CHECK(fewer.profile.counters.value("a.sum", 0) == 10.0);
    CHECK_FALSE(fewer.profile.counters.value("a.sum", 1));
}

TEST_CASE("a timing-only recording has durations and no counters, and that is no failure") {
    const auto r = recordTwice(twoRuns("0 1"), {.timingOnly = true});
    CHECK(recordExitCode(r) == 0);
    CHECK(r.profile.capture.strategy == "timing");
    CHECK(r.profile.launches.at(1).duration == Seconds{1000 / 1e9});
    CHECK(r.profile.counters.names().empty());
    const auto twice = recordTwice(twoRuns("0 1"), {.timingRuns = 3, .timingOnly = true});
    CHECK(twice.profile.capture.timingRuns == 3);
    CHECK(twice.profile.launches.at(0).duration == Seconds{2000 / 1e9});
}

TEST_CASE(
    "counters that are refused leave the durations, and the exit code says that part is lost") {
    const auto r = recordTwice(
        twoRuns("") +
        R"(grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json" ||
        echo '{"t":"issue","severity":"error","source":"inject","code":"counters-not-permitted","message":"no"}' >> "$f")");
    CHECK(r.profile.launches.size() == 2);
    CHECK(r.profile.capture.strategy == "timing");
    CHECK(recordExitCode(r) == kExitPartial);
}

TEST_CASE("a program that fails only the second time is found out") {
    std::string told;
    const auto r = recordTwice(
        twoRuns("0 1") +
            R"(grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json" || { echo broken >&2; exit 3; })",
        {.progress = [&](const std::string& text) { told += text; }});
    CHECK(hasIssue(r, "runs-differ"));
    CHECK(r.programExit == 0);
    CHECK(recordExitCode(r) == kExitPartial);
    CHECK(told.find("broken") != std::string::npos);
}

TEST_CASE("a program that hangs is ended, and keeps what it measured") {
    const auto r = recordTwice(twoRuns("0 1") + "sleep 60", {.timeoutSeconds = 0.3});
    CHECK(hasIssue(r, "timeout"));
    CHECK(r.profile.launches.size() == 2);  // from the timing run; a second run is not started
    CHECK(r.profile.counters.names().empty());
    CHECK(r.profile.capture.termSignal == 15);
}

TEST_CASE("after the time limit everything that a shell started ends, even if it ignores signals") {
    const test::TemporaryFolder folder;
    const std::string script = folder.file("stubborn.sh"), pidFile = folder.file("pid");
    std::ofstream(script) << "trap : TERM\necho $$ > '" << pidFile
                          << "'\nwhile :; do sleep 0.05; done\n";
    const auto r = recordTwice("sh '" + script + "'; :", {.timeoutSeconds = 0.3});
    CHECK(hasIssue(r, "timeout"));
    pid_t pid = 0;
    REQUIRE(std::ifstream(pidFile) >> pid);
    // It was killed, but the process that inherits it may not have noticed yet.
    const auto state = [&] {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        const std::string text(std::istreambuf_iterator<char>(stat), {});
        const auto name = text.rfind(')');
        return name == std::string::npos ? 'X' : text[name + 2];
    };
    for (int i = 0; i < 100 && state() != 'X' && state() != 'Z'; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK((state() == 'X' || state() == 'Z'));
}

namespace {

/// Writes counters per instruction, and stall samples with `samples` added to them.
std::string sourceRuns(const std::string& samples) {
    return R"(f="$ROOFSCOPE_SPOOL_DIR/7.spool"
printf '%s\n' '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU"}' '{"t":"kernel","id":0,"name":"k","symbol":"k"}' > "$f"
l='"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1]'
printf '%s\n' '{"t":"launch","n":0,'"$l"',"corr":5}' >> "$f"
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  echo '{"t":"time","c":5,"b":1000,"e":3000}' >> "$f"
elif grep -q '"mode":"source"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  echo '{"t":"source","n":0,"k":0,"metrics":["smsp__sass_inst_executed"],"files":["a.cu"],"rows":[[0,0,3,[8]],[16,0,4,[8]]]}' >> "$f"
elif grep -q '"mode":"stalls"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  )" + samples +
           R"(
fi
echo '{"t":"end"}' >> "$f"
)";
}

constexpr const char* kSamplesLine =
    R"(echo '{"t":"samples","n":0,"k":0,"reasons":["smsp__pcsamp_warps_issue_stalled_wait","smsp__pcsamp_warps_issue_stalled_wait_not_issued"],"rows":[[16,[70,60]]]}' >> "$f")";

}  // namespace

TEST_CASE("counters per instruction come from the process of the launch") {
    // Another process launches the same kernel, but only in the run for its source.
    const std::string other = R"(g="$ROOFSCOPE_SPOOL_DIR/6.spool"
printf '%s\n' '{"t":"process","pid":6}' '{"t":"device","id":0,"name":"GPU"}' '{"t":"kernel","id":0,"name":"j","symbol":"j"}' '{"t":"kernel","id":1,"name":"k","symbol":"k"}' > "$g"
m='"d":0,"s":0,"g":[1,1,1],"b":[32,1,1]'
printf '%s\n' '{"t":"launch","n":0,"k":0,'"$m"',"corr":1}' '{"t":"time","c":1,"b":10,"e":20}' >> "$g"
if grep -q '"mode":"source"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
  printf '%s\n' '{"t":"launch","n":1,"k":1,'"$m"'}' '{"t":"source","n":1,"k":1,"metrics":["smsp__sass_inst_executed"],"files":["b.cu"],"rows":[[0,0,3,[99]],[16,0,4,[99]]]}' >> "$g"
fi
echo '{"t":"end"}' >> "$g"
)";
    const auto r = recordTwice(other + sourceRuns("true"),
                               {.source = {.pattern = "k"}, .stallSamples = false});
    REQUIRE(r.profile.sources.size() == 1);
    const SourcePass& pass = r.profile.sources.front();
    CHECK(pass.counters.value("smsp__sass_inst_executed", 1) == 8.0);
    REQUIRE(pass.launch);
    CHECK(r.profile.processes.at(r.profile.launches.at(*pass.launch).process).pid == 7);
}

TEST_CASE("stall samples of a run of their own join the counters per instruction") {
    std::string told;
    const auto r = recordTwice(
        sourceRuns(kSamplesLine),
        {.source = {.top = 1}, .progress = [&](const std::string& text) { told += text; }});
    CHECK(recordExitCode(r) == 0);
    CHECK(told.find("stall samples") != std::string::npos);
    REQUIRE(r.profile.sources.size() == 1);
    const SourcePass& pass = r.profile.sources.front();
    CHECK(pass.launch == 0U);
    CHECK(pass.instructions.at(1).line == 4);
    CHECK(pass.counters.value("smsp__sass_inst_executed", 1) == 8.0);
    CHECK(pass.counters.value("smsp__pcsamp_sample_count", 1) == 70.0);
    CHECK(pass.counters.value("smsp__pcsamp_sample_count", 0) == 0.0);
    CHECK(r.profile.issues.empty());
}

TEST_CASE("without stall samples the counters per instruction stay, and that is no loss") {
    const auto refused = recordTwice(
        sourceRuns(
            R"(echo '{"t":"issue","severity":"info","source":"inject","code":"stall-samples-unavailable","message":"busy"}' >> "$f")"),
        {.source = {.top = 1}});
    CHECK(recordExitCode(refused) == 0);
    CHECK(refused.profile.issues.size() == 1);
    REQUIRE(refused.profile.sources.size() == 1);
    CHECK_FALSE(refused.profile.sources[0].counters.has("smsp__pcsamp_sample_count"));

    const auto silent = recordTwice(sourceRuns("true"), {.source = {.top = 1}});
    CHECK(recordExitCode(silent) == 0);
    CHECK(hasIssue(silent, "stall-samples-unavailable"));

    const auto damaged = recordTwice(
        sourceRuns(
            R"(echo '{"t":"samples","n":0,"k":0,"reasons":["a"],"rows":[[0,[-1]]]}' >> "$f")"),
        {.source = {.top = 1}});
    CHECK(damaged.profile.sources.size() == 1);
    CHECK(hasIssue(damaged, "spool-damaged"));

    std::string told;
    const auto unwanted = recordTwice(sourceRuns(kSamplesLine),
                                      {.source = {.top = 1},
                                       .stallSamples = false,
                                       .progress = [&](const std::string& text) { told += text; }});
    CHECK(told.find("stall samples") == std::string::npos);
    CHECK(unwanted.profile.issues.empty());
    CHECK_FALSE(unwanted.profile.sources.at(0).counters.has("smsp__pcsamp_sample_count"));
}

#if ROOFSCOPE_HAVE_COLLECTOR
TEST_CASE("ranges are measured in runs of their own, beside the launches") {
    // The timing run has a range with one launch, at two depths. A range run has its counters, with
    // other work at the second depth. Each run adds a line to the log.
    const std::string script =
        R"sh(f="$ROOFSCOPE_SPOOL_DIR/7.spool"; o="$ROOFSCOPE_SPOOL_DIR/configuration.json"
echo run >> "$1"
printf '%s\n' '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100"}' \
  '{"t":"kernel","id":0,"name":"k","symbol":"k"}' '{"t":"range","id":0,"name":"a"}' \
  '{"t":"range","id":1,"name":"a > b"}' > "$f"
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$o"; then
  grep -q '"ranges":\["a\*"\]' "$o" || exit 3
  end='"d":0,"o":0,"from":0,"to":1,"launches":1,"work":9'
  printf '%s\n' '{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1],"corr":5}' \
    '{"t":"time","c":5,"b":1000,"e":3000}' '{"t":"range-end","r":1,"depth":1,'"$end"'}' \
    '{"t":"range-end","r":0,"depth":0,'"$end"'}' >> "$f"
elif grep -q '"mode":"ranges"' "$o"; then
  name=$(sed 's/.*"counters":\["\([^"]*\)".*/\1/' "$o")
  depth=$(sed 's/.*"depth":\([0-9]*\).*/\1/' "$o")
  end='"r":'$depth',"depth":'$depth',"d":0,"o":0,"from":0,"to":0,"launches":1'
  printf '%s\n' '{"t":"range-counters","d":0,"names":["'"$name"'"]}' \
    '{"t":"range-end",'"$end"',"work":'$((9 - depth))'}' \
    '{"t":"range-values","r":'$depth',"d":0,"o":0,"v":[4]}' >> "$f"
fi
echo '{"t":"end"}' >> "$f")sh";
    const test::TemporaryFolder folder;
    const auto log = folder.file("runs").string();
    auto recording = record({.command = {"sh", "-c", script, "sh", log},
                             .replay = ReplayChoice::Kernel,
                             .ranges = {"a*"},
                             .library = "/none"});
    REQUIRE(recording.ok());
    const Profile& p = recording->profile;
    CHECK(recording->programExit == 0);
    REQUIRE(p.rangeMeasurements.size() == 2);
    CHECK(p.launches.size() == 1);
    std::size_t measured = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const RangeMeasurement& m = p.rangeMeasurements[i];
        REQUIRE(m.duration);
        CHECK(m.duration->value == Approx(2e-6));
        for (const auto& name : p.rangeCounters.names()) {
            const auto value = p.rangeCounters.value(name, i);
            CHECK(value == (m.depth == 0 ? std::optional(4.0) : std::nullopt));
            measured += value.has_value();
        }
    }
    CHECK(measured == 2);  // one counter per group
    CHECK(hasIssue(*recording, "ranges-differ"));
    // Timing, counters, and two groups at two depths each.
    const std::string runs = test::readText(log);
    CHECK(std::count(runs.begin(), runs.end(), '\n') == 6);
}
#endif

TEST_CASE("ranges need a timing run") {
    const auto r =
        record({.command = {"true"}, .timingRuns = 0, .ranges = {"a"}, .library = "/none"});
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().where == "--range");
}
