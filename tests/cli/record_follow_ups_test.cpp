// SPDX-License-Identifier: Apache-2.0
// `roofscope record --effort` and `--time-limit` as users see them.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/workshop.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace roofscope;
using roofscope::test::contains;
using roofscope::test::RecordSandbox;

namespace {

/// A kernel that issues instructions nearly all the time. If asked for pipes, it reports integer
/// instructions and then runs `whenAsked`.
RecordSandbox issueBound(const std::string& whenAsked = "") {
    // So long that its kernel is a small part of it: then nothing is asked ahead.
    return RecordSandbox("sleep 0.1; echo run >> runs",
                         R"(if grep -q '"pipes"' "$ROOFSCOPE_SPOOL_DIR/configuration.json"; then
say '{"t":"counters","d":0,"passes":3,"names":["sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed","sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum"]}'
say '{"t":"values","n":0,"d":0,"v":[75,2,2000000]}'
)" + whenAsked + R"(
else
say '{"t":"counters","d":0,"passes":2,"names":["smsp__issue_active.avg.pct_of_peak_sustained_active","sm__cycles_active.avg","sm__cycles_elapsed.avg","gpu__time_duration.sum"]}'
say '{"t":"values","n":0,"d":0,"v":[85,1000,1000,2000000]}'
fi)");
}

struct Recorded {
    test::Outcome outcome;
    std::size_t runs = 0;
    nlohmann::json report;   ///< as JSON
    nlohmann::json further;  ///< from the profile's capture; null if there is none

    [[nodiscard]] std::string limiter() const {
        return report["kernels"][0]["verdict"]["limiter"].get<std::string>();
    }
};
Recorded record(const RecordSandbox& workshop, const std::string& options) {
    Recorded r;
    r.outcome = workshop.roofscope("record --replay kernel --out p.json " + options + " -- sh app");
    std::ifstream runs(workshop.folder.file("runs"));
    for (std::string line; std::getline(runs, line);) ++r.runs;
    const std::string profile = test::readText(workshop.folder.file("p.json"));
    if (profile.empty()) return r;
    const auto json = nlohmann::json::parse(profile);
    if (json["capture"].contains("further")) r.further = json["capture"]["further"];
    r.report = nlohmann::json::parse(workshop.roofscope("report p.json --format json").out);
    return r;
}

}  // namespace

TEST_CASE("record asks what is open, says what and why, and the answer is the verdict") {
    const auto r = record(issueBound(), "");
    CHECK(r.outcome.code == 0);
    // The pipes, and then the lines of what they show.
    CHECK(r.runs == 4);
    CHECK(contains(r.outcome.err, "roofscope: follow-up question 1, about "));
    CHECK(contains(r.outcome.err, ": pipes of copy (100 % of the time): integer-arithmetic\n"));
    CHECK(contains(r.outcome.err, "question 2"));
    CHECK_FALSE(contains(r.outcome.err, "question 3"));
    CHECK(r.limiter() == "integer");
    CHECK(r.report["kernels"][0]["findings"][0]["rule"] == "integer-arithmetic");
    REQUIRE(r.further.size() == 1);
    CHECK(r.further[0]["groups"] == std::vector<std::string>{"pipes"});
    CHECK(r.further[0]["launches"] == std::vector<int>{0});
    CHECK(r.further[0]["passes"] == 3);
}

TEST_CASE(
    "--effort quick asks nothing; counters that somebody chose stand unless asked otherwise") {
    for (const char* options :
         {"--effort quick", "--groups default", "--metrics dram__bytes_read.sum",
          "--groups default --effort quick"}) {
        INFO(options);
        const auto r = record(issueBound(), options);
        CHECK(r.outcome.code == 0);
        CHECK(r.runs == 2);
        CHECK(r.limiter() == "instruction issue");
        CHECK(r.further.is_null());
        CHECK_FALSE(contains(r.outcome.err, "follow-up"));
    }
    for (const char* options : {"--groups default --effort auto", "--effort deep -q"}) {
        INFO(options);
        const auto r = record(issueBound(), options);
        CHECK(r.limiter() == "integer");
        CHECK(contains(r.outcome.err, "follow-up") != contains(options, "-q"));
    }
}

TEST_CASE("a question that fails is told and costs nothing, unless somebody asked for it") {
    const auto offered = record(issueBound("exit 3"), "");
    CHECK(offered.outcome.code == 0);
    // The run for pipes failed at its end; the one for lines, which pipes led to, did not.
    CHECK(offered.runs == 3);
    CHECK(contains(offered.outcome.err, "output of the run that failed"));
    const auto asked = record(issueBound("exit 3"), "--effort auto");
    CHECK(asked.outcome.code == 90);
    CHECK(contains(asked.outcome.err,
                   "an additional run for pipes failed: the program "
                   "exited with code 0 in its first run and exited with code "
                   "3 in a later one"));
    // It had answered completely by then.
    CHECK(asked.limiter() == "integer");
}

TEST_CASE("--effort contradicts what lets a program run once") {
    for (const char* options : {"--timing-only", "--timing-repeats 0", "--replay multiplex"}) {
        INFO(options);
        const RecordSandbox workshop;
        const auto r = workshop.roofscope("record " + std::string(options) +
                                          " --effort auto --out p.json -- sh app");
        CHECK(r.code == 64);
        CHECK(contains(r.err, "--effort auto: "));
        CHECK(contains(r.err, std::string("with ") + options));
        CHECK_FALSE(workshop.ran());
    }
    const RecordSandbox workshop;
    CHECK(workshop.roofscope("record --timing-only --effort quick --out p.json -- sh app").code ==
          0);
    for (const char* options : {"--effort hard", "--effort", "--time-limit 0", "--time-limit -1",
                                "--time-limit nan", "--time-limit x"}) {
        INFO(options);
        CHECK(workshop.roofscope("record " + std::string(options) + " -- sh app").code == 64);
    }
}

TEST_CASE("--time-limit ends the recording, and what was read until then is written") {
    const RecordSandbox slow(
        "grep -q timing \"$ROOFSCOPE_SPOOL_DIR/configuration.json\" || exec sleep 30");
    const auto r = slow.roofscope("record --replay kernel --time-limit 1 --out p.json -- sh app");
    CHECK(r.code == 90);
    CHECK(contains(r.err,
                   "the recording reached its time limit before it was complete (--time-limit) "
                   "(everything measured until then is in this profile)"));
    CHECK(slow.roofscope("report p.json").code == 0);
    // The limit hits a question: the recording is complete without it.
    const auto asked = record(issueBound("exec sleep 30"), "--time-limit 4");
    CHECK(asked.outcome.code == 0);
    CHECK(asked.limiter() == "integer");
}

TEST_CASE("a dry run says whether there will be questions", "[needs-cupti]") {
    const RecordSandbox workshop;
    const auto text = workshop.roofscope("record --dry-run --chip GH100");
    if (text.code != 0) SKIP_CASE("there is no CUPTI here");
    CHECK(contains(text.out, "follow-up questions until 2.1 times"));
    const auto effort = [&](const std::string& options) {
        return nlohmann::json::parse(
            workshop.roofscope("record --dry-run --json --chip GH100 " + options).out)["effort"];
    };
    CHECK(effort("") == "auto");
    CHECK(effort("--effort deep") == "deep");
    CHECK(effort("--groups default,stalls") == "quick");
}
