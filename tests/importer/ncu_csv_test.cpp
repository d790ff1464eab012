// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "importer/import.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

const std::string kNames =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",)csv"
    R"csv("Block Size","Grid Size","Device","CC")csv";

struct Column {
    std::string name, unit, value;
};

/// An export of one launch with these metric columns.
std::string exported(const std::vector<Column>& columns, const std::string& lineEnd = "\n") {
    std::string names = kNames, units = R"csv("","","","","","","","","","","")csv",
                row = R"csv("0","42","app","127.0.0.1","k(float *)","1","7","(256, 2, 1)",)csv"
                      R"csv("(1024, 1, 1)","0","9.0")csv";
    for (const Column& column : columns) {
        names += ",\"" + column.name + "\"";
        units += ",\"" + column.unit + "\"";
        row += ",\"" + column.value + "\"";
    }
    return names + lineEnd + units + lineEnd + row + lineEnd;
}

Profile imported(const std::string& text) {
    auto profile = importNcuCsv(text, "test.csv");
    if (!profile.ok()) FAIL(profile.error().message());
    REQUIRE(validateProfile(*profile, "test").ok());
    return *profile;
}

Error refused(const std::string& text, const ImportLimits& limits = {}) {
    auto profile = importNcuCsv(text, "test.csv", {.limits = limits});
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().code == ErrorCode::BadData);
    CHECK(profile.error().where.find("test.csv") == 0);
    return profile.error();
}

}  // namespace

TEST_CASE("ncu csv: metrics come in base units under their own names") {
    const auto p = imported(exported({{"gpu__time_duration.sum", "us", "198.78"},
                                      {"dram__bytes_read.sum", "Mbyte", "268.46"},
                                      {"dram__bytes_read.sum.per_second", "Gbyte/s", "1,350.49"},
                                      {"sm__cycles_elapsed.avg.per_second", "Ghz", "1.98"},
                                      {"lts__t_sector_hit_rate.pct", "%", "50.25"},
                                      {"smsp__inst_executed.sum", "inst", "46,137,344"}}));
    CHECK(p.counters.value("gpu__time_duration.sum", 0) == 198780.0);
    CHECK(p.counters.value("dram__bytes_read.sum", 0) == Approx(268.46e6));
    CHECK(p.counters.value("dram__bytes_read.sum.per_second", 0) == Approx(1350.49e9));
    CHECK(p.counters.value("sm__cycles_elapsed.avg.per_second", 0) == Approx(1.98e9));
    CHECK(p.counters.value("lts__t_sector_hit_rate.pct", 0) == 50.25);
    CHECK(p.counters.value("smsp__inst_executed.sum", 0) == 46137344.0);
}

TEST_CASE("ncu csv: facts of launch, kernel, device and process") {
    const auto p =
        imported(exported({{"launch__registers_per_thread", "register/thread", "40"},
                           {"launch__shared_mem_per_block_static", "Kbyte/block", "4.10"},
                           {"launch__shared_mem_per_block_dynamic", "byte/block", "2,048"},
                           {"launch__occupancy_limit_blocks", "block", "32"},
                           {"launch__occupancy_limit_registers", "block", "5"},
                           {"launch__occupancy_limit_shared_mem", "block", "9"},
                           {"launch__occupancy_limit_warps", "block", "8"},
                           {"launch__cluster_dim_x", "", "2"},
                           {"launch__cluster_dim_y", "", "1"},
                           {"launch__cluster_dim_z", "", "1"},
                           {"device__attribute_display_name", "", "NVIDIA H200"},
                           {"device__attribute_chip", "", "384"},
                           {"device__attribute_multiprocessor_count", "", "132"},
                           {"device__attribute_l2_cache_size", "", "62,914,560"},
                           {"device__attribute_clock_rate", "", "1,980,000"},
                           {"dram__bytes.sum.peak_sustained", "byte/cycle", "1,504"},
                           {"profiler__replayer_passes", "pass", "38"}}));
    CHECK(p.capture.origin == "imported");
    CHECK(p.capture.strategy == "imported from Nsight Compute");
    CHECK(p.capture.passes == 38);
    CHECK(p.capture.clockControl == "not in the export");
    REQUIRE(p.capture.command == std::vector<std::string>{"app"});
    REQUIRE(p.processes.size() == 1);
    CHECK(p.processes[0].pid == 42);
    CHECK(p.processes[0].launchesSeen == 1);
    const Launch& launch = p.launches.at(0);
    CHECK(launch.grid == Dim3{1024, 1, 1});
    CHECK(launch.block == Dim3{256, 2, 1});
    CHECK(launch.cluster == Dim3{2, 1, 1});
    CHECK(launch.dynamicSharedBytes == 2048);
    CHECK(launch.residentBlocksPerSm == 5U);
    CHECK(p.kernels.at(0).name == "k(float *)");
    CHECK(p.kernels[0].registersPerThread == 40U);
    const Device& device = p.devices.at(0);
    CHECK(device.name == "NVIDIA H200");
    CHECK(device.chip == "GH100");
    CHECK(device.computeMajor == 9);
    CHECK(device.smCount == 132);
    CHECK(device.l2Bytes == 62914560U);
    CHECK(device.smClockMax->value == 1.98e9);
    CHECK(device.peaks.at("dram__bytes.sum.peak_sustained") == 1504.0);
    // Device attributes are not counters.
    CHECK(p.counters.names().empty());
}

