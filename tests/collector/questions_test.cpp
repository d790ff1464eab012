// SPDX-License-Identifier: Apache-2.0
// Questions asked in a recording after its first runs (RecordOptions::followUp), without a GPU: a
// shell script acts as the program and writes the spool that the injected library would.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "collector/run/recording/record.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// Launches j, k, j, k, k. The first counters are a.sum of the second k and of both j; if asked for
/// pipes, the program runs `answer`. The configuration of each run is kept in `folder`.
std::string program(const std::string& folder, const std::string& answer) {
    return R"sh(f="$ROOFSCOPE_SPOOL_DIR/7.spool"; c="$ROOFSCOPE_SPOOL_DIR/configuration.json"
runs=$(ls )sh" +
           folder + R"sh( | wc -l); cp "$c" )sh" + folder + R"sh(/run$runs
say() { printf '%s\n' "$@" >> "$f"; }
say '{"t":"process","pid":7}' '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0}'
say '{"t":"kernel","id":0,"name":"j","symbol":"j"}' '{"t":"kernel","id":1,"name":"k","symbol":"k"}'
launch() { echo '{"t":"launch","n":'$1',"k":'$2',"d":0,"s":0,"g":[8,1,1],"b":[32,1,1]'"$3"'}'; }
value() { echo '{"t":"values","n":'$1',"d":0,"v":['$2']}'; }
names() { say '{"t":"counters","d":0,"passes":'$1',"names":['$2']}'; }
kernel() { case $1 in 0|2) echo 0 ;; *) echo 1 ;; esac; }
launches() {
  for n in 0 1 2 3 4; do
    case "$1" in *$n*) counted= ;; *) counted=',"counted":false' ;; esac
    say "$(launch $n $(kernel $n) $counted)"
  done
}
if grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$c"; then
  for n in 0 1 2 3 4; do
    say "$(launch $n $(kernel $n) ,\"corr\":1$n)" '{"t":"time","c":1'$n',"b":1'$n'00000,"e":1'$n'15000}'
  done
elif grep -q '"pipes"' "$c"; then
)sh" + answer +
           R"sh(
elif grep -q '"mode":"source"' "$c"; then
  say "$(launch 0 1)" '{"t":"source","n":0,"k":1,"metrics":["smsp__sass_inst_executed"],"files":["a.cu"],"rows":[[0,0,3,[8]]]}'
elif grep -q '"mode":"stalls"' "$c"; then
  say "$(launch 0 1)" '{"t":"source","n":0,"k":1,"metrics":[],"files":["a.cu"],"rows":[[0,0,3,[]]]}' \
      '{"t":"samples","n":0,"k":1,"reasons":["smsp__pcsamp_warps_issue_stalled_wait"],"rows":[[0,[900]]]}'
elif grep -q '"mode":"over-time"' "$c"; then
  say "$(launch 0 1)" "$(launch 1 1)" '{"t":"over-time","n":1,"k":1,"end":[1000,2000],"names":["a.sum"],"v":[[1,2]]}'
elif grep -q '"mode":"counters"' "$c"; then
  names 2 '"a.sum"'; launches 023; say "$(value 0 10)" "$(value 2 12)" "$(value 3 13)"
fi
say '{"t":"end"}'
)sh";
}
std::string replaced(std::string text, const std::string& from, const std::string& by) {
    return text.replace(text.find(from), from.size(), by);
}
/// The same, but its launches take seconds.
std::string slowProgram(const std::string& folder, const std::string& answer) {
    return replaced(program(folder, answer), "'15000}'", "'15000000000}'");
}
/// The same, but none of its launches is sampled.
std::string unsampledProgram(const std::string& folder, const std::string& answer) {
    return replaced(slowProgram(folder, answer), R"("mode":"stalls")", "never");
}

/// b.sum of the second and third k, and a different a.sum.
const std::string kPipes =
    R"sh(names 3 '"a.sum","b.sum"'; launches 34; say "$(value 3 99,23)" "$(value 4 98,24)")sh";

struct Asked {
    Recording recording;
    std::vector<nlohmann::json> runs;  ///< the configuration of each
    std::vector<bool> answers;
    Profile before;  ///< what the first runs read
    bool over = false;

