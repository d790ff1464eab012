// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_reader.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <utility>

#include "collector/run/tools/disassembly.h"
#include "profile/codec/codec.h"
#include "profile/model/call_site_index.h"
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

const std::string kTimeline =
    R"({"t":"timeline","copies":true,"waits":true,"launches":true,"allocations":true,)"
    R"("loads":true,"graphs":true,"ranges":true})";

bool hasIssue(const Profile& profile, std::string_view code) {
    return std::ranges::any_of(profile.issues, [&](const Issue& i) { return i.code == code; });
}

}  // namespace

TEST_CASE("launches beyond what a profile holds are left out, and told") {
    const std::string launches = R"({"t":"process","pid":7}
{"t":"device","id":0,"name":"GPU"}
{"t":"kernel","id":0,"name":"k","symbol":"k"}
{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1],"corr":1}
{"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1],"corr":2}
{"t":"time","c":1,"b":1000,"e":1500}
{"t":"time","c":2,"b":2000,"e":2500}
{"t":"end"}
)";
    const std::array spools{SpoolText{launches, "7.spool"}, SpoolText{launches, "8.spool"}};
    CHECK(parseSpools(spools, 4).issues.empty());
    const Profile p = parseSpools(spools, 3);
    CHECK(p.launches.size() == 3);
    CHECK(p.processes.at(1).launchesSeen == 2);
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "launches-left-out");
    CHECK(p.issues[0].message == "a profile holds 3 launches: 1 of process 7 were left out");
    CHECK(validateProfile(p, "p").ok());
    CHECK(parseSpools(spools, 0).launches.empty());
}

TEST_CASE("a spool becomes a profile") {
    Profile p = parseSpool(kHead + "{\"t\":\"end\"}\n", "7.spool");
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
    Profile p = parseSpool(
        kHead +
            R"({"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"sync":true}
{"t":"end","traced_launch_ns":14250,"autotuning":3,"not_chosen":0,"pinned_bytes":4096}
)",
        "7.spool");
    REQUIRE(p.launches.size() == 2);
    CHECK_FALSE(p.launches[0].afterSync);
    CHECK(p.launches[1].afterSync);
    CHECK(p.processes[0].tracedLaunch == Seconds{14.25e-6});
    CHECK(p.processes[0].autotuningLaunches == 3U);
    CHECK(p.processes[0].unchosenLaunches == 0U);
    CHECK(p.processes[0].pinnedBytes == 4096U);
    Profile without = parseSpool(kHead + "{\"t\":\"end\"}\n", "7.spool");
    CHECK_FALSE(without.processes[0].tracedLaunch);
    CHECK_FALSE(without.processes[0].autotuningLaunches);
    CHECK_FALSE(without.processes[0].pinnedBytes);
}

TEST_CASE("when a process ran is read with its times in order, or not at all") {
    const std::string timed = kHead + R"({"t":"device","id":1,"ordinal":0,"name":"GPU"}
{"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1],"corr":5,"counted":false}
{"t":"times","rows":1,"c":5,"x":1,"s":1,"b":1000,"l":10}
)";
    const std::string run =
        R"({"t":"run","from":100,"to":9000,"setup_from":300,"setup_to":450,"context":600,"launch":)";
    const auto runOf = [&](const std::string& rest) {
        return parseSpool(timed + run + rest + "\n{\"t\":\"end\"}\n", "7.spool").processes[0].run;
    };
    const auto known = runOf(R"(700,"counted_to":0})");
    REQUIRE(known);
    CHECK(known->time == TimeSpan{-900, 8000});
    CHECK(known->setup == TimeSpan{-700, -550});
    CHECK(known->firstContext == -400);
    CHECK(known->firstLaunch == -300);
    CHECK_FALSE(known->countedUntil);
    CHECK(runOf(R"(700,"counted_to":8000})")->countedUntil == 7000);
    CHECK_FALSE(runOf(R"(9001,"counted_to":0})"));
    CHECK_FALSE(runOf(R"(-1,"counted_to":0})"));
    CHECK_FALSE(runOf(R"(700,"counted_to":2305843009213693953})"));
    // A profile cannot hold times that are 2^53 ns apart.
    const std::string far =
        R"({"t":"run","from":100,"to":9007199254741993,"setup_from":300,"setup_to":450,"context":0,"launch":0,"counted_to":0})";
    CHECK_FALSE(parseSpool(timed + far + "\n{\"t\":\"end\"}\n", "7.spool").processes[0].run);
}

