// SPDX-License-Identifier: Apache-2.0
// What the profiled program leaves in its spool folder is untrusted input for the recording.
#include <fmt/format.h>

#include "tests/hostile/recording.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// Records the program "app", which runs `more` next to what the injected library writes. The
/// limits are those of a small machine, so endless reading fails.
Outcome recordBeside(const std::string& more) {
    inBash("rm -f s.json");
    makeProgram("app", "d=\"$ROOFSCOPE_SPOOL_DIR\"\n" + more);
    return inBash("ulimit -v 3000000 -t 60; " + std::string(kInjected) +
                  "timeout -k 5 60 '" ROOFSCOPE_PROGRAM "' " + kRecord + "--out s.json -- sh app");
}

/// 90 means that something was left out.
bool recorded(const Outcome& r) { return r.code == 0 || r.code == 90; }

/// Whether the launch of the good spool is in the file, and the file can be read.
bool kept() {
    const auto r = roofscopeRun("report s.json -f csv");
    INFO(r.err);
    return r.code == 0 && contains(r.out, "copy");
}

}  // namespace

TEST_CASE("files that are not spools are left out, and measurements are kept") {
    for (const std::string more : {
             "mkfifo \"$d/8.spool\"",
             "ln -s /dev/zero \"$d/8.spool\"",
             "ln -s /dev/tty \"$d/8.spool\"",
             "ln -s . \"$d/8.spool\"",
             "ln -s 8.spool \"$d/8.spool\"",
             "truncate -s 16T \"$d/8.spool\" 2>/dev/null || truncate -s 1T \"$d/8.spool\"",
             "mkdir \"$d/8.spool\" \"$d/x\"; touch \"$d/x/9.spool\"",
             ": > \"$d/8.spool\"",
             "head -c 3000000 /dev/urandom > \"$d/8.spool\"",
             "mkfifo \"$d/k.cubin\"; say '{\"t\":\"source\",\"n\":0,\"k\":0,\"files\":[],"
             "\"metrics\":[],\"rows\":[],\"cubin\":\"k.cubin\"}'",
             "ln -s /dev/zero \"$d/k.cubin\"; say '{\"t\":\"source\",\"n\":0,\"k\":0,\"files\":[],"
             "\"metrics\":[],\"rows\":[],\"cubin\":\"k.cubin\"}'",
             "say '{\"t\":\"source\",\"n\":0,\"k\":0,\"files\":[\"/dev/zero\"],\"metrics\":[\"a\"],"
             "\"rows\":[[0,0,7,[8]]]}'",
             "i=0; while [ $i -lt 2000 ]; do : > \"$d/$i-0.spool\"; i=$((i+1)); done",
         }) {
        const auto r = recordBeside(more);
        CAPTURE(more, r.err);
        CHECK(recorded(r));
        CHECK(kept());
    }
}

TEST_CASE("lines that the library never writes cost themselves alone") {
    const std::string launch = R"({"t":"launch","n":1,"k":0,"d":0,"s":0,"o":8,"corr":6,)";
    for (const std::string& line :
         {launch + R"("g":[0,1,1],"b":[256,1,1]})", launch + R"("g":[1,1,1],"b":[0,0,0]})",
          launch + R"("g":[1,1,1],"b":[256,1,1],"m":-5})",
          std::string(R"({"t":"device","id":1,"name":"G","chip":"GH100","sms":1,"memory":-1})"),
          std::string(R"({"t":"device","id":1,"name":"G","chip":"../../etc/passwd","sms":1})"),
          std::string(R"({"t":"kernel","id":1,"name":null})"),
          std::string(R"({"t":"site","k":4294967295,"line":-1,"file":7})"),
          std::string(R"({"t":"transfers","rows":99999999999,"k":1})"),
          std::string(R"({"t":"calls","rows":3,"k":[1],"b":[5]})"),
          R"({"t":"timeline","copies":true,"waits":true,"launches":true})"
          "\n"
          R"({"t":"transfers","rows":1,"k":0,"from":1,"to":3,"d":0,"peer":-1,"x":1,"s":7,)"
          R"("bytes":64,"c":8,"graph":0,"b":800,"l":1000000000000000000})" +
              std::string(),
          std::string(1 << 20, '['),
          std::string("{\"t\":\"kernel\",\"id\":1,\"name\":\"") + std::string(1 << 20, 'x')}) {
        std::ofstream(folder().file("line")) << line << '\n';
        const auto r = recordBeside("cat \"${0%app}line\" >> \"$f\"");
        CAPTURE(line.substr(0, 100), r.err);
        CHECK(recorded(r));
        CHECK(kept());
    }
}

TEST_CASE("a spool folder that is gone, or leads elsewhere, harms nothing else") {
    inBash("rm -rf precious; mkdir precious; echo mine > precious/file");
    const std::string here = folder().path().string();
    for (const std::string& more :
         {std::string("rm -rf \"$d\""), "rm -rf \"$d\"; ln -s '" + here + "/precious' \"$d\"",
          "ln -s '" + here + "/precious' \"$d/inside\"",
          std::string("rm -rf \"$d\"; mkfifo \"$d\""), std::string("chmod 0 \"$d\""),
          std::string("mkdir \"$d/a\"; touch \"$d/a/b\"; chmod 0 \"$d/a\"")}) {
        const auto r = recordBeside(more);
        CAPTURE(more, r.code, r.err);
        CHECK(r.code != 70);
        CHECK(r.code < 124);
        CHECK(readText(folder().file("precious/file")) == "mine\n");
    }
}

TEST_CASE("launches without times, however many, are written so that they are read again") {
    for (const std::string name : {"s.json", "s.json.gz"}) {
        CAPTURE(name);
        inBash("rm -f " + name);
        makeProgram("app",
                    "seq 1 60000 | sed 's/.*/{\"t\":\"launch\",\"n\":&,\"k\":0,\"d\":0,\"s\":0,"
                    "\"g\":[1,1,1],\"b\":[32,1,1],\"corr\":9&}/' >> \"$f\"");
        const auto r =
            roofscopeRun(std::string(kRecord) + "--out " + name + " -- sh app", kInjected);
        INFO(r.err);
        CHECK(recorded(r));
        const auto report = roofscopeRun("report " + name + " -f json");
        INFO(report.err);
        REQUIRE(report.code == 0);
        CHECK(contains(report.out, "\"launches_seen\": 60001"));
        // Merged, too, and what a merge has written.
        inBash("rm -f m.json.gz");
        CHECK(roofscopeRun("merge " + name + " " + name + " --out m.json.gz").code == 0);
        CHECK(roofscopeRun("report m.json.gz -f csv").code == 0);
    }
}