    [[nodiscard]] const Profile& profile() const { return recording.profile; }
    [[nodiscard]] const Issue* issue(const std::string& code) const {
        const auto it = std::ranges::find(profile().issues, code, &Issue::code);
        return it == profile().issues.end() ? nullptr : &*it;
    }
};

/// Records the program and asks the questions, about the launches of k unless they name others.
Asked ask(const std::string& answer, std::vector<Question> questions, RecordOptions options = {},
          std::string (*made)(const std::string&, const std::string&) = program) {
    const test::TemporaryFolder folder;
    Asked asked;
    options.command = {"sh", "-c", made(folder.path().string(), answer)};
    options.library = "/none";
    options.nvml = "/none";
    if (options.replay == ReplayChoice::Auto) options.replay = ReplayChoice::Kernel;
    options.followUp = [&](const RecordingInProgress& recording) {
        asked.before = recording.profile();
        for (Question& question : questions) {
            if (question.launches.empty()) question.launches = {1, 3, 4};
            asked.answers.push_back(recording.ask(question));
        }
        asked.over = recording.over();
    };
    auto recording = record(options);
    REQUIRE(recording.ok());
    asked.recording = std::move(*recording);
    for (std::size_t i = 0;; ++i) {
        const auto text = test::readText(folder.file("run" + std::to_string(i)));
        if (text.empty()) break;
        asked.runs.push_back(nlohmann::json::parse(text));
    }
    return asked;
}

/// Checks that nothing the first runs read is lost or changed.
void checkFirstRunsUnchanged(const Asked& asked) {
    const Profile &before = asked.before, &after = asked.profile();
    REQUIRE(after.launches.size() == before.launches.size());
    REQUIRE(before.launches.size() == 5);
    for (const std::string& name : before.counters.names())
        for (std::size_t row = 0; row < 5; ++row)
            if (const auto value = before.counters.value(name, row))
                CHECK(after.counters.value(name, row) == value);
    for (std::size_t row = 0; row < 5; ++row)
        CHECK(after.launches[row].duration == before.launches[row].duration);
    CHECK(after.capture.passes == 2);
    CHECK(after.capture.strategy == "kernel");
    CHECK(after.capture.groups == std::vector<std::string>{"default"});
    CHECK(after.kernels.size() == 2);
}

}  // namespace

TEST_CASE("a question reads its groups of its kernels, and joins them to the same launches") {
    const auto r = ask(kPipes, {{.groups = {"pipes"}}}, {.perKernel = 2});
    CHECK(r.answers == std::vector<bool>{true});
    checkFirstRunsUnchanged(r);
    // a.sum stays as the first counter run read it; b.sum is added.
    CHECK(r.profile().counters.value("a.sum", 3) == 13.0);
    CHECK(r.profile().counters.value("b.sum", 3) == 23.0);
    CHECK(r.profile().counters.value("b.sum", 4) == 24.0);
    for (const std::size_t row : {0, 1, 2}) CHECK_FALSE(r.profile().counters.value("b.sum", row));
    CHECK_FALSE(r.profile().counters.value("a.sum", 1));
    CHECK(r.profile().counters.value("a.sum", 4) == 98.0);  // a missing value is filled
    REQUIRE(r.profile().capture.further.size() == 1);
    // Of the three launches of k the two nearest to the median, not the first.
    CHECK(r.profile().capture.further[0] ==
          FurtherReading{.groups = {"pipes"}, .launches = {3, 4}, .passes = 3});
    CHECK(r.profile().issues.empty());
    CHECK(recordExitCode(r.recording) == 0);
    REQUIRE(r.runs.size() == 3);
    CHECK(r.runs[1]["groups"] == std::vector<std::string>{"default"});
    CHECK(r.runs[1]["onlyPicks"] == false);
    CHECK(r.runs[2]["groups"] == std::vector<std::string>{"pipes"});
    CHECK(r.runs[2]["onlyPicks"] == true);
    REQUIRE(r.runs[2]["picks"].size() == 1);  // of k alone
    CHECK(r.runs[2]["picks"][0][1] == std::vector<int>{1, 2});
}

