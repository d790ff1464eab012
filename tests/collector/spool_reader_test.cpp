// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool_reader.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

const std::string kHead =
    R"({"t":"process","pid":7,"cupti_path":"/x/libcupti.so.13","cupti_version":130001,"driver_version":13000}
{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"sms":132,"warp":32}
{"t":"counters","d":0,"passes":2,"names":["a.sum","b.sum"]}
{"t":"kernel","id":0,"name":"k","symbol":"k","registers":32}
{"t":"range","id":0,"name":"step"}
{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"o":8,"r":0}
{"t":"values","n":0,"d":0,"v":[1.5,null]}
)";

}  // namespace

TEST_CASE("a spool becomes a profile") {
    Profile p;
    appendSpool(kHead + "{\"t\":\"end\"}\n", "7.spool", p);
    REQUIRE(p.launches.size() == 1);
    CHECK(p.launches[0].grid == Dim3{4, 1, 1});
    CHECK(p.launches[0].residentBlocksPerSm == 8U);
    CHECK(p.ranges.at(p.launches[0].range.value()) == "step");
    CHECK(p.kernels[0].registersPerThread == 32U);
    CHECK_FALSE(p.kernels[0].staticSharedBytes);
    CHECK(p.counters.value("a.sum", 0) == 1.5);
    CHECK_FALSE(p.counters.value("b.sum", 0));  // null is missing, not 0
    CHECK(p.processes[0].endedCleanly);
    CHECK(p.processes[0].cuptiVersion == 130001);
    CHECK(p.issues.empty());
}

TEST_CASE("how a launch was issued, and what following launches took") {
    Profile p;
    appendSpool(kHead +
                    R"({"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"sync":true}
{"t":"end","traced_launch_ns":14250}
)",
                "7.spool", p);
    REQUIRE(p.launches.size() == 2);
    CHECK_FALSE(p.launches[0].afterSync);
    CHECK(p.launches[1].afterSync);
    CHECK(p.processes[0].tracedLaunch == Seconds{14.25e-6});
    Profile without;
    appendSpool(kHead + "{\"t\":\"end\"}\n", "7.spool", without);
    CHECK_FALSE(without.processes[0].tracedLaunch);
}

TEST_CASE("a spool that is cut anywhere is read up to the cut") {
    const std::string whole = kHead + "{\"t\":\"end\"}\n";
    for (std::size_t length = 0; length < whole.size() - 1; ++length) {
        Profile p;
        appendSpool(std::string_view(whole).substr(0, length), "7.spool", p);
        REQUIRE_FALSE(p.issues.empty());
        CHECK(p.issues.front().code == "process-ended-early");
        CHECK(p.counters.rows() == p.launches.size());
    }
}

TEST_CASE("garbage lines are counted, not trusted") {
    Profile p;
    appendSpool(
        kHead + "\x01\x02\n[]\n{\"t\":5}\n{\"t\":\"launch\",\"n\":1,\"k\":99}\n{\"t\":\"end\"}\n",
        "7.spool", p);
    CHECK(p.launches.size() == 1);
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "spool-damaged");
}

TEST_CASE("processes of one run are joined; their ids do not mix") {
    test::TemporaryFolder folder;
    for (const char* name : {"9.spool", "10.spool"})
        std::ofstream(folder.file(name)) << kHead << "{\"t\":\"end\"}\n";
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->processes.size() == 2);
    CHECK(read->devices.size() == 1);  // the same GPU
    REQUIRE(read->launches.size() == 2);
    CHECK(read->launches[0].process == 0);
    CHECK(read->launches[1].process == 1);
    CHECK(read->counters.value("a.sum", 1) == 1.5);
}

TEST_CASE("ranks come in their order, however they were started") {
    test::TemporaryFolder folder;
    const auto write = [&](int pid, const std::string& rank) {
        std::ofstream(folder.file(std::to_string(pid) + ".spool"))
            << R"({"t":"issue","code":"first","message":"m"})"
            << "\n"
            << R"({"t":"process","pid":)" << pid << rank << "}\n{\"t\":\"end\"}\n";
    };
    write(7, "");
    write(8, R"(,"rank":1)");
    write(9, R"(,"rank":0)");
    write(10, R"(,"rank":0)");
    write(11, R"(,"rank":"x")");
    std::ofstream(folder.file("12.spool")) << "junk";
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    std::vector<std::int64_t> pids;
    for (const Process& p : read->processes) pids.push_back(p.pid);
    CHECK(pids == std::vector<std::int64_t>{9, 10, 8, 7, 11, 0});
}

TEST_CASE("no spool at all is an empty profile") {
    test::TemporaryFolder folder;
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->processes.empty());
}