TEST_CASE("ncu csv: a chip number that contradicts the compute capability is not believed") {
    CHECK(imported(exported({{"device__attribute_chip", "", "368"}})).devices[0].chip.empty());
    CHECK(imported(exported({{"device__attribute_chip", "", "9,999"}})).devices[0].chip.empty());
}

TEST_CASE("ncu csv: chips whose number is not their name") {
    const auto chipOf = [](const char* number, const std::string& capability) {
        std::string text = exported({{"device__attribute_chip", "", number}});
        text.replace(text.rfind("\"9.0\""), 5, "\"" + capability + "\"");
        return imported(text).devices.at(0).chip;
    };
    CHECK(chipOf("360", "7.5") == "TU116");
    CHECK(chipOf("359", "7.5") == "TU117");
    CHECK(chipOf("356", "7.5") == "TU104");
    CHECK(chipOf("347", "7.2") == "GV11B");
    CHECK(chipOf("379", "8.7") == "GA10B");
    CHECK(chipOf("427", "11.0") == "GB10B");
    CHECK(chipOf("443", "12.1") == "GB20B");
    CHECK(chipOf("403", "8.9") == "AD103");
    CHECK(chipOf("370", "8.6") == "GA102");
}

TEST_CASE("ncu csv: chatter around the table, CRLF and a byte-order mark do not matter") {
    const std::string table = exported({{"x__y.sum", "", "5"}}, "\r\n");
    const std::string noisy =
        "==PROF== Connected to process 42 (/app)\r\n12 results, \"unbalanced\r\n\r\n" + table +
        "==PROF== Disconnected from process 42\r\nbye, world\r\n";
    for (const std::string& text : {table, noisy, "\xEF\xBB\xBF" + table}) {
        const auto p = imported(text);
        CHECK(p.launches.size() == 1);
        CHECK(p.counters.value("x__y.sum", 0) == 5.0);
    }
}

TEST_CASE("ncu csv: exports that were joined keep each their own columns") {
    const auto p = imported(exported({{"x__y.sum", "", "5"}}) +
                            exported({{"x__z.sum", "Kbyte", "7"}, {"x__y.sum", "", "6"}}));
    REQUIRE(p.launches.size() == 2);
    CHECK(p.kernels.size() == 1);
    CHECK(p.counters.value("x__y.sum", 0) == 5.0);
    CHECK(p.counters.value("x__y.sum", 1) == 6.0);
    CHECK_FALSE(p.counters.value("x__z.sum", 0).has_value());
    CHECK(p.counters.value("x__z.sum", 1) == 7000.0);
}

TEST_CASE("ncu csv: what is not a number is missing and never 0") {
    for (const char* cell : {"", "nan", "inf", "n/a", "no data", "PolicySpread", "1e999"}) {
        INFO(cell);
        const auto p = imported(exported({{"x__y.sum", "", cell}, {"x__z.sum", "", "1"}}));
        CHECK_FALSE(p.counters.has("x__y.sum"));
        CHECK(p.counters.value("x__z.sum", 0) == 1.0);
    }
}