TEST_CASE("the process itself tells whether its lines of Python still need time") {
    double idle = 0.01;
    const auto counted = [&] {
        const auto r = ask("true", {}, {.judgedLoop = [&](const Profile&) {
                               return JudgedLoop{.repeat = Seconds{0.1}, .idle = idle};
                           }});
        REQUIRE(r.runs.size() == 2);
        return r.runs[1];
    };
    // The program has no CPU samples, so the first run does not tell what it runs.
    const auto busy = counted();
    CHECK(busy["enoughSeconds"] == 0.8);
    CHECK(busy["paceKnown"] == true);
    CHECK(busy["untilLaunches"] == 0);
    idle = 0.5;
    CHECK(counted()["paceKnown"] == false);
}

TEST_CASE("a program that is judged as one piece goes on until its last launch and copy") {
    const auto r = ask("true", {}, {.judgedLoop = [](const Profile&) {
                           return JudgedLoop{.idle = 0.01, .onePiece = true};
                       }});
    REQUIRE(r.runs.size() == 2);
    CHECK(r.runs[1]["paceKnown"] == true);
    CHECK(r.runs[1]["untilLaunches"] == r.profile().launches.size());
}

TEST_CASE("a further reading lists what was read, not what was asked for") {
    // Counting is expensive there: one launch is enough.
    const auto r = ask(R"sh(names 3 '"b.sum"'; launches 4; say "$(value 4 24)")sh",
                       {{.groups = {"pipes"}}}, {.perKernel = 2});
    CHECK(r.answers == std::vector<bool>{true});
    REQUIRE(r.runs.size() == 3);
    CHECK(r.runs[2]["picks"][0][1] == std::vector<int>{1, 2});
    REQUIRE(r.profile().capture.further.size() == 1);
    CHECK(r.profile().capture.further[0].launches == std::vector<std::uint32_t>{4});
}

TEST_CASE("a question may be about some launches of a kernel, also where all are counted") {
    const auto r = ask(kPipes, {{.groups = {"pipes"}, .launches = {1}}}, {.perKernel = 0});
    REQUIRE(r.runs.size() == 3);
    CHECK(r.runs[1]["perKernel"] == 0);
    CHECK(r.runs[2]["perKernel"] == kDefaultPerKernel);
    CHECK(r.runs[2]["picks"][0][1] == std::vector<int>{0});
    // The answer has other launches.
    CHECK(r.answers == std::vector<bool>{false});
}

TEST_CASE("a question repeats no launch where the recording was not to, and reads its own alone",
          "[needs-cupti]") {
    if (!planRecord({}, "GH100")) SKIP_CASE("there is no CUPTI here");
    // One run per pass, with counters instead of groups.
    const auto r = ask("launches 34", {{.groups = {"pipes"}}},
                       {.replay = ReplayChoice::Application, .perKernel = 2});
    const auto planned = planRecord({.groups = {"pipes"}}, "GH100");
    REQUIRE(planned.ok());
    REQUIRE(planned->runs.size() > 1);
    const std::size_t first = r.runs.size() - planned->runs.size();
    CHECK(r.runs[1]["replay"] == "application");
    for (std::size_t i = 0; i < planned->runs.size(); ++i) {
        const auto& run = r.runs[first + i];
        CHECK(run["replay"] == "kernel");
        CHECK(run["groups"].empty());
        CHECK(run["counters"] == planned->runs[i]);
        CHECK(run["perKernel"] == 2);
        CHECK(run["onlyPicks"] == true);
        CHECK(run["picks"].size() == 1);
        CHECK(run["countOneIfCostly"] == false);  // all runs must count the same launches
    }
}

