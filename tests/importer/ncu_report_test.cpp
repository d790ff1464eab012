// SPDX-License-Identifier: Apache-2.0
// Reports of Nsight Compute, read without it. They are made in code; docs/import.md says which
// public ones were tried.
#include <limits>
#include <string>
#include <vector>

#include "importer/import.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/made_ncu_report.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

Profile importedReport(const MadeReport& report) {
    auto profile = importNcuReport(madeBytes(report), "app.ncu-rep", {.toolVersion = "1.0"});
    if (!profile.ok()) FAIL(profile.error().message());
    REQUIRE(validateProfile(*profile, "test").ok());
    return *profile;
}

Error refusedReport(const std::string& bytes, ErrorCode code = ErrorCode::BadData,
                    const ImportLimits& limits = {}) {
    auto profile = importNcuReport(bytes, "app.ncu-rep", {.limits = limits});
    REQUIRE_FALSE(profile.ok());
    const Error& error = profile.error();
    CHECK(error.code == code);
    CHECK(error.where.starts_with("app.ncu-rep"));
    CHECK_FALSE(error.what.empty());
    CHECK(error.what.find('\n') == std::string::npos);
    // Errors after which ncu is tried instead get their advice there.
    if (code == ErrorCode::BadData) CHECK_FALSE(error.advice.empty());
    return error;
}