TEST_CASE("a spool that is cut anywhere is read up to the cut") {
    const std::string whole = kHead + "{\"t\":\"end\"}\n";
    for (std::size_t length = 0; length < whole.size() - 1; ++length) {
        Profile p = parseSpool(std::string_view(whole).substr(0, length), "7.spool");
        REQUIRE_FALSE(p.issues.empty());
        CHECK(p.issues.front().code == "process-ended-early");
        CHECK(p.counters.rows() == p.launches.size());
    }
}

TEST_CASE("garbage lines are counted, not trusted") {
    Profile p = parseSpool(
        kHead + "\x01\x02\n[]\n{\"t\":5}\n{\"t\":\"launch\",\"n\":1,\"k\":99}\n{\"t\":\"end\"}\n",
        "7.spool");
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
    // Process 11 had something else than a number, so its line was skipped.
    CHECK(pids == std::vector<std::int64_t>{9, 10, 8, 7, 0, 0});
}

TEST_CASE("no spool at all is an empty profile") {
    test::TemporaryFolder folder;
    const auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->processes.empty());
}

namespace {

/// Reads a folder with one good spool and what `add` puts next to it. The good spool must always be
/// read, and the profile must be writable.
Profile besideAGoodSpool(const std::function<void(const std::filesystem::path&)>& add) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("7.spool")) << kHead << "{\"t\":\"end\"}\n";
    add(folder.path());
    auto read = readSpools(folder.path());
    REQUIRE(read.ok());
    CHECK(read->launches.size() >= 1);
    CHECK(read->counters.value("a.sum", 0) == 1.5);
    const auto valid = validateProfile(*read, "p");
    if (!valid) FAIL(valid.error().message());
    return std::move(*read);
}

}  // namespace

TEST_CASE("a spool that is not a regular file is reported and not waited for") {
    CHECK(hasIssue(besideAGoodSpool([](const auto& folder) {
                       REQUIRE(mkfifo((folder / "8.spool").c_str(), 0600) == 0);
                   }),
                   "spool-refused"));
    CHECK(hasIssue(besideAGoodSpool([](const auto& folder) {
                       std::filesystem::create_symlink("/dev/zero", folder / "8.spool");
                   }),
                   "spool-refused"));
    CHECK(hasIssue(besideAGoodSpool([](const auto& folder) {
                       std::filesystem::create_directory(folder / "8.spool");
                   }),
                   "spool-refused"));
}

TEST_CASE("times that no profile can hold are left out, and the rest can be written") {
    const Profile p = besideAGoodSpool([](const auto& folder) {
        std::ofstream(folder / "8.spool")
            << kHead << kTimeline << '\n'
            << R"({"t":"transfers","rows":1,"k":0,"from":1,"to":3,"d":0,"peer":-1,"x":1,"s":7,)"
            << R"("bytes":64,"c":8,"graph":0,"b":800,"l":1000000000000000000})"
            << "\n{\"t\":\"end\"}\n";
    });
    CHECK(hasIssue(p, "spool-damaged"));
    CHECK(p.timeline.empty());
    CHECK(parseProfile(formatProfile(p), "written").ok());
}

TEST_CASE("copies that last longer than any copy can are left out") {
    // On the device, 4 MB for 9 s and for 0.1 s; from pageable memory, which may have to be read
    // from a disk, 9 s.
    const auto copy = [](int kind, int source, const char* length) {
        return fmt::format(
            R"({{"t":"transfers","rows":1,"k":{},"from":{},"to":3,"d":0,"peer":-1,"x":1,"s":7,)"
            R"("bytes":4194304,"c":8,"graph":0,"b":800,"l":{}}})"
            "\n",
            kind, source, length);
    };
    const Profile p = besideAGoodSpool([&](const auto& folder) {
        std::ofstream(folder / "8.spool")
            << kHead << kTimeline << '\n'
            << R"({"t":"device","id":1,"ordinal":0,"name":"GPU"})" << '\n'
            << copy(2, 3, "9000000000") << copy(2, 3, "100000000") << copy(0, 1, "9000000000")
            << "{\"t\":\"end\"}\n";
    });
    CHECK(hasIssue(p, "copy-times-impossible"));
    CHECK(p.timeline.transfers.size() == 2);
}

