// SPDX-License-Identifier: Apache-2.0
// Programs that a worker thread runs for the window, and how they are ended.
#include "gui/models/files/tool_output.h"

#include <csignal>
#include <future>
#include <thread>

#include "tests/gui/core_app.h"
#include "tests/gui/fake_ncu.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

Result<std::string> shell(const std::string& script, std::chrono::milliseconds patience = 10s,
                          std::uint64_t most = kPlenty) {
    return toolOutput({"/bin/sh", "-c", script}, most, patience, {});
}

}  // namespace

TEST_CASE("a tool's output is returned, its input is empty") {
    CHECK(shell("echo one; cat; echo two").value() == "one\ntwo\n");
    const auto failed = shell("echo '==ERROR== no'; exit 3");
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().what == "==ERROR== no\n");
    CHECK_FALSE(toolOutput({"/nowhere/ncu"}, kPlenty, 10s, {}).ok());
}

TEST_CASE("a tool that says nothing is ended with what it has started") {
    HangingNcu ncu;
    ncu.hang();
    const auto silent = toolOutput({ncu.file("bin/ncu").string()}, kPlenty, 300ms, {});
    REQUIRE_FALSE(silent.ok());
    CHECK(silent.error().code == ErrorCode::Unavailable);
    CHECK(silent.error().what == "printed nothing for 0.3 s and was ended");
    REQUIRE(ncu.hangs());
    CHECK(waitFor([&] { return !ncu.runs(); }, 1000));
    // Nor may it close its output and stay.
    CHECK_FALSE(shell("exec sleep 60 > /dev/null", 300ms).ok());
}

TEST_CASE("a tool may take its time as long as it says something") {
    CHECK(shell("for i in 1 2 3 4; do echo $i; sleep 0.2; done", 600ms).value() == "1\n2\n3\n4\n");
}

TEST_CASE("a tool that writes too much is ended") {
    const auto flood = shell("exec yes", 10s, 100'000);
    REQUIRE_FALSE(flood.ok());
    CHECK(flood.error().what == "its output is too large");
}

TEST_CASE("a tool ends as soon as it is asked to, before and while it runs") {
    HangingNcu ncu;
    ncu.hang();
    std::stop_source stop;
    auto output = std::async(std::launch::async, [&] {
        return toolOutput({ncu.file("bin/ncu").string()}, kPlenty, 10s, stop.get_token());
    });
    REQUIRE(waitFor([&] { return ncu.hangs(); }));
    stop.request_stop();
    REQUIRE(output.wait_for(1s) == std::future_status::ready);
    CHECK(output.get().error().what == "was cancelled");
    CHECK(waitFor([&] { return !ncu.runs(); }, 1000));
    CHECK_FALSE(toolOutput({"/bin/sleep", "60"}, kPlenty, 10s, stop.get_token()).ok());
}