TEST_CASE("a question about instructions measures the kernel of its launches") {
    const auto r = ask("true", {{.groups = {"source"}}});
    CHECK(r.answers == std::vector<bool>{true});
    checkFirstRunsUnchanged(r);
    REQUIRE(r.profile().sources.size() == 1);
    CHECK(r.profile().sources[0].launch == 3U);
    REQUIRE(r.profile().capture.further.size() == 1);
    CHECK(r.profile().capture.further[0] ==
          FurtherReading{.groups = {"source"}, .launches = {3}, .passes = 0});
    REQUIRE(r.runs.size() == 4);  // including the run for stall samples
    CHECK(ask("true", {{.groups = {"source"}, .stallSamples = false}}).runs.size() == 3);
    // The first run goes to the program's end, the others may end before, as it did.
    CHECK(r.runs[0]["endsWith"].is_null());
    for (std::size_t i = 1; i < 4; ++i) CHECK(r.runs[i]["endsWith"] == 0);
    for (const auto& run : ask("true", {{.groups = {"source"}}}, {.wholeRuns = true}).runs)
        CHECK(
            (run["endsWith"].is_null() && run.value("enoughSeconds", nlohmann::json()).is_null()));
    CHECK(r.runs[2]["mode"] == "source");
    CHECK(r.runs[2]["ordinal"] == 1);
    CHECK(r.runs[3]["mode"] == "stalls");
    CHECK(recordExitCode(r.recording) == 0);
}

TEST_CASE("a long kernel is only sampled, unless its counters are asked for") {
    const std::vector<Question> questions{{.groups = {"source"}}};
    const auto r = ask("true", questions, {}, slowProgram);
    CHECK(r.answers == std::vector<bool>{true});
    checkFirstRunsUnchanged(r);
    REQUIRE(r.runs.size() == 3);
    CHECK(r.runs[2]["mode"] == "stalls");
    CHECK(r.runs[2]["code"] == true);
    REQUIRE(r.profile().sources.size() == 1);
    const SourcePass& pass = r.profile().sources.front();
    CHECK(pass.launch == 3U);
    REQUIRE(pass.instructions.size() == 1);
    CHECK(pass.instructions.front().line == 3);
    CHECK(pass.counters.value("smsp__pcsamp_sample_count", 0) == 900.0);
    CHECK_FALSE(pass.counters.has("smsp__sass_inst_executed"));

    const auto deep = ask("true", questions, {.sparesLongKernels = false}, slowProgram);
    const auto none = ask("true", questions, {}, unsampledProgram);
    CHECK(none.answers == std::vector<bool>{false});
    CHECK(none.profile().sources.empty());
    CHECK(none.issue("stall-samples-unavailable"));
    REQUIRE(deep.runs.size() == 4);
    CHECK(deep.runs[2]["mode"] == "source");
    CHECK(deep.runs[3]["code"] == false);
}

TEST_CASE("a question about the course of a kernel samples one of its launches") {
    const auto r = ask("true", {{.groups = {"over-time"}}, {.groups = {"pipes"}}});
    CHECK(r.answers[0]);
    checkFirstRunsUnchanged(r);
    REQUIRE(r.profile().overTime.size() == 1);
    CHECK(r.profile().overTime[0].launch == 3U);  // the second launch of k
    CHECK(r.profile().overTime[0].ends.size() == 2);
    REQUIRE_FALSE(r.profile().capture.further.empty());
    CHECK(r.profile().capture.further[0] ==
          FurtherReading{.groups = {"over-time"}, .launches = {3}, .passes = 0});
    REQUIRE(r.runs.size() == 4);
    CHECK(r.runs[2]["mode"] == "over-time");
    CHECK(r.runs[3]["mode"] == "counters");  // later questions do not include it
}

TEST_CASE("a further run that fails costs nothing of the first ones") {
    for (const std::string answer :
         {"exit 3", "kill -SEGV $$", "names 3 '\"b.sum\"'; exit 3", "exit 0"}) {
        for (const bool required : {false, true}) {
            INFO(answer << (required ? ", required" : ""));
            const auto r = ask(answer, {{.groups = {"pipes"}, .required = required}});
            CHECK(r.answers == std::vector<bool>{false});
            checkFirstRunsUnchanged(r);
            CHECK(r.profile().capture.further.empty());
            CHECK_FALSE(r.profile().issues.empty());
            for (const Issue& issue : r.profile().issues)
                CHECK(issue.message.starts_with("an additional run for pipes failed: "));
            CHECK(recordExitCode(r.recording) == (required ? kExitPartial : 0));
            if (answer == "exit 3") REQUIRE(r.issue("runs-differ"));
        }
    }
}

