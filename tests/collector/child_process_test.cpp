// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "collector/run/processes/interruptions.h"
#include "profile/files/file_size_guard.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

TEST_CASE("exit codes and signals of a child are told apart") {
    const auto seven = runChild({"sh", "-c", "exit 7"}, {});
    REQUIRE(seven.ok());
    CHECK(seven->status.code == 7);
    CHECK_FALSE(seven->status.signal);
    const auto killed = runChild({"sh", "-c", "kill -9 $$"}, {});
    REQUIRE(killed.ok());
    CHECK(killed->status.signal == SIGKILL);
    CHECK_FALSE(killed->status.code);
    // 127 may be a program's own exit code; only a failed start is an error.
    const auto own = runChild({"sh", "-c", "exit 127"}, {});
    REQUIRE(own.ok());
    CHECK(own->status.code == 127);
}

TEST_CASE("the end of a child is known even if SIGCHLD was ignored by our parent") {
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &ignore, &before);
    const auto seven = runChild({"sh", "-c", "exit 7"}, {});
    const auto text = captureChild({"sh", "-c", "echo it; exit 0"}, false);
    struct sigaction after {};
    sigaction(SIGCHLD, &before, &after);
    REQUIRE(seven.ok());
    CHECK(seven->status.code == 7);
    REQUIRE(text.ok());
    CHECK(*text == "it\n");
    CHECK(after.sa_handler == SIG_IGN);
}

TEST_CASE("a child does not inherit that we ignore the limit on the size of files") {
    ignoreFileSizeSignal();
    const auto run = runChild({"sh", "-c", "kill -XFSZ $$"}, {});
    const auto captured = captureChild({"sh", "-c", "kill -XFSZ $$"}, false);
    restoreFileSizeSignal();
    REQUIRE(run.ok());
    CHECK(run->status.signal == SIGXFSZ);
    CHECK_FALSE(captured.ok());
}

TEST_CASE("a program that cannot be started is an error that names it") {
    const auto missing = runChild({"/no/such/program"}, {});
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().code == ErrorCode::NoInput);
    CHECK(missing.error().where == "/no/such/program");
    const auto folder = runChild({"/"}, {});
    REQUIRE_FALSE(folder.ok());
    CHECK(folder.error().code == ErrorCode::NoPermission);
}

TEST_CASE("no shell takes part: arguments arrive as they are") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("out").string();
    const std::string hostile = "$(touch /tmp/never) `x` ; \"quoted\" *";
    const auto status =
        runChild({"sh", "-c", "printf %s \"$1\" > \"$2\"", "sh", hostile, file}, {});
    REQUIRE(status.ok());
    CHECK(test::readText(file) == hostile);
}

TEST_CASE("the environment is extended and replaced by name") {
    setenv("ROOFSCOPE_TEST_A", "old", 1);
    const auto text = [] {
        const test::TemporaryFolder folder;
        const auto file = folder.file("out");
        (void)runChild(
            {"sh", "-c", "printf '%s %s' \"$ROOFSCOPE_TEST_A\" \"$ROOFSCOPE_TEST_B\" > \"$0\"",
             file.string()},
            {.environment = {{"ROOFSCOPE_TEST_A", "new"}, {"ROOFSCOPE_TEST_B", "b"}}});
        return test::readText(file);
    }();
    CHECK(text == "new b");
}

TEST_CASE("captureChild returns stdout and reports failures") {
    const auto text = captureChild({"printf", "abc"});
    REQUIRE(text.ok());
    CHECK(*text == "abc");
    CHECK_FALSE(captureChild({"false"}).ok());
    CHECK_FALSE(captureChild({"/no/such/program"}).ok());
}

TEST_CASE("a signal that is sent to us alone reaches the program") {
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
        INFO(signal);
        std::thread sender([signal] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            kill(getpid(), signal);
        });
        const auto status = runChild({"sleep", "20"}, {});
        sender.join();
        REQUIRE(status.ok());
        CHECK(status->status.signal == signal);
        CHECK(status->interrupted);
    }
}

TEST_CASE("what is ignored stays ignored, and interrupts nothing") {
    const auto before = signal(SIGHUP, SIG_IGN);
    const auto end = runChild({"sh", "-c", "kill -HUP $PPID $$; sleep 0.2; exit 5"}, {});
    CHECK(signal(SIGHUP, before) == SIG_IGN);
    REQUIRE(end.ok());
    CHECK_FALSE(end->interrupted);
    CHECK(end->status.code == 5);
}

TEST_CASE("signals that are meant for the program reach it, and end no recording") {
    // In a process of its own, because the signals would end this one.
    const pid_t child = fork();
    if (child == 0) {
        const Interruptions interruptions;
        for (const int number : {SIGUSR1, SIGUSR2, SIGXCPU}) raise(number);  // between runs
        const auto end = runChild({"sh", "-c", R"(trap 'n=$((n + 1))' USR1 USR2 XCPU
for s in USR1 USR2 XCPU; do kill -$s $PPID; sleep 0.2; done; exit $n)"},
                                  {});
        if (!end || end->interrupted || end->status.code != 3) _exit(1);
        // The program itself handles signals in the default way.
        const auto killed = runChild({"sh", "-c", "kill -USR1 $$"}, {});
        if (!killed || killed->status.signal != SIGUSR1) _exit(2);
        _exit(Interruptions::seen() ? 3 : 0);
    }
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("output goes to a file and input is empty when asked") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("out");
    const auto end =
        runChild({"sh", "-c", "cat; echo out; echo err >&2"}, {.output = file, .noInput = true});
    REQUIRE(end.ok());
    CHECK(test::readText(file) == "out\nerr\n");
    CHECK_FALSE(end->interrupted);
    CHECK_FALSE(end->timedOut);
}

