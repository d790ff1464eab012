// SPDX-License-Identifier: Apache-2.0
// Programs that ignore signals, and signals at bad times.
#include "tests/hostile/recording.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

// Without a terminal a shell makes its background processes ignore Ctrl-C, so this is undone.
const std::string kStart = std::string("mkdir -p tmp; export TMPDIR=$PWD/tmp; ") + kInjected +
                           "env --default-signal=INT,QUIT '" ROOFSCOPE_PROGRAM "' " + kRecord +
                           "--out s.json -- sh app & p=$!; "
                           "for i in $(seq 200); do [ -e ready ] && break; sleep 0.05; done; ";

/// A program that ignores all signals it can and starts a child that does the same. The file
/// "ready" tells that it is set up.
void makeSignalIgnoringProgram() {
    inBash("rm -f ready pids s.json; rm -rf tmp");
    makeProgram("app", R"(trap '' INT QUIT TERM HUP
sleep 300 & echo $$ $! > pids; touch ready; wait; sleep 300)");
}

/// The number of the program's two processes that still run.
std::string left() {
    return inBash(
               "n=0; for p in $(cat pids); do kill -0 $p 2>/dev/null && ! grep -q 'State:.Z' "
               "/proc/$p/status && n=$((n+1)); done; echo $n")
        .out;
}

}  // namespace

TEST_CASE("the third Ctrl-C kills a program that ignores it, and what was measured is kept") {
    makeSignalIgnoringProgram();
    const auto r =
        inBash(kStart + "for i in 1 2 3; do sleep 0.3; kill -INT $p; done; wait $p; echo code $?");
    INFO(r.out + r.err);
    CHECK(contains(r.out, "code 137"));
    CHECK(left() == "0\n");
    CHECK(roofscopeRun("report s.json").code == 0);
    CHECK(std::filesystem::is_empty(folder().file("tmp")));
}

TEST_CASE("a program that ignores SIGTERM is killed a few seconds later") {
    makeSignalIgnoringProgram();
    const auto r =
        inBash(kStart + "SECONDS=0; kill -TERM $p; wait $p; echo code $? $((SECONDS < 30))");
    INFO(r.out + r.err);
    CHECK(contains(r.out, "code 137 1"));
    CHECK(left() == "0\n");
    CHECK(roofscopeRun("report s.json").code == 0);
}

TEST_CASE("kill -9 leaves neither the program nor, after the next start, its folder") {
    makeSignalIgnoringProgram();
    inBash(kStart + "kill -KILL $p; sleep 0.5");
    CHECK(left() == "0\n");
    CHECK(countOf(folder().file("tmp"), "roofscope-") == 2);  // this run's, and the shared one
    // Other folders with such a name, and those whose owner still runs, are kept.
    inBash("mkdir tmp/roofscope-other; touch tmp/roofscope-other/mine; ln -s / tmp/roofscope-link");
    makeProgram("app");
    CHECK(roofscopeRun(std::string(kRecord) + "--out s.json -- sh app",
                       std::string("TMPDIR=$PWD/tmp ") + kInjected)
              .code == 0);
    CHECK(countOf(folder().file("tmp"), "roofscope-") == 2);
    CHECK(exists("tmp/roofscope-other/mine"));
    // So is one that has a file with the name of the lock.
    for (const char* name : {"roofscope-ab12cd", "roofscope-x"}) {
        inBash(std::string("mkdir -m 700 tmp/") + name + "; touch tmp/" + name +
               "/owner; echo mine > tmp/" + name + "/mine");
        CHECK(roofscopeRun(std::string(kRecord) + "--out s.json -- sh app",
                           std::string("TMPDIR=$PWD/tmp ") + kInjected)
                  .code == 0);
        CHECK(exists(std::string("tmp/") + name + "/mine"));
    }
}