TEST_CASE("what a failing run has read counts, and the failure is told") {
    const auto r = ask(kPipes + "; exit 3", {{.groups = {"pipes"}}});
    CHECK(r.answers == std::vector<bool>{true});
    checkFirstRunsUnchanged(r);
    CHECK(r.profile().counters.value("b.sum", 3) == 23.0);
    CHECK(r.profile().capture.further.size() == 1);
    REQUIRE(r.issue("runs-differ"));
    CHECK(r.issue("runs-differ")->severity == Severity::Info);
    CHECK(recordExitCode(r.recording) == 0);
}

TEST_CASE("a further run with other launches: partners count, nothing is added") {
    const auto r = ask(R"sh(say '{"t":"kernel","id":2,"name":"new","symbol":"new"}'
names 3 '"b.sum"'; say "$(launch 0 2 ',"counted":false')" "$(launch 1 1)" "$(launch 2 1)" "$(value 0 90)" "$(value 1 91)" "$(value 2 92)")sh",
                       {{.groups = {"pipes"}}});
    CHECK(r.answers == std::vector<bool>{true});
    checkFirstRunsUnchanged(r);
    CHECK(r.profile().counters.value("b.sum", 1) == 91.0);
    CHECK(r.profile().counters.value("b.sum", 3) == 92.0);
    REQUIRE(r.issue("launch-sequence-differs"));
    CHECK(recordExitCode(r.recording) == 0);
}

TEST_CASE("counters that the chip lacks are reported and not asked for again") {
    const auto r = ask(
        R"(launches ""; say '{"t":"issue","severity":"info","source":"inject","code":"counter-unavailable","message":"no b.sum"}')",
        {{.groups = {"pipes"}}});
    CHECK(r.answers == std::vector<bool>{false});
    checkFirstRunsUnchanged(r);
    REQUIRE(r.profile().capture.further.size() == 1);
    CHECK(r.profile().capture.further[0].launches == std::vector<std::uint32_t>{1, 3, 4});
    REQUIRE(r.issue("counter-unavailable"));
    CHECK(r.issue("counter-unavailable")->message == "no b.sum");
}

TEST_CASE("a question's time ends the program, and with it all questions") {
    const auto begun = std::chrono::steady_clock::now();
    const auto r = ask(
        kPipes + "; exec sleep 30",
        {{.groups = {"pipes"}, .limit = Seconds{0.5}, .required = true}, {.groups = {"pipes"}}});
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(15));
    checkFirstRunsUnchanged(r);
    CHECK(r.answers == std::vector<bool>{true, false});  // answers before the end are kept
    CHECK(r.over);
    CHECK(r.runs.size() == 3);
    REQUIRE(r.issue("time-limit"));
    CHECK(r.issue("time-limit")->severity == Severity::Info);
    CHECK(r.issue("time-limit")->advice == "the recording up to that run is complete");
    CHECK_FALSE(r.issue("interrupted"));
    CHECK(r.recording.programExit == 0);
}

