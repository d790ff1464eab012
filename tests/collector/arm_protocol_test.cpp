// SPDX-License-Identifier: Apache-2.0
// What an armed process and a command say to each other, and where they meet.
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "collector/arm/arm_folder.h"
#include "collector/arm/connection.h"
#include "collector/arm/messages.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace std::chrono_literals;
using arm::Connection;
using arm::News;
using arm::Request;
namespace fs = std::filesystem;

namespace {

/// Both ends of a conversation.
struct Ends {
    Ends() {
        int fds[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
        one = Connection(arm::OwnedFd(fds[0]));
        other = Connection(arm::OwnedFd(fds[1]));
    }
    Connection one{arm::OwnedFd()}, other{arm::OwnedFd()};
};

Connection::Clock::time_point soon() { return Connection::Clock::now() + 50ms; }

}  // namespace

TEST_CASE("a snap's request comes back as it was sent") {
    const Request sent{.what = Request::What::Snap,
                       .folder = "/tmp/a b\"c",
                       .seconds = 2.5,
                       .bytes = 1000,
                       .around = 0.5};
    const auto got = arm::requestFrom(toLine(sent));
    REQUIRE(got);
    CHECK(got->what == Request::What::Snap);
    CHECK(got->folder == sent.folder);
    CHECK(got->seconds == sent.seconds);
    CHECK(got->bytes == sent.bytes);
    CHECK(got->around == sent.around);
    CHECK(arm::requestFrom(toLine(Request{.what = Request::What::Disarm}))->what ==
          Request::What::Disarm);
}

TEST_CASE("what is no request is refused") {
    const std::string good = R"({"do":"snap","folder":"/f","seconds":1,"bytes":10,"around":1})";
    REQUIRE(arm::requestFrom(good));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    const std::vector<std::string> bad{"",
                                       "{",
                                       "[]",
                                       "null",
                                       "7",
                                       "\"do\"",
                                       R"({"do":7})",
                                       R"({"do":"run"})",
                                       R"({"do":["snap"]})",
                                       R"({"do":"snap"})",
                                       with("/f", "f"),
                                       with("\"/f\"", "7"),
                                       with("/f", "/f\\u0000g"),
                                       with("\"seconds\":1", "\"seconds\":0"),
                                       with("\"seconds\":1", "\"seconds\":-1"),
                                       with("\"seconds\":1", "\"seconds\":601"),
                                       with("\"seconds\":1", "\"seconds\":1e999"),
                                       with("\"seconds\":1", "\"seconds\":\"1\""),
                                       with("\"bytes\":10", "\"bytes\":0"),
                                       with("\"bytes\":10", "\"bytes\":-1"),
                                       with("\"bytes\":10", "\"bytes\":1e30"),
                                       with("\"around\":1", "\"around\":-1"),
                                       with("\"around\":1", "\"around\":61"),
                                       std::string(100'000, '['),
                                       std::string(1000, '\xff'),
                                       good + good};
    for (const std::string& line : bad) {
        INFO(line.substr(0, 100));
        CHECK(!arm::requestFrom(line));
    }
}

TEST_CASE("what a process answers comes back; anything else does not") {
    const arm::State state{.version = "1", .pid = 7, .command = {"a", "\xff"}, .gpus = {"0: X"}};
    const auto read = arm::stateFrom(toLine(state));
    REQUIRE(read);
    CHECK(read->pid == 7);
    CHECK(read->gpus == state.gpus);
    const auto news = arm::newsFrom(toLine(News{
        .phase = News::Phase::Refused, .early = arm::Early::Bytes, .why = "w", .advice = "a"}));
    REQUIRE(news);
    CHECK(news->phase == News::Phase::Refused);
    CHECK(news->early == arm::Early::Bytes);
    CHECK(news->advice == "a");
    for (const char* line : {"", "{}", "[1]", R"({"pid":"x"})", R"({"phase":1})"}) {
        CHECK(!arm::stateFrom(line));
        CHECK(!arm::newsFrom(line));
    }
}

TEST_CASE("numbers that a process cannot mean are refused") {
    const auto with = [](std::string text, const std::string& from, const std::string& to) {
        REQUIRE(text.find(from) != std::string::npos);
        return text.replace(text.find(from), from.size(), to);
    };
    const std::string state = toLine(arm::State{.pid = 7, .armedSince = 8, .snaps = 9});
    for (const std::string key : {"\"pid\":7", "\"armedSince\":8", "\"snaps\":9"})
        for (const char* number : {"-1", "1e300", "0.5", "true", "null"}) {
            const std::string name = key.substr(0, key.size() - 1);
            CAPTURE(name, number);
            CHECK(!arm::stateFrom(with(state, key, name + number)));
        }
    CHECK(!arm::stateFrom(with(state, "\"pid\":7", "\"pid\":9223372036854775808")));
    const std::string news = toLine(News{.recorded = 7.5, .age = 8.5});
    REQUIRE(arm::newsFrom(news));
    for (const char* number : {"-1", "1e300", "null"})
        for (const char* time : {"7.5", "8.5"}) {
            CAPTURE(number, time);
            CHECK(!arm::newsFrom(with(news, time, number)));
        }
}

TEST_CASE("lines are taken apart, and have a most length") {
    Ends ends;
    std::string line;
    REQUIRE(ends.one.send("first\nsecond"));
    CHECK(ends.other.receive(line, 10, soon()) == Connection::Heard::Line);
    CHECK(line == "first");
    CHECK(ends.other.receive(line, 10, Connection::Clock::now()) == Connection::Heard::Line);
    CHECK(line == "second");
    CHECK(ends.other.receive(line, 10, soon()) == Connection::Heard::Nothing);
    REQUIRE(ends.one.send(std::string(11, 'x')));
    CHECK(ends.other.receive(line, 10, soon()) == Connection::Heard::TooLong);
    Ends endless;
    REQUIRE(send(endless.one.fd(), "no end of the line", 18, 0) == 18);
    CHECK(endless.other.receive(line, 10, soon()) == Connection::Heard::TooLong);
    Ends gone;
    gone.one = Connection(arm::OwnedFd());
    CHECK(gone.other.receive(line, 10, soon()) == Connection::Heard::Gone);
    CHECK(!gone.other.send("nobody"));
}

TEST_CASE("a peer that does not read is given up") {
    Ends ends;
    const std::string much(1 << 22, 'x');
    const auto begun = Connection::Clock::now();
    CHECK(!ends.one.send(much));
    CHECK(Connection::Clock::now() - begun < 5s);
}

TEST_CASE("the peer is the one that the system names") {
    Ends ends;
    const auto peer = ends.one.peer();
    REQUIRE(peer);
    CHECK(peer->pid == getpid());
    CHECK(peer->user == geteuid());
}

TEST_CASE("ROOFSCOPE_ARM names a folder, or refuses") {
    CHECK(arm::folderOf("/run/x") == fs::path("/run/x"));
    CHECK(arm::folderOf("on") == arm::defaultFolder());
    for (const char* text : {"", "off", "0", "no", "relative/folder"}) CHECK(!arm::folderOf(text));
}

TEST_CASE("a folder of sockets is closed to others, or not used") {
    const test::TemporaryFolder parent;
    const fs::path folder = parent.file("sockets");
    REQUIRE(arm::makeFolder(folder));
    struct stat facts {};
    REQUIRE(stat(folder.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0700);
    CHECK(arm::makeFolder(folder));  // it is there already
    for (const mode_t open : {0770, 0705, 0701}) {
        REQUIRE(chmod(folder.c_str(), open) == 0);
        CHECK(!arm::checkFolder(folder));
    }
    REQUIRE(chmod(folder.c_str(), 0700) == 0);
    const fs::path link = parent.file("link");
    fs::create_directory_symlink(folder, link);
    CHECK(!arm::makeFolder(link));
    CHECK(!arm::makeFolder(parent.file("no/parent")));
    CHECK(!arm::makeFolder("/proc/1/status"));
}

TEST_CASE("a socket's file is named after its process") {
    CHECK(arm::pidOf(arm::socketOf("/f", 42)) == 42);
    for (const char* name : {"42", "x.sock", "-1.sock", "0.sock", "4 2.sock", ".sock", "42x.sock"})
        CHECK(!arm::pidOf(fs::path("/f") / name));
}

TEST_CASE("only one listens, and its file is for its user only") {
    const test::TemporaryFolder folder;
    const fs::path socket = folder.file("1.sock");
    CHECK(Connection::to(socket).error().code == ErrorCode::Unavailable);
    {
        const auto listening = arm::listenIn(socket);
        REQUIRE(listening);
        CHECK(Connection::to(socket));
        CHECK(!arm::listenIn(socket));
    }
    CHECK(Connection::to(socket).error().code == ErrorCode::NoInput);
    CHECK(arm::listenIn(folder.path() / std::string(200, 'x')).error().code == ErrorCode::Usage);
}