bool mentions(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

/// A launch like one of a real report; raw.csv below says the same.
MadeLaunch fullLaunch() {
    MadeLaunch launch;
    launch.metrics = {
        {"smsp__inst_executed.sum", made(std::uint64_t{46'137'344})},
        {"launch__registers_per_thread", made(std::uint32_t{40})},
        {"launch__shared_mem_per_block_static", made(std::uint64_t{4096})},
        {"launch__shared_mem_per_block_dynamic", made(std::uint64_t{2048})},
        {"launch__occupancy_limit_blocks", made(32.0)},
        {"launch__occupancy_limit_registers", made(5.0)},
        {"launch__occupancy_limit_shared_mem", made(9.0)},
        {"launch__occupancy_limit_warps", made(8.0)},
        {"launch__cluster_dim_x", made(std::uint64_t{2})},
        {"launch__cluster_dim_y", made(std::uint64_t{1})},
        {"launch__cluster_dim_z", made(std::uint64_t{1})},
        {"launch__func_cache_config", made("CachePreferNone")},
        {"device__attribute_display_name", made("NVIDIA H200")},
        {"device__attribute_device_index", made(std::uint64_t{0})},
        {"device__attribute_compute_capability_major", made(std::uint64_t{9})},
        {"device__attribute_compute_capability_minor", made(std::uint64_t{0})},
        {"device__attribute_chip", made(std::uint64_t{384})},
        {"device__attribute_multiprocessor_count", made(std::uint64_t{132})},
        {"device__attribute_l2_cache_size", made(std::uint64_t{62'914'560})},
        {"device__attribute_clock_rate", made(std::uint64_t{1'980'000})},
        {"dram__bytes.sum.peak_sustained", made(1504.0)},
        {"profiler__replayer_passes", made(38.0)},
        {"gpu__time_duration.sum", made(198'784.0)},
        {"dram__bytes_read.sum", made(268'455'680.0)},
        {"lts__t_sector_hit_rate.pct", made(50.25F)},
        {"sm__maximum_warps_avg_per_active_cycle", made(std::numeric_limits<double>::quiet_NaN())},
        {"breakdown:sm__throughput.avg", made("idc__requests.avg,…")}};
    launch.domains = {{"outer", "a \"quoted\" one"}};
    return launch;
}

const std::string kFullCsv =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",)csv"
    R"csv("device__attribute_chip","device__attribute_clock_rate","device__attribute_compute_capability_major","device__attribute_compute_capability_minor","device__attribute_device_index","device__attribute_display_name","device__attribute_l2_cache_size","device__attribute_multiprocessor_count",)csv"
    R"csv("dram__bytes.sum.peak_sustained","dram__bytes_read.sum","gpu__time_duration.sum","launch__cluster_dim_x","launch__cluster_dim_y","launch__cluster_dim_z","launch__func_cache_config",)csv"
    R"csv("launch__occupancy_limit_blocks","launch__occupancy_limit_registers","launch__occupancy_limit_shared_mem","launch__occupancy_limit_warps","launch__registers_per_thread","launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static",)csv"
    R"csv("lts__t_sector_hit_rate.pct","profiler__replayer_passes","sm__maximum_warps_avg_per_active_cycle","smsp__inst_executed.sum")csv"
    "\n"
    R"csv("","","","","","","","","","","","",)csv"
    R"csv("","","","","","","","","byte/cycle","byte","nsecond","","","","",)csv"
    R"csv("block","block","block","block","register/thread","byte/block","byte/block","%","","warp","inst")csv"
    "\n"
    R"csv("0","42","app","127.0.0.1","k(float *)","1","7","(256, 2, 1)","(1024, 1, 1)","0","9.0","77  ""<default domain>:outer:none:none:none:none:none:none""  ""<default domain>:a ""quoted"" one:none:none:none:none:none:none"" ",)csv"
    R"csv("384","1,980,000","9","0","0","NVIDIA H200","62,914,560","132","1,504","268,455,680","198,784","2","1","1","CachePreferNone",)csv"
    R"csv("32","5","9","8","40","2,048","4,096","50.25","38","nan","46,137,344")csv"
    "\n";

WireWriter sessionOf(const std::string& commandLine) {
    return std::move(WireWriter().bytes(11, commandLine));
}

}  // namespace

TEST_CASE("ncu report: the same profile as from the raw page of the same launch") {
    Profile report = importedReport({.launches = {fullLaunch(), fullLaunch()}});
    std::string csv = kFullCsv;
    csv += kFullCsv.substr(kFullCsv.find("\n\"0\",") + 1);
    auto fromCsv = importNcuCsv(csv, "raw.csv", {.toolVersion = "1.0"});
    REQUIRE(fromCsv.ok());
    // These are missing in the raw page.
    CHECK(report.kernels.at(0).symbol == "_Z1kPf");
    CHECK(fromCsv->kernels.at(0).symbol == "k(float *)");
    report.kernels[0].symbol = fromCsv->kernels[0].symbol;
    CHECK(report.capture.clockControl == "not in the report");
    CHECK(report.capture.cacheControl == "not in the report");
    report.capture.clockControl = report.capture.cacheControl = fromCsv->capture.clockControl;
    // Everything else is equal.
    CHECK(formatProfile(report) == formatProfile(*fromCsv));
    CHECK(report.ranges == std::vector<std::string>{"outer > a \"quoted\" one"});
    CHECK(report.counters.names().size() == 4);
    CHECK(report.counters.value("lts__t_sector_hit_rate.pct", 1) == 50.25);
    CHECK(report.devices.at(0).chip == "GH100");
    CHECK(report.launches.at(0).residentBlocksPerSm == 5U);
    CHECK(report.capture.passes == 38);
    CHECK(report.processes.at(0).launchesSeen == 2);
    CHECK(report.issues.empty());
}

TEST_CASE("ncu report: values of each type keep all digits") {
    MadeLaunch launch;
    launch.metrics = {{"a__double.sum", made(0.1)},
                      {"a__float.sum", made(0.1F)},
                      {"a__uint32.sum", made(std::uint32_t{4'294'967'295})},
                      {"a__uint64.sum", made(std::uint64_t{9'007'199'254'740'993})},
                      {"a__zero.sum", made(0.0)},
                      {"a__text.sum", made("12")},
                      {"a__none.sum", WireWriter()},
                      {"a__infinite.sum", made(std::numeric_limits<double>::infinity())}};
    const Profile p = importedReport({.launches = {launch}});
    CHECK(p.counters.value("a__double.sum", 0) == 0.1);
    CHECK(p.counters.value("a__float.sum", 0) == static_cast<double>(0.1F));
    CHECK(p.counters.value("a__uint32.sum", 0) == 4294967295.0);
    CHECK(p.counters.value("a__uint64.sum", 0) == 9007199254740992.0);
    CHECK(p.counters.value("a__zero.sum", 0) == 0.0);
    // What is no number is missing, not 0.
    CHECK(p.counters.names().size() == 5);
}

TEST_CASE("ncu report: a launch without a metric that another has, and a name table in two parts") {
    MadeLaunch first, second;
    first.metrics = {{"b__x.sum", made(1.0)}};
    second.metrics = {{"a__y.sum", made(2.0)}, {"b__x.sum", made(3.0)}};
    second.name = "other(int)";
    second.stream = 8;
    const Profile p = importedReport({.launches = {first, second}});
    CHECK(p.counters.value("b__x.sum", 0) == 1.0);
    CHECK_FALSE(p.counters.value("a__y.sum", 0));
    CHECK(p.counters.value("a__y.sum", 1) == 2.0);
    CHECK(p.counters.value("b__x.sum", 1) == 3.0);
    CHECK(p.kernels.size() == 2);
    CHECK(p.launches[0].stream == 0);
    CHECK(p.launches[1].stream == 1);
}

TEST_CASE("ncu report: how, when and where ncu ran") {
    const WireWriter machine = WireWriter().bytes(1, "Linux").bytes(5, "node7");
    MadeReport report{.launches = {fullLaunch()}};
    report.sessions = {
        WireWriter().varint(2, 1'763'377'100).message(3, machine),
        WireWriter().message(8, WireWriter()
                                    .bytes(1, "Nsight Compute Target")
                                    .bytes(2, "2024.2.1.0 (build 34372528) (public-release)")),
        WireWriter().message(8, WireWriter().bytes(1, "CUDA Version").bytes(2, "12.4")),
        WireWriter().message(4, machine),
        sessionOf("/opt/ncu --clock-control none --cache-control=all -o x ./app "
                  "--clock-control base")};
    const Profile p = importedReport(report);
    CHECK(p.capture.createdUtc == "2025-11-17T10:58:20Z");
    CHECK(p.capture.strategy == "imported from Nsight Compute 2024.2.1.0");
    CHECK(p.capture.clockControl == "none");
    CHECK(p.capture.cacheControl == "flush");
    using Words = std::vector<std::string>;
    CHECK(p.capture.command == Words{"./app", "--clock-control", "base"});
    CHECK(p.capture.toolCommand == Words{"ncu", "--clock-control", "none", "--cache-control=all"});
    CHECK(p.processes.at(0).host == "node7");
    CHECK(p.processes[0].pid == 42);
    CHECK(p.processes[0].driverVersion == 12040);

    // An option of the program is none of ncu's.
    report.sessions = {sessionOf("ncu -o x /home/somebody/app --clock-control none")};
    CHECK(importedReport(report).capture.clockControl == "not in the report");
    CHECK(importedReport(report).capture.createdUtc.empty());
    // The name of a kernel, and of the output, may be the program's.
    report.sessions = {sessionOf("/usr/bin/ncu -k app -f --export d/app --set full d/app 3 -o y ")};
    CHECK(importedReport(report).capture.command == Words{"d/app", "3", "-o", "y"});
    CHECK(importedReport(report).capture.toolCommand == Words{"ncu", "-k", "app", "--set", "full"});
    // Another process was profiled than the one that ncu started.
    report.sessions = {sessionOf("ncu --set full bash run.sh")};
    CHECK(importedReport(report).capture.command == Words{"app"});
    CHECK(importedReport(report).capture.toolCommand.empty());
    // Set in the window of Nsight Compute.
    report.sessions = {std::move(WireWriter().message(10, WireWriter().bytes(8, "Base")))};
    CHECK(importedReport(report).capture.clockControl == "base");
    report.sessions = {std::move(WireWriter().message(10, WireWriter().bytes(8, "\x1b[31m")))};
    CHECK(importedReport(report).capture.clockControl == "not in the report");
    report.sessions = {std::move(WireWriter().varint(2, ~std::uint64_t{0}))};
    CHECK(importedReport(report).capture.createdUtc.empty());
}

TEST_CASE("ncu report: ranges of all domains of the launching thread") {
    MadeLaunch launch;
    launch.domains = {{"step"}, {}, {"layer", "none", "mlp"}};
    CHECK(importedReport({.launches = {launch}}).ranges ==
          std::vector<std::string>{"step > layer > mlp"});
    launch.domains = {std::vector<std::string>(2000, "deep")};
    const Profile deep = importedReport({.launches = {launch}});
    CHECK(deep.ranges.at(0).size() < 1000);
    launch.domains = {{std::string("a\0b", 3)}};
    CHECK(importedReport({.launches = {launch}}).ranges == std::vector<std::string>{"a"});
}

TEST_CASE("ncu report: what is unknown is skipped") {
    MadeLaunch launch = fullLaunch();
    launch.more.varint(99, 1).bytes(98, "later").real32(35, 1.5F).bytes(13, "");
    // Known numbers with other encodings count as unknown.
    launch.more.varint(7, 1).real(10, 1.0).bytes(23, "x");
    MadeReport report{.launches = {launch}};
    report.sources = {"cubin", ""};
    report.sessions = {std::move(WireWriter().varint(77, 1).message(12, WireWriter()))};
    std::string bytes = madeBytes(report);
    auto profile = importNcuReport(bytes, "app.ncu-rep");
    REQUIRE(profile.ok());
    CHECK(profile->kernels.at(0).name == "k(float *)");
    CHECK(profile->launches.at(0).grid == Dim3{1024, 1, 1});
    CHECK(profile->issues.empty());
    report.ranges = {"range", "range"};
    profile = importNcuReport(madeBytes(report), "app.ncu-rep");
    REQUIRE(profile.ok());
    REQUIRE(profile->issues.size() == 1);
    CHECK(profile->issues[0].code == "ranges-left-out");
    CHECK(profile->launches.size() == 1);
}

TEST_CASE("ncu report: of two values for one launch the last counts, and a note says so") {
    MadeLaunch launch;
    launch.metrics = {{"gpu__time_duration.sum", made(6944.0)},
                      {"gpu__time_duration.sum", made(6944.0)}};
    CHECK(importedReport({.launches = {launch}}).issues.empty());
    launch.metrics.emplace_back("gpu__time_duration.sum", made(6880.0));
    const Profile p = importedReport({.launches = {launch}});
    CHECK(p.counters.value("gpu__time_duration.sum", 0) == 6880.0);
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "metric-repeated");
    CHECK(mentions(p.issues[0].message, "gpu__time_duration.sum"));
}

TEST_CASE("ncu report: a file cut off anywhere is refused, or ends between blocks") {
    MadeReport report{.launches = {fullLaunch(), fullLaunch()}};
    report.sources = {"cubin"};
    const std::string bytes = madeBytes(report);
    std::size_t whole = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto profile = importNcuReport(bytes.substr(0, size), "app.ncu-rep");
        INFO(size);
        if (profile) {
            ++whole;
            CHECK(profile->launches.size() == 1);
            continue;
        }
        CHECK(profile.error().where.starts_with("app.ncu-rep"));
        CHECK(profile.error().code == (size < 4 ? ErrorCode::Unavailable : ErrorCode::BadData));
    }
    CHECK(whole == 1);
}

TEST_CASE("ncu report: another format, and another version of it, are left to ncu") {
    CHECK(mentions(refusedReport("", ErrorCode::Unavailable).what, "NVR"));
    CHECK(mentions(refusedReport("PK\3\4", ErrorCode::Unavailable).what, "NVR"));
    const auto newer = refusedReport(madeBytes({.version = 8, .launches = {fullLaunch()}}),
                                     ErrorCode::Unavailable);
    CHECK(mentions(newer.what, "version 8"));
    CHECK(mentions(newer.what, "version 7"));
    refusedReport(std::string("NVR\0", 4) + madeSized(""), ErrorCode::Unavailable);
    // A group, an encoding that version 7 does not use.
    MadeLaunch launch;
    launch.more.raw("\x0B");
    refusedReport(madeBytes({.launches = {launch}}), ErrorCode::Unavailable);
    // A second table that repeats a name may be meant to replace the first.
    const auto table = WireWriter().message(4, WireWriter().bytes(1, "a__b").bytes(1, "a__b"));
    refusedReport(madeBeginning() + madeSized(table.text()), ErrorCode::Unavailable);
}

TEST_CASE("ncu report: lengths and counts that the file does not have") {
    const std::string huge = "\xFF\xFF\xFF\xFF";
    refusedReport(std::string("NVR\0", 4) + huge + "x");
    refusedReport(madeBeginning() + huge + "x");
    // Counts of 2^32-1 and 2^64-1 over an empty block.
    for (const std::uint32_t field : {1U, 2U})
        for (const std::uint64_t count : {std::uint64_t{4'294'967'295}, ~std::uint64_t{0}})
            refusedReport(madeBeginning() +
                          madeSized(WireWriter().varint(field, count).varint(5, 0).text()));
    refusedReport(madeBeginning() + madeSized(WireWriter().varint(5, ~std::uint64_t{0}).text()));
    // So many ranges that do not follow are none.
    CHECK(mentions(
        refusedReport(madeBeginning() + madeSized(WireWriter().varint(7, ~std::uint64_t{0}).text()))
            .what,
        "no launches"));
    // A result that says it is longer than its block.
    refusedReport(madeBeginning() + madeSized(WireWriter().varint(2, 1).varint(5, 5).text()) +
                  huge + "x");
    CHECK(mentions(refusedReport(madeBeginning()).what, "no launches"));
}

TEST_CASE("ncu report: a metric without a name") {
    MadeLaunch launch;
    launch.metrics = {{"a__b.sum", made(1.0)}};
    launch.more.message(13, WireWriter().varint(1, 28).message(2, made(1.0)));
    const Error error = refusedReport(madeBytes({.launches = {fullLaunch(), launch}}));
    CHECK(error.where == "app.ncu-rep: launch 2");
    // One that does not say its name is skipped.
    launch.more = std::move(WireWriter().message(13, WireWriter().message(2, made(2.0))));
    const Profile p = importedReport({.launches = {launch}});
    CHECK(p.counters.value("a__b.sum", 0) == 1.0);
    CHECK(p.issues.empty());
}

TEST_CASE("ncu report: damage within a result names the launch") {
    MadeLaunch launch;
    launch.more.raw("\x6A\x7F");  // a metric of 127 bytes, which are not there
    CHECK(refusedReport(madeBytes({.launches = {launch}})).where == "app.ncu-rep: launch 1");
}

TEST_CASE("ncu report: limits") {
    const MadeReport report{.launches = {fullLaunch(), fullLaunch()}};
    const std::string bytes = madeBytes(report);
    refusedReport(bytes, ErrorCode::BadData, {.maxBytes = bytes.size() - 1});
    refusedReport(bytes, ErrorCode::BadData, {.maxColumns = 26});
    refusedReport(bytes, ErrorCode::BadData, {.maxLaunches = 1});
    refusedReport(bytes, ErrorCode::BadData, {.maxValues = 7});
    refusedReport(bytes, ErrorCode::BadData, {.maxCellBytes = 9});
    refusedReport(bytes, ErrorCode::BadData, {.maxFields = 100});
    CHECK(importNcuReport(bytes, "app.ncu-rep", {.limits = {.maxLaunches = 2}}).ok());
    // One launch cannot have more metrics than there may be names.
    MadeLaunch launch;
    for (int i = 0; i < 30; ++i) launch.more.bytes(13, "");
    launch.metrics = {{"a__b.sum", made(1.0)}};
    refusedReport(madeBytes({.launches = {launch}}), ErrorCode::BadData, {.maxColumns = 27});
}

TEST_CASE("ncu report: hostile names stay data") {
    MadeLaunch launch = fullLaunch();
    launch.name = "k\x1b[31m<script>\xFF\n";
    launch.metrics.emplace_back("Kernel Name", made("another"));
    launch.metrics.emplace_back("bad name__x", made(1.0));
    const Profile p = importedReport({.program = "C:\\dir\\app.exe", .launches = {launch}});
    CHECK(p.kernels.at(0).name == launch.name);
    CHECK(p.capture.command == std::vector<std::string>{"app.exe"});
    // ncu on Windows ended paths with a NUL.
    launch.name = std::string("k\0hidden", 8);
    const Profile cut =
        importedReport({.program = std::string("C:\\dir\\app.exe\0", 15), .launches = {launch}});
    CHECK(cut.kernels.at(0).name == "k");
    CHECK(cut.capture.command == std::vector<std::string>{"app.exe"});
    // Without a demangled name another one serves.
    launch.name.clear();
    CHECK(importedReport({.launches = {launch}}).kernels.at(0).name == "k");
    launch.function.clear();
    CHECK(importedReport({.launches = {launch}}).kernels.at(0).name == "_Z1kPf");
}