TEST_CASE("an interrupt while a question is read keeps the first recording, which is complete") {
    for (const int signal : {SIGINT, SIGTERM}) {
        INFO(signal);
        const test::TemporaryFolder folder;
        const auto mark = folder.file("mark").string();
        std::thread sender([&] {
            for (int i = 0; i < 1000 && test::readText(mark).empty(); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            kill(getpid(), signal);
        });
        const auto r = ask("echo x > " + mark + "; exec sleep 30",
                           {{.groups = {"pipes"}}, {.groups = {"pipes"}}});
        sender.join();
        checkFirstRunsUnchanged(r);
        CHECK(r.answers == std::vector<bool>{false, false});
        CHECK(r.over);
        CHECK(r.runs.size() == 3);
        REQUIRE(r.issue("interrupted"));
        CHECK(r.issue("interrupted")->severity == Severity::Info);
        CHECK(r.profile().issues.size() >= 1);
        CHECK(recordExitCode(r.recording) == 0);
        CHECK_FALSE(r.profile().capture.termSignal);
    }
}

TEST_CASE("a program that must not run again, or failed, gets no questions") {
    const auto asks = [](RecordOptions options, const std::string& script) {
        bool asked = false;
        options.command = {"sh", "-c", script};
        options.library = "/none";
        options.nvml = "/none";
        options.followUp = [&](const RecordingInProgress&) { asked = true; };
        REQUIRE(record(options).ok());
        return asked;
    };
    const test::TemporaryFolder folder;
    const std::string good = program(folder.path().string(), "true");
    CHECK(asks({.replay = ReplayChoice::Kernel}, good));
    CHECK_FALSE(asks({.replay = ReplayChoice::Kernel, .timingRuns = 0}, good));
    CHECK_FALSE(asks({.timingOnly = true}, good));
    CHECK_FALSE(asks({.replay = ReplayChoice::Multiplex}, good));
    CHECK_FALSE(asks({.replay = ReplayChoice::Kernel}, good + "exit 4"));
    CHECK_FALSE(
        asks({.replay = ReplayChoice::Kernel},
             good + R"(grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$c" || exit 4)"));
    CHECK_FALSE(asks({.replay = ReplayChoice::Kernel}, "true"));  // no CUDA
    {
        test::Environment environment;
        environment.set("OMPI_COMM_WORLD_RANK", "0");
        environment.set("OMPI_COMM_WORLD_SIZE", "1");
        CHECK_FALSE(asks({.replay = ReplayChoice::Kernel}, good));
        CHECK(checkQuestions({}).error().code == ErrorCode::Unavailable);
    }
    test::Environment environment;
    environment.set("RANK", "0");
    environment.set("WORLD_SIZE", "2");
    CHECK_FALSE(asks({.replay = ReplayChoice::Kernel}, good));
    CHECK(checkQuestions({}).error().code == ErrorCode::Unavailable);
    CHECK(checkQuestions({.timingOnly = true}).error().code == ErrorCode::Usage);
}

TEST_CASE("the limit for the whole recording ends the run that it falls into, and the next ones") {
    const test::TemporaryFolder folder;
    RecordOptions options{.replay = ReplayChoice::Kernel, .timeLimitSeconds = 0.7};
    bool asked = false;
    options.followUp = [&](const RecordingInProgress&) { asked = true; };
    options.library = "/none";
    options.nvml = "/none";
    const std::string script = program(folder.path().string(), "true");
    // The limit hits the counter run: times are complete, and counters until then are kept.
    options.command = {"sh", "-c", script + "grep -q timing \"$c\" || exec sleep 30"};
    const auto counting = record(options);
    REQUIRE(counting.ok());
    CHECK(counting->profile.launches.size() == 5);
    CHECK(counting->profile.counters.value("a.sum", 3) == 13.0);
    CHECK(recordExitCode(*counting) == kExitPartial);
    CHECK(std::ranges::count(counting->profile.issues, "time-limit", &Issue::code) == 1);
    // It was ended by the recording, it did not crash.
    CHECK(std::ranges::count(counting->profile.issues, "process-ended-early", &Issue::code) == 0);
    CHECK_FALSE(asked);
    // The limit hits the first run: there is no second.
    options.command = {"sh", "-c", script + "exec sleep 30"};
    const auto timing = record(options);
    REQUIRE(timing.ok());
    CHECK(timing->profile.launches.size() == 5);
    CHECK(timing->profile.counters.names().empty());
    CHECK(std::ranges::count(timing->profile.issues, "time-limit", &Issue::code) == 1);
    CHECK_FALSE(std::filesystem::exists(folder.file("run3")));
    // A limit that is long enough.
    options.timeLimitSeconds = 60;
    options.command = {"sh", "-c", script};
    const auto enough = record(options);
    REQUIRE(enough.ok());
    CHECK(enough->profile.issues.empty());
    CHECK(asked);
    // The time is spent between two runs: the next one is not started.
    options.timeLimitSeconds = 3;
    std::size_t answers = 0;
    options.followUp = [&](const RecordingInProgress& recording) {
        CHECK(recording.remaining()->value > 0);
        std::this_thread::sleep_for(std::chrono::duration<double>(recording.remaining()->value));
        CHECK(recording.over());
        answers += recording.ask({.groups = {"pipes"}, .launches = {3}});
    };
    const auto runs = [&] {
        return std::distance(std::filesystem::directory_iterator(folder.path()), {});
    };
    const auto before = runs();
    REQUIRE(record(options).ok());
    CHECK(runs() == before + 2);
    CHECK(answers == 0);
}