TEST_CASE("ncu csv: a count below 0 is missing, with a note that is no alarm") {
    const auto p = imported(exported({{"x__y.sum", "sector", "-3"}, {"x__z.sum", "", "1"}}));
    CHECK_FALSE(p.counters.value("x__y.sum", 0).has_value());
    CHECK(p.counters.value("x__z.sum", 0) == 1.0);
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "implausible-value");
    CHECK(p.issues[0].severity == Severity::Info);
    // The same once it was written and read.
    auto again = parseProfile(formatProfile(p), "again");
    REQUIRE(again.ok());
    CHECK(again->issues.size() == 1);
}

TEST_CASE("ncu csv: unknown units and repeated names are left out and said") {
    const auto p = imported(
        exported({{"x__y.sum", "Kfoo", "5"}, {"x__z.sum", "", "1"}, {"x__z.sum", "", "2"}}));
    CHECK_FALSE(p.counters.has("x__y.sum"));
    CHECK(p.counters.value("x__z.sum", 0) == 1.0);
    REQUIRE(p.issues.size() == 2);
    CHECK(p.issues[0].code == "unit-unknown");
    CHECK(p.issues[1].code == "column-repeated");
}

TEST_CASE("ncu csv: NVTX push/pop ranges, outermost first, with colons in their names") {
    const std::string column =
        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";
    const auto rangeOf = [&](std::string cell) {
        for (std::size_t at = 0; (at = cell.find('"', at)) != cell.npos; at += 2)
            cell.insert(at, 1, '"');
        const auto p = imported(exported({{column, "", cell}}));
        return p.ranges.empty() ? std::string() : p.ranges.at(*p.launches[0].range);
    };
    const std::string rest = ":none:none:none:none:none:none\"";
    CHECK(rangeOf("77  \"<default domain>:outer" + rest + "  \"<default domain>:inner" + rest +
                  " ") == "outer > inner");
    CHECK(rangeOf("77  \"<default domain>:layer:3" + rest + " ") == "layer:3");
    CHECK(rangeOf("7  \"CCCL:cub::DeviceReduce::Reduce" + rest) == "cub::DeviceReduce::Reduce");
    CHECK(rangeOf("7  \"d:a \"quoted\" one" + rest + "  \"d:b" + rest) == "a \"quoted\" one > b");
    CHECK(rangeOf("").empty());
    CHECK(rangeOf("77  ").empty());
    CHECK(rangeOf("\"").empty());
    // What somebody else wrote there is no range of ncu.
    CHECK(rangeOf("my own note").empty());
}

TEST_CASE("ncu csv: decimal commas are recognised from the whole file") {
    const auto p = imported(exported({{"x__y.sum", "", "1.234"}, {"x__z.pct", "%", "0,27"}}));
    CHECK(p.counters.value("x__y.sum", 0) == 1234.0);
    CHECK(p.counters.value("x__z.pct", 0) == 0.27);
}

TEST_CASE("ncu csv: what cannot be read is refused with the place and what to do") {
    CHECK(refused("").what.find("no header") == 0);
    CHECK(refused("hello, world\n").advice.find("--page raw") != std::string::npos);
    CHECK(refused(kNames + "\n").what == "the export has a header but no launches");
    CHECK(refused("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n")
              .what.find("no column \"Metric Unit\"") != std::string::npos);
    CHECK(refused("\"ID\",\"Name\"\n\"0\",\"k\"\n").what.find("Kernel Name") != std::string::npos);
    std::string cut = exported({{"x__y.sum", "", "5"}});
    cut.resize(cut.size() - 3);
    CHECK(refused(cut).where == "test.csv: line 3");
    CHECK(refused(exported({}) + "\"1\",\"2\"\n").what.find("2 cells under") == 0);
    CHECK(refused(exported({{std::string("x__\0y", 5), "", "5"}})).what ==
          "a cell holds a NUL byte");
    std::string wide = "\"ID\",\"Kernel Name\"";
    for (int i = 0; i < 1'000'000; ++i) wide += ",\"x\"";
    CHECK(refused(wide).what == "more than 65536 columns");
    ImportLimits few;
    few.maxValues = 3;
    const std::string two = exported({{"x__y.sum", "", "5"}, {"x__z.sum", "", "5"}});
    CHECK(refused(two + two, few).what == "more than 3 counter values");
    few = {};
    few.maxLaunches = 1;
    CHECK(refused(two + two, few).what == "more than 1 launches");
    few = {};
    few.maxBytes = 10;
    CHECK(refused(two, few).what == "larger than 10 bytes");
}