TEST_CASE("what a program has started in a session of its own ends with it, however that is") {
    // A grandchild of a shell that exits at once, in its own session, ignoring signals.
    const std::string hidden =
        "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > hidden; touch ready; sleep 300 & wait; "
        "sleep 300' < /dev/null > /dev/null 2>&1 &)\n"
        "while ! [ -e ready ]; do sleep 0.02; done; echo $$ $(cat hidden) > pids\n";
    for (const std::string how : {"INT", "TERM", "HUP", "KILL", "timeout"}) {
        CAPTURE(how);
        inBash("rm -f ready pids hidden s.json; rm -rf tmp");
        // With "; true" the shell does not replace itself with sleep.
        makeProgram("app", hidden + "sh -c 'echo $$ >> pids; sleep 300; true'");
        const std::string start = std::string(kInjected) + "'" ROOFSCOPE_PROGRAM "' " + kRecord +
                                  (how == "timeout" ? "--timeout 1 " : "") +
                                  "--out s.json -- sh app & p=$!; while ! [ -s pids ]; do sleep "
                                  "0.05; done; sleep 0.2; ";
        const auto r = inBash("set -m; " + start +
                              (how == "timeout" ? std::string() : "kill -" + how + " $p; ") +
                              "SECONDS=0; wait $p; echo $((SECONDS < 30)); sleep 0.5");
        INFO(r.out + r.err);
        CHECK(contains(r.out, "1\n"));
        CHECK(left() == "0\n");
        CHECK(inBash("pgrep -f 'sleep 300' -s $(cat hidden) | wc -l").out == "0\n");
        if (how != "KILL") CHECK(roofscopeRun("report s.json").code == 0);
    }
}

TEST_CASE("a program that kills its parent ends with what it has started") {
    // Beside a shell's child, one in a session of its own that has lost its parent.
    const std::string start =
        "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > hidden; sleep 300 & echo $! >> hidden; "
        "touch ready; wait; sleep 300' < /dev/null > /dev/null 2>&1 &)\n"
        "sh -c 'echo $$ > child; sleep 300; true' &\n"
        "while ! [ -e ready ] || ! [ -s child ]; do sleep 0.02; done\n"
        "cat hidden child > pids; echo $$ >> pids; ";
    for (const std::string how :
         {"kill -9 $PPID", "kill -9 $PPID; exit 0", "kill -SEGV $PPID; wait"}) {
        CAPTURE(how);
        inBash("rm -f ready pids hidden child s.json; rm -rf tmp");
        makeProgram("app", start + how);
        const auto r = inBash("sleep 300 & echo $! > ours; export TMPDIR=$PWD; SECONDS=0; " +
                              std::string(kInjected) + "'" ROOFSCOPE_PROGRAM "' " + kRecord +
                              "--out s.json -- sh app; echo code $? $((SECONDS < 30)); "
                              "kill $(cat ours) && echo ours");
        INFO(r.out + r.err);
        CHECK(contains(r.out, "code 137 1"));
        CHECK(contains(r.out, "ours"));
        CHECK(left() == "0\n");
        CHECK(roofscopeRun("report s.json").code == 0);
    }
    makeProgram("app", "kill -STOP $PPID; exit 3");
    CHECK(roofscopeRun(std::string(kRecord) + "--out s.json -- sh app", kInjected).code == 3);
    // A tool of ours, which is not the user's program.
    inBash("rm -f ready pids hidden child; mkdir -p fake; echo x > app.ncu-rep");
    std::ofstream(folder().file("fake/ncu")) << "#!/bin/sh\n" << start << "kill -9 $PPID\n";
    const auto tool = inBash("chmod +x fake/ncu; PATH=\"$PWD/fake:$PATH\" '" ROOFSCOPE_PROGRAM
                             "' import app.ncu-rep");
    CHECK(tool.code != 0);
    CHECK(left() == "0\n");
}

TEST_CASE("ncu ends with an import, and with what it has started in a session of its own") {
    inBash("mkdir -p fake; echo x > app.ncu-rep");
    std::ofstream(folder().file("fake/ncu"))
        << "#!/bin/sh\n[ \"$1\" = --import ] || exit 1\n"
           "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >> pids; sleep 300; sleep 300' &\n"
           "echo $$ >> pids; sleep 0.2; touch ready; sleep 300; true\n";
    inBash("chmod +x fake/ncu");
    const std::string import = "rm -f ready pids; export PATH=\"$PWD/fake:$PATH\"; ";
    for (const std::string how : {"INT", "TERM", "HUP", "KILL"}) {
        CAPTURE(how);
        inBash("set -m; " + import +
               "'" ROOFSCOPE_PROGRAM
               "' import app.ncu-rep & p=$!; "
               "while ! [ -e ready ]; do sleep 0.02; done; kill -" +
               how + " $p; wait $p; sleep 0.5");
        CHECK(left() == "0\n");
    }
    // A hanging ncu: import waits for so many seconds of silence.
    const auto hung = inBash(import + "SECONDS=0; ROOFSCOPE_TOOL_PATIENCE=0.5 '" ROOFSCOPE_PROGRAM
                                      "' import app.ncu-rep; echo code $? $((SECONDS < 20))");
    INFO(hung.out + hung.err);
    CHECK(contains(hung.out, "code 65 1"));
    CHECK(contains(hung.err, "printed nothing for 0.5 s and was ended"));
    CHECK(left() == "0\n");
}

