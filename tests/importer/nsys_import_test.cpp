// SPDX-License-Identifier: Apache-2.0
// Recordings of Nsight Systems, as nsys exports them.
#include "importer/nsys/nsys_import.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "importer/any_file/any_profile.h"
#include "profile/codec/codec.h"
#include "tests/importer/nsys_tables.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::test::NsysTables;
using roofscope::test::SqliteText;

namespace {

Profile importedNsys(const NsysTables& tables) {
    auto profile = importNsysDatabase(tables.bytes(), "test", "1.0");
    INFO((profile.ok() ? "" : profile.error().message()));
    REQUIRE(profile.ok());
    const auto again = parseProfile(formatProfile(*profile), "again");
    REQUIRE(again.ok());
    CHECK(again->timeline == profile->timeline);
    return *std::move(profile);
}

bool noted(const Profile& profile, std::string_view code) {
    return std::ranges::find(profile.issues, code, &Issue::code) != profile.issues.end();
}

/// A pageable copy, two kernels in a range, a wait.
NsysTables smallTables() {
    NsysTables tables;
    tables.call("cudaMemcpyAsync_v3020", 1000, 9000, 1)
        .copy(1, 0, 2, 4000, 8000, 4096, 1)
        .call("cudaLaunchKernel_v7000", 10'000, 12'000, 2)
        .kernel("first", 13'000, 20'000, 2)
        .call("cudaLaunchKernel_v7000", 14'000, 15'000, 3)
        .kernel("second", 21'000, 30'000, 3)
        .call("cudaMemsetAsync", 16'000, 17'000, 4)
        .memset(30'500, 31'000, 64, 4)
        .call("cudaDeviceSynchronize_v3020", 18'000, 32'000, 5)
        .range("step", 500, 33'000)
        .threadName(100, "main");
    return tables;
}

}  // namespace

TEST_CASE("an export of nsys becomes a profile") {
    const Profile profile = importedNsys(smallTables());
    CHECK(profile.capture.origin == "imported");
    CHECK(profile.capture.strategy == "imported from Nsight Systems");
    CHECK(profile.capture.createdUtc == "2023-11-14T22:13:20Z");
    REQUIRE(profile.processes.size() == 1);
    CHECK(profile.processes[0].pid == 100);
    CHECK(profile.processes[0].host == "box");
    CHECK(profile.processes[0].driverVersion == 12040);
    CHECK(profile.processes[0].clockZero == 1'700'000'000'000'013'000ULL);
    REQUIRE(profile.devices.size() == 1);
    CHECK(profile.devices[0].name == "Test GPU");
    CHECK(profile.devices[0].chip == "GA100");
    CHECK(profile.devices[0].uuid == "GPU-0aac");
    CHECK(profile.devices[0].smCount == 108);
    CHECK(profile.devices[0].maxThreadsPerSm == 2048U);
    CHECK(profile.devices[0].computeMajor == 8);

    REQUIRE(profile.launches.size() == 2);
    const Launch& launch = profile.launches[0];
    CHECK(launch.start == Seconds{0});
    CHECK(launch.duration->value == Approx(7e-6));
    CHECK(launch.grid == Dim3{64, 2, 1});
    CHECK(launch.block == Dim3{128, 1, 1});
    CHECK(launch.dynamicSharedBytes == 1024);
    const Kernel& kernel = profile.kernels[launch.kernel];
    CHECK(kernel.name == "first(int)");
    CHECK(kernel.symbol == "_Zfirst");
    CHECK(kernel.registersPerThread == 40U);
    CHECK(kernel.staticSharedBytes == 256U);
    CHECK(profile.ranges.at(launch.range.value()) == "step");

    const Timeline& t = profile.timeline;
    REQUIRE(t.transfers.size() == 2);
    CHECK(t.transfers[0].kind == TransferKind::HostToDevice);
    CHECK(t.transfers[0].source == MemoryKind::Pageable);
    CHECK(t.transfers[0].target == MemoryKind::Device);
    CHECK(t.transfers[0].bytes == 4096);
    CHECK(t.transfers[0].time == TimeSpan{-9000, -5000});
    CHECK(t.transfers[1].kind == TransferKind::Memset);
    REQUIRE(t.calls.size() == 5);
    CHECK(t.calls[1].work == 0U);
    CHECK(t.calls[2].work == 1U);
    CHECK(t.callNames[t.calls[4].name].kind == CallKind::Wait);
    CHECK(t.threads[0].name == "main");
    REQUIRE(t.ranges.size() == 1);
    CHECK(t.ranges[0].gpu == TimeSpan{-9000, 18'000});
    const TimelineParts parts = *profile.processes[0].timeline;
    CHECK((parts.copies && parts.waits && parts.launches && parts.ranges));
    CHECK_FALSE(parts.loads);
    // What cannot be known is reported once.
    CHECK(std::ranges::count(profile.issues, "trace-times-only", &Issue::code) == 1);
    CHECK(profile.issues.size() == 1);
}

TEST_CASE("processes of one export stay apart, on one clock") {
    NsysTables tables = smallTables();
    tables.call("cudaLaunchKernel", 20'000, 21'000, 2, 200, 200)
        .kernel("other", 25'000, 26'000, 2, nullptr, 200, 1)
        .range("mine", 19'000, 27'000, 59, 200);
    const Profile profile = importedNsys(tables);
    REQUIRE(profile.processes.size() == 2);
    CHECK(profile.processes[0].pid == 100);
    CHECK(profile.processes[1].pid == 200);
    CHECK(profile.processes[0].clockZero == profile.processes[1].clockZero);
    REQUIRE(profile.launches.size() == 3);
    CHECK(profile.launches[2].start->value == Approx(12e-6));
    CHECK(profile.launches[2].process == 1);
    CHECK(profile.devices.size() == 2);
    // Both used the correlation number 2.
    CHECK(profile.timeline.calls[5].work == 2U);
    CHECK(noted(profile, "trace-times-only"));
}

TEST_CASE("graphs by node, and graphs as a whole") {
    NsysTables nodes = smallTables();
    nodes.call("cudaGraphLaunch_v10000", 40'000, 41'000, 9)
        .kernel("a", 42'000, 50'000, 9, 1001)
        .kernel("b", 43'000, 49'000, 9, 1002);
    const Profile byNode = importedNsys(nodes);
    CHECK(byNode.launches[2].fromGraph);
    CHECK(byNode.launches[3].fromGraph);
    CHECK_FALSE(noted(byNode, "times-impossible"));
    CHECK_FALSE(noted(byNode, "trace-graphs-whole"));

    NsysTables whole = smallTables();
    whole.call("cudaGraphLaunch_v10000", 40'000, 41'000, 9).graph(42'000, 50'000, 9);
    const Profile asWhole = importedNsys(whole);
    CHECK(asWhole.launches.size() == 2);
    REQUIRE(asWhole.timeline.untimed.size() == 1);
    CHECK(asWhole.timeline.untimed[0].time == TimeSpan{29'000, 37'000});
    CHECK(noted(asWhole, "trace-graphs-whole"));

    NsysTables only;
    only.call("cudaGraphLaunch", 1, 2, 9).graph(3, 4, 9);
    const auto none = importNsysDatabase(only.bytes(), "test", "1.0");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().message().find("--cuda-graph-trace=node") != std::string::npos);
}

TEST_CASE("kinds of copies and memory") {
    NsysTables tables = smallTables();
    tables.copy(2, 2, 1, 50'000, 51'000, 8, 20)
        .copy(8, 2, 2, 52'000, 53'000, 8, 21)
        .copy(10, 2, 2, 54'000, 55'000, 8, 22)
        .copy(9, 0, 1, 56'000, 57'000, 8, 23)
        .copy(99, 99, -1, 58'000, 59'000, 8, 24)
        .copy(11, 4, 4, 60'000, 61'000, 8, 0);
    const Profile profile = importedNsys(tables);
    std::vector<TransferKind> kinds;
    for (const Transfer& t : profile.timeline.transfers) kinds.push_back(t.kind);
    CHECK(kinds == std::vector<TransferKind>{TransferKind::HostToDevice, TransferKind::Memset,
                                             TransferKind::DeviceToHost, TransferKind::OnDevice,
                                             TransferKind::BetweenDevices, TransferKind::HostToHost,
                                             TransferKind::Other});
    CHECK(profile.timeline.transfers[2].target == MemoryKind::Pinned);
    CHECK(profile.timeline.transfers[6].source == MemoryKind::Unknown);
    CHECK(noted(profile, "trace-page-moves-left-out"));
}

TEST_CASE("ranges: only push and pop; one that is open ends with the recording") {
    NsysTables tables = smallTables();
    tables.range("mark", 600, nullptr, 34).range("across threads", 600, 700, 60);
    tables.range("open", 9500, nullptr);
    const Profile profile = importedNsys(tables);
    CHECK(profile.ranges == std::vector<std::string>{"step", "step > open"});
    CHECK(profile.timeline.ranges.size() == 2);
    CHECK(profile.timeline.ranges[1].time == TimeSpan{-3500, 20'000});
    tables.range("back", 9000, 8000);
    CHECK_FALSE(importedNsys(tables).processes[0].timeline->ranges);
}

TEST_CASE("a call that is written twice counts once") {
    NsysTables tables = smallTables();
    tables.call("cudaLaunchKernel", 40'000, 45'000, 9)
        .call("cudaLaunchKernel_v7000", 41'000, 44'000, 9)
        .kernel("third", 42'000, 50'000, 9)
        .call("cudaLaunchKernel", 50'000, 51'000, 10);
    const Profile profile = importedNsys(tables);
    REQUIRE(profile.timeline.calls.size() == 7);
    CHECK(profile.timeline.callNames[profile.timeline.calls[5].name].name == "cudaLaunchKernel");
    CHECK(profile.timeline.calls[5].work == 2U);
}

TEST_CASE("work of nsys itself counts where it held up a thread that calls CUDA") {
    NsysTables tables = smallTables();
    tables.overhead("CUPTI: Buffer flush", 9200, 9800).overhead("backtraces", 1, 40'000, 555);
    const Profile profile = importedNsys(tables);
    CHECK(noted(profile, "trace-profiler-overhead"));
    const auto& names = profile.timeline.callNames;
    CHECK(std::ranges::count_if(names, [](const CallName& name) {
              return name.name.find("Buffer flush") != std::string::npos;
          }) == 1);
    CHECK(std::ranges::count_if(names, [](const CallName& name) {
              return name.name.find("backtraces") != std::string::npos;
          }) == 0);
}

TEST_CASE("times that cannot be, in an export") {
    NsysTables tables = smallTables();
    tables.kernel("back", 60'000, 50'000, 30).kernel("untimed", 0, 0, 31);
    tables.call("cudaLaunchKernel", 9'000'000, 9'001'000, 32)
        .kernel("early", 5'000'000, 5'001'000, 32);
    const Profile profile = importedNsys(tables);
    CHECK(profile.launches.size() == 5);
    CHECK(std::ranges::count_if(profile.launches,
                                [](const Launch& l) { return l.start.has_value(); }) == 2);
    CHECK(noted(profile, "trace-times-impossible"));
    CHECK(noted(profile, "times-impossible"));
}

TEST_CASE("other columns and tables, and databases of others") {
    // A version with few columns.
    SqliteText old;
    old.table("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)", {{nullptr, "k"}});
    old.table("CREATE TABLE ANALYSIS_DETAILS (duration INT)", {{1}});
    old.table("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, shortName INT)",
              {{5, 9, 1}, {10, 12, 1}});
    const auto profile = importNsysDatabase(old.bytes(), "test", "1.0");
    REQUIRE(profile.ok());
    CHECK(profile->launches.size() == 2);
    CHECK(profile->kernels[0].name == "k");
    CHECK(profile->launches[1].duration->value == Approx(2e-9));
    CHECK(noted(*profile, "trace-without-calls"));

    const auto says = [](const std::string& bytes) {
        const auto result = importNsysDatabase(bytes, "test", "1.0");
        REQUIRE_FALSE(result.ok());
        CHECK(result.error().code == ErrorCode::BadData);
        return result.error().message();
    };
    SqliteText other;
    other.table("CREATE TABLE bookmarks (id INTEGER PRIMARY KEY)", {});
    CHECK(says(other.bytes()).find("none that Nsight Systems exported") != std::string::npos);
    CHECK(says(NsysTables().bytes()).find("without kernels or copies") != std::string::npos);
    const std::string cut = smallTables().bytes();
    CHECK(says(cut.substr(0, cut.size() / 2)).find("cut off") != std::string::npos);
    const auto few = importNsysDatabase(smallTables().bytes(), "test", "1.0", {.maxRows = 3});
    REQUIRE_FALSE(few.ok());
    CHECK(few.error().what == "more than 3 events");
}

TEST_CASE("files of nsys open like any profile; a report needs nsys") {
    const test::TemporaryFolder folder;
    const auto database = folder.path() / "app.sqlite", report = folder.path() / "app.nsys-rep";
    std::ofstream(database, std::ios::binary) << smallTables().bytes();
    std::ofstream(report) << "NVIDIA Tegra Profiler Report 2025";
    std::vector<std::string> ran;
    const RunProgram nsys = [&](const std::vector<std::string>& command,
                                std::uint64_t) -> Result<std::string> {
        ran = command;
        if (command.size() != 7) return Error{.what = "other arguments"};
        std::filesystem::copy_file(database, command[5]);
        return std::string("exported");
    };
    const auto direct = readAnyProfile(database, "1.0", nsys, "");
    REQUIRE(direct.ok());
    CHECK(ran.empty());
    CHECK(direct->launches.size() == 2);

    const std::string path = std::getenv("PATH");
    setenv("PATH", folder.path().c_str(), 1);
    const auto without = readAnyProfile(report, "1.0", nsys, "");
    const auto program = folder.path() / "nsys";
    std::ofstream(program) << "#!/bin/sh\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto with = readAnyProfile(report, "1.0", nsys, "");
    setenv("PATH", path.c_str(), 1);
    REQUIRE_FALSE(without.ok());
    CHECK(without.error().code == ErrorCode::Unavailable);
    CHECK(without.error().message().find("nsys export --type sqlite") != std::string::npos);
    REQUIRE(with.ok());
    CHECK(with->launches.size() == 2);
    CHECK(std::vector(ran.begin() + 1, ran.begin() + 5) ==
          std::vector<std::string>{"export", "--type", "sqlite", "--output"});
    CHECK(ran[6] == report.string());
    CHECK_FALSE(std::filesystem::exists(ran[5]));  // nothing is left behind
}
