// SPDX-License-Identifier: Apache-2.0
// What `record` does around a program, without a GPU: the injected library is replaced by nothing,
// and spools are written by the "program" itself.
#include "collector/run/record.h"

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

Recording run(const std::string& script) {
    auto recording =
        record({.command = {"sh", "-c", script}, .groups = {"default"}, .library = "/none"});
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
    // Its own failure counts for more than ours.
    CHECK(recordExitCode(run("exit 3")) == 3);
}

TEST_CASE("the program sees that it is profiled, and where to write") {
    const auto r =
        run(R"(test "$ROOFSCOPE_PROFILING" = 1 && test "$CUDA_INJECTION64_PATH" = /none &&
                          test "$NVTX_INJECTION64_PATH" = /none && test "$ROOFSCOPE_GROUPS" = default &&
                          test -d "$ROOFSCOPE_SPOOL_DIR")");
    CHECK(r.programExit == 0);
}

TEST_CASE("the temporary folder is gone afterwards") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("where").string();
    (void)run("printf %s \"$ROOFSCOPE_SPOOL_DIR\" > " + file);
    CHECK_FALSE(test::readText(file).empty());
    CHECK_FALSE(std::filesystem::exists(test::readText(file)));
}

TEST_CASE("a program that does not exist is an error, not a recording") {
    const auto r =
        record({.command = {"/no/such/program"}, .groups = {"default"}, .library = "/none"});
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().where == "/no/such/program");
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