TEST_CASE("a daemon that the program leaves stays, unless all is to end") {
    for (const bool all : {false, true}) {
        CAPTURE(all);
        inBash("rm -f pids s.json");
        makeProgram("app", "(setsid sleep 300 < /dev/null > /dev/null 2>&1 & echo $! > pids)");
        const auto r = roofscopeRun(
            std::string(kRecord) + (all ? "--end-all " : "") + "--out s.json -- sh app", kInjected);
        INFO(r.err);
        CHECK(r.code == 0);
        CHECK(left() == (all ? "0\n" : "1\n"));
        inBash("kill $(cat pids)");
    }
}

TEST_CASE("under guard nothing is left, however it ends") {
    // In its own session, with an empty environment.
    const std::string hidden =
        "env -i setsid sh -c 'echo $$ > hidden.part; mv hidden.part hidden; sleep 300; true' "
        "> /dev/null 2>&1 & while ! [ -e hidden ]; do sleep 0.02; done; "
        "cat hidden > pids; echo $$ >> pids; ";
    for (const std::string how : {"exit", "KILL", "TERM", "input", "timeout"}) {
        CAPTURE(how);
        inBash("rm -f pids hidden end input; mkfifo input");
        std::ofstream(folder().file("app"))
            << hidden << (how == "exit" ? "exit 7" : "sleep 300; true");
        const std::string act = how == "input"                   ? "exec 9>&-; "
                                : how == "KILL" || how == "TERM" ? "kill -" + how + " $p; "
                                                                 : "";
        const auto r = inBash("'" ROOFSCOPE_PROGRAM "' guard --end end " +
                              std::string(how == "timeout" ? "--timeout 1 " : "") +
                              "-- sh app < input & p=$!; exec 9> input; "
                              "for i in $(seq 500); do [ -s pids ] && break; sleep 0.02; done; "
                              "sleep 0.2; " +
                              act + "wait $p; echo code $?; sleep 0.5");
        INFO(r.out + r.err);
        CHECK(contains(r.out, how == "exit"   ? "code 7\n"
                              : how == "KILL" ? "code 137\n"
                                              : "code 143\n"));
        CHECK(left() == "0\n");
        CHECK(exists("end") == (how != "KILL"));
        CHECK(contains(readText(folder().file("end")), "\"timed_out\":true") == (how == "timeout"));
    }
    CHECK(roofscopeRun("guard").code == 64);
    CHECK(roofscopeRun("guard -- ./missing").code == 66);
}

TEST_CASE("a program finds its parent, and what it sends there arrives") {
    makeProgram("app", "trap '' USR1; kill -USR1 $PPID; kill -TERM $PPID; sleep 300");
    const auto r = inBash(std::string(kInjected) + "timeout 30 '" ROOFSCOPE_PROGRAM "' " + kRecord +
                          "--out s.json -- sh app");
    CHECK(r.code == 128 + 15);
}

TEST_CASE("a signal while a file is written leaves no part of one") {
    inBash("mkdir written");
    const std::string sample =
        ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz";
    for (const char* wait : {"0.01", "0.03", "0.05", "0.1", "0.2"})
        inBash("'" ROOFSCOPE_PROGRAM "' report '" + sample +
               "' -f html --out written/r.html & p=$!; sleep " + wait +
               "; kill -INT $p; kill $p; wait $p");
    CHECK(countOf(folder().file("written"), ".roofscope") == 0);
    CHECK(countOf(folder().file("written"), "r.html.") == 0);
}
