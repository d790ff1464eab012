// SPDX-License-Identifier: Apache-2.0
#include "collector/run/stated_bytes.h"

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::uint64_t bytes(const std::string& text) {
    const auto stated = parseStatedBytes("copy=" + text);
    INFO(text);
    REQUIRE(stated.ok());
    CHECK(stated->kernel == "copy");
    return stated->bytes;
}

/// Three launches: copy, scale in a range, copy in a range.
Profile threeLaunches() {
    Profile p;
    p.kernels = {{.name = "void copy<4>(float*)"}, {.name = "scale"}};
    p.ranges = {"outer > step/n=1"};
    p.launches = {{.kernel = 0}, {.kernel = 1, .range = 0}, {.kernel = 0, .range = 0}};
    return p;
}

}  // namespace

TEST_CASE("bytes take a unit of 1000 or of 1024") {
    CHECK(bytes("4096") == 4096);
    CHECK(bytes("512M") == 512'000'000);
    CHECK(bytes("512Mi") == 512ULL << 20);
    CHECK(bytes("1.5Gi") == 3ULL << 29);
    CHECK(bytes("0.5k") == 500);
    CHECK(bytes("9007199254740992") == 1ULL << 53);
}

TEST_CASE("what is no whole number of bytes from 1 is refused, with an example") {
    for (const char* text :
         {"", "copy", "=5", "copy=", "copy=0", "copy=0.5", "copy=-1", "copy=1e3", "copy=inf",
          "copy=nan", "copy=0x10", "copy=1 M", "copy=1m", "copy=1MB", "copy=1..5k", "copy=1.5",
          "copy=99999999T", "copy=9007199254740993000", "(=5"}) {
        INFO(text);
        const auto stated = parseStatedBytes(text);
        REQUIRE_FALSE(stated.ok());
        CHECK(stated.error().code == ErrorCode::Usage);
        CHECK(stated.error().advice.find("example") == 0);
    }
}

TEST_CASE("an expression may hold an equals sign") {
    const auto stated = parseStatedBytes("f<N=4>=8k");
    REQUIRE(stated.ok());
    CHECK(stated->kernel == "f<N=4>");
    CHECK(stated->bytes == 8000);
}

TEST_CASE("launches of kernels that match get their bytes, others none; the first counts") {
    Profile p = threeLaunches();
    stateBytes(p, {{.kernel = "copy", .bytes = 10}, {.kernel = "c", .bytes = 20}});
    CHECK(p.launches[0].statedBytes == 10U);
    CHECK(p.launches[1].statedBytes == 20U);
    CHECK(p.launches[2].statedBytes == 10U);
    CHECK(p.issues.empty());
}

TEST_CASE("a statement for a range is about launches whose innermost range that is") {
    Profile p = threeLaunches();
    stateBytes(p, {{.range = "step/n=1", .bytes = 7}, {.range = "outer", .bytes = 9}});
    CHECK_FALSE(p.launches[0].statedBytes);
    CHECK(p.launches[1].statedBytes == 7U);
    CHECK(p.launches[2].statedBytes == 7U);
    CHECK(p.issues.empty());
}

TEST_CASE("a statement that matches nothing is told") {
    Profile p = threeLaunches();
    stateBytes(p, {{.kernel = "gemm", .bytes = 7}});
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "stated-bytes-unused");
    CHECK(p.issues[0].severity == Severity::Info);
    for (const Launch& launch : p.launches) CHECK_FALSE(launch.statedBytes);
}
