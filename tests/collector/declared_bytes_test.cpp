// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/declared_bytes.h"

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::uint64_t bytes(const std::string& text) {
    const auto declared = parseDeclaredBytes("copy=" + text);
    INFO(text);
    REQUIRE(declared.ok());
    CHECK(declared->kernel == "copy");
    return declared->bytes;
}

/// Three launches: copy, then scale and copy, each in a range.
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
    CHECK(bytes("512MiB") == 512ULL << 20);
    CHECK(bytes("4096B") == 4096U);
    CHECK(bytes("1.5Gi") == 3ULL << 29);
    CHECK(bytes("0.5k") == 500);
    CHECK(bytes("9007199254740992") == 1ULL << 53);
}

TEST_CASE("a declaration that is not a whole number of bytes is refused, with an example") {
    for (const char* text :
         {"", "copy", "=5", "copy=", "copy=0", "copy=0.5", "copy=-1", "copy=1e3", "copy=inf",
          "copy=nan", "copy=0x10", "copy=1 M", "copy=1m", "copy=1mB", "copy=1..5k", "copy=1.5",
          "copy=99999999T", "copy=9007199254740993000", "(=5"}) {
        INFO(text);
        const auto declared = parseDeclaredBytes(text);
        REQUIRE_FALSE(declared.ok());
        CHECK(declared.error().code == ErrorCode::Usage);
        CHECK(declared.error().advice.find("example") == 0);
    }
}

TEST_CASE("an expression may hold an equals sign") {
    const auto declared = parseDeclaredBytes("f<N=4>=8k");
    REQUIRE(declared.ok());
    CHECK(declared->kernel == "f<N=4>");
    CHECK(declared->bytes == 8000);
}

TEST_CASE("launches of kernels that match get their bytes, others none; the first counts") {
    Profile p = threeLaunches();
    declareBytes(p, {{.kernel = "copy", .bytes = 10}, {.kernel = "c", .bytes = 20}});
    CHECK(p.launches[0].declaredBytes == 10U);
    CHECK(p.launches[1].declaredBytes == 20U);
    CHECK(p.launches[2].declaredBytes == 10U);
    CHECK(p.issues.empty());
}

TEST_CASE("a declaration for a range applies to launches whose innermost range it is") {
    Profile p = threeLaunches();
    declareBytes(p, {{.range = "step/n=1", .bytes = 7}, {.range = "outer", .bytes = 9}});
    CHECK_FALSE(p.launches[0].declaredBytes);
    CHECK(p.launches[1].declaredBytes == 7U);
    CHECK(p.launches[2].declaredBytes == 7U);
    CHECK(p.issues.empty());
}

TEST_CASE("a declaration that matches no launch is reported") {
    Profile p = threeLaunches();
    declareBytes(p, {{.kernel = "gemm", .bytes = 7}});
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "declared-bytes-unused");
    CHECK(p.issues[0].severity == Severity::Info);
    for (const Launch& launch : p.launches) CHECK_FALSE(launch.declaredBytes);
}