TEST_CASE("a sparse file of many gigabytes is read up to its first line that is too long") {
    const Profile p = besideAGoodSpool([](const auto& folder) {
        std::ofstream(folder / "8.spool") << kHead << '\n';
        std::filesystem::resize_file(folder / "8.spool", std::uintmax_t{1} << 40);
    });
    CHECK(p.launches.size() == 2);  // launches before the damage are kept
    CHECK(hasIssue(p, "spool-damaged"));
    CHECK(hasIssue(p, "spool-large"));
}

TEST_CASE("lines that the library never writes are left out, and the rest is kept") {
    const std::string device = R"({"t":"device","id":1,"name":"GPU","chip":"GH100",)";
    const std::string launch = R"({"t":"launch","n":1,"k":0,"d":0,"s":0,)";
    const std::string times = R"({"t":"times","rows":)";
    const std::string calls = R"({"t":"calls","rows":)";
    const std::vector<std::string> lines{
        device + R"("sms":132,"memory":-1})",
        device + R"("sms":-132})",
        device + R"("sms":1,"memory":18446744073709551615})",
        device + R"("sms":1,"sm_hz":-1e9})",
        launch + R"("g":[0,1,1],"b":[32,1,1]})",
        launch + R"("g":[1,1,1],"b":[32,-1,1]})",
        launch + R"("g":[4294967295,4294967295,4294967295],"b":[1,1,1]})",
        launch + R"("g":[1,1,1],"b":[1,1,1],"m":-5})",
        launch + R"("g":[1,1,1],"b":[1,1,1],"r":99})",
        R"({"t":"launch","n":-1,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1]})",
        R"({"t":"launch","n":18446744073709551615,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1]})",
        R"({"t":"time","c":1,"b":-5,"e":-4})",
        R"({"t":"time","c":1,"b":18446744073709551615,"e":18446744073709551615})",
        times + R"(2,"c":[1],"b":[5,5],"l":[1,1],"x":1,"s":1})",
        times + R"(1000000000000,"c":1,"b":5,"l":1,"x":1,"s":1})",
        times + R"(2,"c":[1,9223372036854775807],"b":[5,5],"l":[1,1],"x":1,"s":1})",
        times + R"(1,"c":1,"b":5,"l":-1,"x":1,"s":1})",
        calls + R"(1,"k":-1,"th":0,"b":5,"l":1,"c":0})",
        calls + R"(1,"k":0,"th":0.5,"b":5,"l":1,"c":0})",
        R"({"t":"call-name","id":0,"name":"x","kind":99})",
        R"({"t":"transfers","rows":1,"k":77})",
        R"({"t":"buffer","id":0,"allocation":0,"offset":-1,"bytes":4})",
        R"({"t":"source","n":0,"k":0,"files":[],"metrics":[],"rows":[[8,-1,0,[]],[8,-1,0,[]]]})",
        R"({"t":[[[[[[[[[[]]]]]]]]]]})",
        "null",
        "[]",
        "7",
        "\"t\"",
        "{}"};
    for (const std::string& line : lines) {
        INFO(line);
        const Profile p = besideAGoodSpool([&](const auto& folder) {
            std::ofstream(folder / "8.spool") << kHead << line << "\n{\"t\":\"end\"}\n";
        });
        CHECK(p.launches.size() == 2);
        CHECK(hasIssue(p, "spool-damaged"));
    }
}

TEST_CASE("a rank that is not below the world size is ignored") {
    const Profile p = besideAGoodSpool([](const auto& folder) {
        std::ofstream(folder / "8.spool") << R"({"t":"process","pid":8,"rank":5,"world_size":2})"
                                          << "\n{\"t\":\"end\"}\n";
    });
    REQUIRE(p.processes.size() == 2);
    CHECK_FALSE(p.processes[1].rank);
}