TEST_CASE("a program that does not end in time is ended, gently first") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("out").string();
    const auto gentle = runChild(
        {"sh", "-c", "trap 'echo bye > \"$0\"; exit 4' TERM; while :; do sleep 0.05; done", file},
        {.timeoutSeconds = 0.3});
    REQUIRE(gentle.ok());
    CHECK(gentle->timedOut);
    CHECK(gentle->status.code == 4);
    CHECK(test::readText(file) == "bye\n");
    const auto quick = runChild({"true"}, {.timeoutSeconds = 30.0});
    CHECK_FALSE(quick->timedOut);
    CHECK(quick->status.code == 0);
}

TEST_CASE("a program that ignores signals is killed by the third, with what it started") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("pid").string();
    std::thread sender([] {
        for (int i = 0; i < 3; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            kill(getpid(), SIGINT);
        }
    });
    const auto end =
        runChild({"sh", "-c",
                  "trap '' INT TERM HUP QUIT; sleep 100 & echo $! > \"$0\"; wait; sleep 100", file},
                 {});
    sender.join();
    REQUIRE(end.ok());
    CHECK(end->status.signal == SIGKILL);
    CHECK(end->interrupted);
    CHECK(end->seconds < 20);
    const pid_t started = std::stoi(test::readText(file));
    for (int i = 0; i < 100 && kill(started, 0) == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(kill(started, 0) != 0);
}

TEST_CASE("the end of our input ends the program and what it has started") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("pid").string();
    int input[2];
    REQUIRE(pipe2(input, O_CLOEXEC) == 0);
    // In a process of its own, because its stdin is replaced.
    const pid_t child = fork();
    if (child == 0) {
        dup2(input[0], STDIN_FILENO);
        close(input[1]);
        const auto end = runChild({"sh", "-c",
                                   "cat; setsid sleep 100 & echo $! > \"$0.part\"; "
                                   "mv \"$0.part\" \"$0\"; sleep 100",
                                   file},
                                  {.endWithInput = true});
        if (!end || end->timedOut || end->interrupted) _exit(1);
        _exit(end->status.signal == SIGTERM ? 0 : 2);
    }
    close(input[0]);
    CHECK(write(input[1], "more", 4) == 4);  // what comes before the end is dropped
    for (int i = 0; i < 500 && !std::filesystem::exists(file); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    int status = 1;
    CHECK(waitpid(child, &status, WNOHANG) == 0);
    close(input[1]);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(kill(std::stoi(test::readText(file)), 0) != 0);
}

TEST_CASE("the time of a program is without that of ending what it leaves running") {
    const test::TemporaryFolder folder;
    const auto end = runChild({"sh", "-c",
                               "sh -c 'trap \"sleep 1.5; exit\" TERM; touch \"$0\"; while :; do "
                               "sleep 0.05; done' \"$0\" & "
                               "while ! [ -e \"$0\" ]; do sleep 0.02; done",
                               folder.file("ready").string()},
                              {.leftovers = Leftovers::End});
    REQUIRE(end.ok());
    CHECK(end->status.code == 0);
    CHECK(end->seconds < 1.4);
}

TEST_CASE("what a captured program prints has a limit") {
    ExitStatus status;
    const auto endless = captureChild({"yes"}, false, 1 << 20, &status);
    REQUIRE_FALSE(endless.ok());
    CHECK(endless.error().code == ErrorCode::BadData);
    const auto failed = captureChild({"sh", "-c", "exit 9"}, false, 100, &status);
    CHECK_FALSE(failed.ok());
    CHECK(status.code == 9);
}

TEST_CASE("a tool that hangs is ended with what it started") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("pid").string();
    // Also what is in a session of its own, and where the tool has closed its stdout.
    for (const std::string script : {"echo a; sleep 100 & echo $! > \"$0\"; wait",
                                     "echo a; setsid sleep 100 & echo $! > \"$0\"; wait",
                                     "sleep 100 >&- & echo $! > \"$0\"; exec >&-; wait"}) {
        CAPTURE(script);
        const auto hung =
            captureChild({"sh", "-c", script, file}, false, kMostCaptured, nullptr, 0.3);
        REQUIRE_FALSE(hung.ok());
        CHECK(hung.error().code == ErrorCode::Unavailable);
        CHECK(hung.error().what == "printed nothing for 0.3 s and was ended");
        CHECK(kill(std::stoi(test::readText(file)), 0) != 0);
    }
    // What it leaves running may hold its stdout, and is not waited for.
    const auto before = std::chrono::steady_clock::now();
    const auto left = captureChild({"sh", "-c", "setsid sleep 100 & echo $!"});
    REQUIRE(left.ok());
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
    CHECK(kill(std::stoi(*left), 0) != 0);
    // A slow program is not a hanging one.
    CHECK(captureChild({"sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.2; done"}, false,
                       kMostCaptured, nullptr, 0.5)
              .ok());
}
