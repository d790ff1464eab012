// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_check.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::cli;

namespace {

/// Two launches in the range "outer > f/r/n=1" with these sectors.
Profile twoLaunches(std::optional<double> first, std::optional<double> second) {
    Profile p;
    p.ranges = {"outer > f/r/n=1"};
    p.launches.resize(2);
    p.launches[0].range = p.launches[1].range = 0;
    p.counters.resize(2);
    if (first) p.counters.set("s.sum", 0, *first);
    if (second) p.counters.set("s.sum", 1, *second);
    return p;
}

CheckTable compare(const Profile& profile, double tolerance) {
    return compareWithExpectations({{.range = "f/r/n=1",
                                     .counter = "s.sum",
                                     .value = 100,
                                     .tolerance = tolerance,
                                     .formula = "",
                                     .minComputeCapability = 0}},
                                   profile);
}

}  // namespace

TEST_CASE("known answers state the bytes of a launch where they know its DRAM traffic both ways") {
    const auto answer = [](std::string range, std::string counter, double value) {
        return ExpectedCounter{.range = std::move(range),
                               .counter = std::move(counter),
                               .value = value,
                               .formula = ""};
    };
    const auto declared = declaredBytes(
        {answer("both", "dram__bytes_read.sum", 4e8), answer("reads", "dram__bytes_read.sum", 4e8),
         answer("both", "dram__bytes_write.sum", 1e8),
         answer("asked", "smsp__sass_data_bytes_mem_global.sum", 7)});
    REQUIRE(declared.size() == 1);
    CHECK(declared[0].range == "both");
    CHECK(declared[0].kernel.empty());
    CHECK(declared[0].bytes == 500'000'000);
}

TEST_CASE("an exact counter must match exactly in every launch") {
    CHECK(compare(twoLaunches(100, 100), 0).failed == 0);
    const auto off = compare(twoLaunches(100, 101), 0);
    REQUIRE(off.failed == 1);
    CHECK(off.rows[0].measured == 101.0);  // the worst launch is shown
    CHECK(off.rows[0].launches == 2);
}

TEST_CASE("a tolerance is relative and inclusive") {
    CHECK(compare(twoLaunches(100, 105), 0.05).failed == 0);
    CHECK(compare(twoLaunches(100, 106), 0.05).failed == 1);
}

TEST_CASE("a missing counter fails; a range that was not run is only counted") {
    CHECK(compare(twoLaunches(100, {}), 0).failed == 1);
    CHECK(compare(twoLaunches({}, {}), 0).failed == 1);
    const auto other = compareWithExpectations({{.range = "f/other/n=1",
                                                 .counter = "s.sum",
                                                 .value = 1,
                                                 .tolerance = 0,
                                                 .formula = "",
                                                 .minComputeCapability = 0}},
                                               twoLaunches(100, 100));
    CHECK(other.compared == 0);
    CHECK(other.missing == 1);
}

TEST_CASE("a kernel that the GPU is too old for is skipped, and that is said") {
    const auto expected = parseExpectations(
        R"([{"range":"f/new/n=1","min_compute_capability":[9,0],
             "counters":[{"counter":"s.sum","value":1}]},
            {"range":"f/other/n=1","min_compute_capability":null,
             "counters":[{"counter":"s.sum","value":1}]}])");
    REQUIRE(expected.ok());
    CHECK(expected->at(0).minComputeCapability == 90);
    CHECK(expected->at(1).minComputeCapability == 0);
    Profile profile = twoLaunches(100, 100);
    profile.devices.resize(1);
    profile.devices[0].computeMajor = 8;
    profile.devices[0].computeMinor = 6;
    const auto old = compareWithExpectations(*expected, profile);
    CHECK(old.failed == 0);
    CHECK(old.missing == 1);
    REQUIRE(old.skipped.size() == 1);
    CHECK(toText(old, false).find("f/new/n=1\n  skipped: needs compute capability 9.0\n") !=
          std::string::npos);
    CHECK(nlohmann::json::parse(toJsonText(old)).at("skipped").at(0).at("range") == "f/new/n=1");

    profile.devices[0].computeMajor = 9;
    CHECK(compareWithExpectations(*expected, profile).skipped.empty());
    CHECK(compareWithExpectations(*expected, profile).missing == 2);
}

TEST_CASE("expectations are read by name; damaged ones are an error") {
    const auto read = parseExpectations(
        R"([{"range":"f/r/n=1","counters":[{"counter":"s.sum","value":100,"tolerance":0.5,"formula":"n"}]}])");
    REQUIRE(read.ok());
    REQUIRE(read->size() == 1);
    CHECK(read->front().tolerance == 0.5);
    CHECK_FALSE(parseExpectations("[{}]").ok());
    CHECK_FALSE(parseExpectations("nonsense").ok());
}

TEST_CASE("text and JSON name counter, value and verdict") {
    const auto table = compare(twoLaunches(100, 101), 0);
    CHECK(toText(table, false).find("DIFFERS") != std::string::npos);
    CHECK(toText(table, false).find("+1 %") != std::string::npos);
    const auto json = nlohmann::json::parse(toJsonText(table));
    CHECK(json.at("failed") == 1);
    CHECK(json.at("rows").at(0).at("verdict") == "differs");
}