TEST_CASE("a cubin is taken only where it is a file among the spools itself") {
    const test::TemporaryFolder folder;
    REQUIRE(mkfifo((folder.path() / "fifo.cubin").c_str(), 0600) == 0);
    std::ofstream(folder.file("k.cubin")) << "code";
    std::ofstream file(folder.file("8.spool"));
    file << kHead;
    for (const char* cubin : {"fifo.cubin", "../k.cubin", "missing.cubin", "k.cubin"})
        file
            << R"({"t":"source","n":0,"k":0,"files":[],"metrics":[],"rows":[],"function":"f","cubin":")"
            << cubin << "\"}\n";
    file << "{\"t\":\"end\"}\n";
    file.close();
    SpoolDetails details;
    const auto p = readSpools(folder.path(), &details);
    REQUIRE(p.ok());
    CHECK(p->sources.size() == 4);
    REQUIRE(details.code.size() == 1);
    CHECK(details.code[0].source == 3);
    CHECK(details.code[0].cubin == folder.path() / "k.cubin");
    CHECK(details.code[0].function == "f");
}

TEST_CASE("lines that no file has end at once") {
    for (const char* line : {"4294967285", "4294967286", "4294967295", "0", "16777217"}) {
        Profile p = parseSpool(
            kHead + R"({"t":"source","n":0,"k":0,"metrics":["a"],"files":["/etc/hostname"],)" +
                "\"rows\":[[0,0," + line + ",[8]]]}\n{\"t\":\"end\"}\n",
            "7.spool");
        REQUIRE(p.sources.size() == 1);
        addCode(p, {});
        CHECK(p.sources[0].texts.empty());
    }
}

TEST_CASE("a value that its member cannot hold is refused, and nothing of its line is kept") {
    const std::string launch = R"({"t":"launch","n":1,"k":0,"d":0,"g":[1,1,1],"b":[1,1,1],"s":)";
    const auto launches = [&](const std::string& line) {
        const Profile p = parseSpool(kHead + line + "\n{\"t\":\"end\"}\n", "7.spool");
        CHECK(hasIssue(p, "spool-damaged") == (p.launches.size() == 1));
        return p.launches.size();
    };
    CHECK(launches(launch + "4294967295}") == 2);
    for (const char* stream :
         {"4294967296", "4294967297", "-1", "1.5", "1.0", "1e3", "true", "\"1\"", "null", "[1]"}) {
        INFO(stream);
        CHECK(launches(launch + stream + "}") == 1);
    }
    // The largest number that a profile can hold, and the next one.
    CHECK(launches(launch + R"(0,"m":9007199254740992})") == 2);
    CHECK(launches(launch + R"(0,"m":9007199254740993})") == 1);
    CHECK(launches(launch + R"(0,"graph":1})") == 1);
    CHECK(launches(launch + R"(0,"c":[1,1]})") == 1);
    CHECK(launches(launch + R"(0,"c":[1,1,1,1]})") == 1);
}

TEST_CASE("a table has as many rows as it has numbers") {
    // Otherwise a short line could claim any amount of memory.
    const std::string rest = R"(,"c":1,"x":1,"s":1,"l":1,"b":)";
    for (const auto& [rows, good] :
         {std::pair(R"({"t":"times","rows":1)" + rest + "5}", true),
          std::pair(R"({"t":"times","rows":2)" + rest + "[5,1]}", true),
          std::pair(R"({"t":"times","rows":2)" + rest + "5}", false),
          std::pair(R"({"t":"times","rows":1000000)" + rest + "5}", false),
          std::pair(R"({"t":"times","rows":3)" + rest + "[5,1]}", false)}) {
        INFO(rows);
        const Profile p = parseSpool(kHead + rows + "\n{\"t\":\"end\"}\n", "7.spool");
        CHECK(hasIssue(p, "spool-damaged") != good);
    }
}

TEST_CASE("times that a profile cannot hold beside each other are refused") {
    // Distances of 2^53 ns and more cannot be read back from a profile.
    const std::string timed = kHead + R"({"t":"device","id":1,"ordinal":0,"name":"GPU"}
{"t":"timeline","copies":true,"waits":true,"launches":true,"allocations":false,"loads":true,"graphs":false,"ranges":true}
{"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1],"corr":5,"counted":false}
{"t":"times","rows":1,"c":5,"x":1,"s":1,"b":1700000000000000000,"l":10}
)";
    const std::string copy =
        R"({"t":"transfers","rows":1,"k":0,"from":1,"to":3,"d":0,"peer":-1,"x":1,"s":7,"bytes":64,"c":8,"graph":0,)";
    const auto read = [&](const std::string& lines) {
        Profile p = parseSpool(timed + lines + "\n{\"t\":\"end\"}\n", "7.spool");
        const auto again = parseProfile(formatProfile(p), "again");
        if (!again) FAIL(again.error().message());
        return p;
    };
    const Profile good = read(copy + R"("b":1700000000000000100,"l":1000000000})");
    REQUIRE(good.timeline.transfers.size() == 1);
    CHECK(good.timeline.transfers[0].time == TimeSpan{100, 1000000100});
    CHECK_FALSE(hasIssue(good, "spool-damaged"));
    REQUIRE(good.processes[0].timeline);
    CHECK(good.processes[0].timeline->copies);
    for (const char* times :
         {R"("b":1700000000000000000,"l":1000000000000000000})", R"("b":1000,"l":5})",
          R"("b":2305843009213693952,"l":0})", R"("b":2305843009213693951,"l":5})"}) {
        INFO(times);
        const Profile p = read(copy + times);
        CHECK(p.timeline.transfers.empty());
        CHECK(p.launches.at(1).start == Seconds{0});
        CHECK(hasIssue(p, "spool-damaged"));
        // What is left of the timeline is incomplete.
        REQUIRE(p.processes[0].timeline);
        CHECK_FALSE(p.processes[0].timeline->copies);
    }
    for (const char* line :
         {R"({"t":"profiler","on":true,"at":1000})", R"({"t":"time","c":9,"b":1000,"e":2000})",
          R"({"t":"begun","rows":1,"n":0,"r":0,"th":0,"b":1000})",
          R"({"t":"left","rows":1,"n":0,"e":1000})",
          R"({"t":"calls","rows":1,"k":0,"th":0,"c":0,"b":1000,"l":1})"}) {
        INFO(line);
        CHECK(hasIssue(read(line), "spool-damaged"));
    }
    // Two processes share one clock.
    const Profile two =
        parseSpools(std::array{SpoolText{timed, "7.spool"}, SpoolText{R"({"t":"process","pid":8}
{"t":"profiler","on":true,"at":1000}
{"t":"end"}
)",
                                                                      "8.spool"}});
    CHECK(std::ranges::any_of(two.issues, [](const Issue& i) {
        return i.message == "1 line of 8.spool could not be read (disk full?)";
    }));
}

TEST_CASE("forged spools are read in time in proportion to their size") {
    constexpr int kMany = 100'000;
    const std::string launch = R"(,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[32,1,1],"corr":)";
    const std::string head = kHead.substr(0, kHead.find("{\"t\":\"launch\""));
    const auto read = [&](const std::function<std::string(int)>& line, int count) {
        std::string text = head;
        for (int i = 0; i < count; ++i) text += line(i) + "\n";
        const std::clock_t from = std::clock();  // CPU time, as the machine may be busy
        Profile p = parseSpool(text, "7.spool");
        CHECK(std::clock() - from < 20 * CLOCKS_PER_SEC);
        CHECK(p.launches.size() == kMany);
        return p;
    };
    const auto times = [](int i, const char* more) {
        return "{\"t\":\"time\",\"c\":5,\"b\":" + std::to_string(10 * i) +
               ",\"e\":" + std::to_string(10 * i + 5) + more + "}";
    };
    // One correlation id for all, as launches and as nodes of a graph that ran something else.
    const Profile same = read(
        [&](int i) {
            return i < kMany ? "{\"t\":\"launch\",\"n\":" + std::to_string(i) + launch + "5}"
                             : times(i, "");
        },
        2 * kMany);
    CHECK(same.launches.back().duration);
    (void)read(
        [&](int i) {
            return i < kMany ? "{\"t\":\"launch\",\"n\":" + std::to_string(i) + launch +
                                   "5,\"graph\":true}"
                             : times(i, ",\"k\":\"other\",\"g\":[1,1,1]");
        },
        2 * kMany);
    // Ranges that all contain all launches.
    (void)read(
        [&](int i) {
            return i < kMany
                       ? "{\"t\":\"launch\",\"n\":" + std::to_string(i) + launch +
                             std::to_string(i) + "}"
                       : R"({"t":"range-end","r":0,"d":0,"depth":0,"launches":1,"from":0,"to":100000,"o":)" +
                             std::to_string(i) + "}";
        },
        kMany + 20'000);
}

TEST_CASE("a time with a decimal point or beyond 64 bits is refused") {
    for (const char* time : {"5e96", "-5e96", "1e19", "18446744073709551615", "2.5", "true"}) {
        Profile p = parseSpool(kHead + "{\"t\":\"time\",\"c\":5,\"b\":" + time + ",\"e\":" + time +
                                   "}\n{\"t\":\"profiler\",\"on\":true,\"at\":" + time +
                                   "}\n{\"t\":\"end\"}\n",
                               "7.spool");
        REQUIRE(p.issues.size() == 1);
        CHECK(p.issues.front().message == "2 lines of 7.spool could not be read (disk full?)");
    }
}

TEST_CASE("a range without a name counts as no range") {
    Profile p = parseSpool(kHead + R"({"t":"range","id":7}
{"t":"launch","n":1,"k":0,"d":0,"s":0,"g":[4,1,1],"b":[256,1,1],"r":7}
{"t":"end"}
)",
                           "7.spool");
    CHECK(validateProfile(p, "p").ok());
    CHECK(p.launches.size() == 1);
}

TEST_CASE("copies from host memory of a site, by size") {
    Profile p = parseSpool(
        kHead +
            R"({"t":"site","call":"cuMemcpyHtoDAsync","count":9,"file":"/a/train.py","line":8,"function":"f","copied":[[64000000,12,12,11,1,5],[100000,3,0,0,0,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":9,"copied":[[64,1,2,0,1,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":10,"copied":[[0,1,1,0,1,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":11,"copied":[[64,1,1,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":12,"copied":[[-64,1,1,0,1,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":13,"copied":7}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":14,"copied":[[64,3,2,1,0,0]]}
{"t":"site","call":"cuMemcpyHtoDAsync","count":1,"line":15,"copied":[[64,3,3,1,2,2]]}
{"t":"site","k":0,"count":1,"line":16,"copied":[[64,1,1,0,1,0]]}
{"t":"end"}
)",
        "7.spool");
    REQUIRE(p.callSites.size() == 1);
    CHECK(p.callSites[0].hostCopies ==
          std::vector<HostCopies>{
              {.bytes = 64000000,
               .copies = 12,
               .read = 12,
               .repeated = 11,
               .distinct = 1,
               .inTurn = 5},
              {.bytes = 100000, .copies = 3, .read = 0, .repeated = 0, .distinct = 0}});
    const auto again = parseProfile(formatProfile(p), "again");
    REQUIRE(again);
    CHECK(again->callSites == p.callSites);
    // The same line in two ranks.
    CallSiteIndex(p.callSites).add(CallSite(p.callSites[0]));
    REQUIRE(p.callSites.size() == 1);
    CHECK(p.callSites[0].count == 18);
    CHECK(p.callSites[0].hostCopies[0] == HostCopies{.bytes = 64000000,
                                                     .copies = 24,
                                                     .read = 24,
                                                     .repeated = 22,
                                                     .distinct = 2,
                                                     .inTurn = 10});
}

TEST_CASE("a launch site with its operator, and what it is the backward pass of") {
    Profile p = parseSpool(
        kHead +
            R"({"t":"site","k":0,"count":6,"file":"/a/train.py","line":12,"function":"f","op":"aten::gelu","sizes":"[2048, 4096]"}
{"t":"site","k":0,"count":5,"file":"/a/train.py","line":20,"function":"main","indirect":true,"op":"aten::gelu_backward","backward":"GeluBackward0","forward":{"file":"/a/train.py","line":12,"function":"f"}}
{"t":"site","k":0,"count":1,"op":"aten::mm"}
{"t":"site","k":0,"count":1,"op":"aten::mm","forward":[1]}
{"t":"site","k":0,"count":1,"op":7}
{"t":"end"}
)",
        "7.spool");
    REQUIRE(p.callSites.size() == 3);
    CHECK(p.callSites[0].op == "aten::gelu");
    CHECK(p.callSites[0].sizes == "[2048, 4096]");
    CHECK(p.callSites[0].forward == CodeLine());
    CHECK(p.callSites[1].backward == "GeluBackward0");
    CHECK(p.callSites[1].forward == CodeLine{.file = "/a/train.py", .line = 12, .function = "f"});
    CHECK(p.callSites[2].file.empty());  // Python before 3.12 does not tell the running line
    const auto again = parseProfile(formatProfile(p), "again");
    REQUIRE(again);
    CHECK(again->callSites == p.callSites);
}
