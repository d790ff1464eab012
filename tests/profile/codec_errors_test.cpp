// SPDX-License-Identifier: Apache-2.0
// Every kind of wrong file gives an error that says what is wrong and where.
#include <chrono>

#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

Profile small() {
    SyntheticProfile p;
    const auto kernel = p.kernel("k");
    for (int i = 0; i < 3; ++i) {
        p.launch(kernel, {1U + i}, {64}).set("a.sum", i).set("b.sum", 2 * i).durationUs(i + 1);
    }
    return p.build();
}

/// The text of small() with `from` replaced by `to`.
std::string changed(std::string_view from, std::string_view to) {
    std::string text = formatProfile(small());
    const auto at = text.find(from);
    INFO(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

Error errorOf(std::string_view text, const ReadLimits& limits = {}) {
    const auto profile = parseProfile(text, "f.roofscope.json", limits);
    INFO(text.substr(0, 300));
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().where.starts_with("f.roofscope.json"));
    return profile.error();
}

void checkError(const Error& error, std::string_view where, std::string_view what) {
    INFO(error.message());
    CHECK(error.code == ErrorCode::BadData);
    CHECK(error.where.ends_with(where));
    CHECK(error.what.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("the unchanged sample text is read without an error") {
    CHECK(parseProfile(formatProfile(small()), "f").ok());
}

TEST_CASE("files that are something else") {
    checkError(errorOf(""), "byte 0", "empty");
    for (const char* text : {"{}", "[]", "[1, 2]", "3", "\"roofscope-profile\"", "null",
                             R"({"format": "other", "schema": [1, 0]})", R"({"format": 5})",
                             R"({"traceEvents": []})"}) {
        checkError(errorOf(text), "f.roofscope.json", "not a roofscope profile");
    }
    CHECK(errorOf("{}").advice.find("roofscope record") != std::string::npos);
    checkError(errorOf("hello"), "byte 0", "not valid JSON");
    checkError(errorOf(std::string(100, '\0')), "byte 0", "not valid JSON");
    checkError(errorOf("\x1f\x8b\x08 gzip"), "byte 0", "");
}

TEST_CASE("a file that was cut off says where, wherever it was cut") {
    const std::string text = formatProfile(small());
    for (std::size_t length = 1; length + 2 < text.size(); length += 7) {
        INFO(length);
        const Error error = errorOf(std::string_view(text).substr(0, length));
        INFO(error.message());
        CHECK(error.what.find("ends in the middle") != std::string::npos);
        CHECK(error.where.ends_with("byte " + std::to_string(length)));
    }
}

TEST_CASE("no damaged byte makes the reader throw or crash") {
    const std::string text = formatProfile(small());
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (const char byte : {'\0', '"', '{', ']', '-', '9', '\xff'}) {
            std::string damaged = text;
            damaged[at] = byte;
            (void)parseProfile(damaged, "f").ok();
        }
    }
    SUCCEED();
}

TEST_CASE("text after the end") {
    const std::string text = formatProfile(small());
    checkError(errorOf(text + "x"), "byte " + std::to_string(text.size()), "not valid JSON");
    CHECK(parseProfile(text + " \n", "f").ok());
}

TEST_CASE("a newer major version is refused and says what to do") {
    const Error error = errorOf(changed("[1,15]", "[2,0]"));
    checkError(error, "/schema", "newer roofscope");
    CHECK(error.advice == "update roofscope");
    checkError(errorOf(changed("[1,15]", "[1e300,0]")), "/schema", "");
    checkError(errorOf(changed("[1,15]", "[0,0]")), "/schema", "version");
    checkError(errorOf(changed("[1,15]", "[1.5,0]")), "/schema", "version");
    checkError(errorOf(changed("[1,15]", "\"1.0\"")), "/schema", "must be [major, minor]");
    checkError(errorOf(changed("[1,15]", "[]")), "/schema", "");
    checkError(errorOf(changed("\"schema\":[1,15],", "")), "f.roofscope.json", "schema");
}

TEST_CASE("copies of a site whose numbers inconsistent each other are refused") {
    const auto problem = [](const std::string& copies, const char* what = "\"call\":\"cuMemcpy\"") {
        return changed("\"issues\":", std::string("\"call_sites\":[{") + what +
                                          ",\"count\":1,\"host_copies\":" + copies +
                                          "}],\"issues\":");
    };
    const auto one = [](const char* numbers) { return std::string("[{") + numbers + "}]"; };
    const std::string good = one(R"("bytes":65536,"copies":3,"read":3,"repeated":2,"distinct":1)");
    CHECK(parseProfile(problem(good), "f").ok());
    for (const char* numbers :
         {R"("bytes":0,"copies":1)", R"("bytes":1,"copies":0)",
          R"("bytes":1,"copies":1,"read":2,"distinct":1)",
          R"("bytes":1,"copies":2,"read":1,"repeated":2,"distinct":1)",
          R"("bytes":1,"copies":2,"read":1,"distinct":2)",
          R"("bytes":1,"copies":2,"read":1,"distinct":0)", R"("bytes":1,"copies":2,"distinct":1)"})
        checkError(errorOf(problem(one(numbers))), "/call_sites/0/host_copies/0", "inconsistent");
    for (const char* numbers :
         {R"("bytes":1e300,"copies":1)", R"("bytes":-1,"copies":1)", R"("bytes":"1","copies":1)"})
        checkError(errorOf(problem(one(numbers))), "/call_sites/0/host_copies/0/bytes", "");
    checkError(errorOf(problem("7")), "/call_sites/0/host_copies", "");
    checkError(errorOf(problem(good, "\"kernel\":0")), "/call_sites/0", "host copies");
}

TEST_CASE("wrong types name the place") {
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":\"132\"")), "/devices/0/sm_count",
               "must be a number, not a text");
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":[132]")), "/devices/0/sm_count",
               "must be a number, not an array of numbers");
    checkError(errorOf(changed("\"pid\":4711", "\"pid\":true")), "/processes/0/pid", "a number");
    checkError(errorOf(changed("\"symbol\":\"k\"", "\"symbol\":{}")), "/kernels/0/symbol",
               "a text");
    checkError(errorOf(changed("\"kernels\":[", "\"kernels\":[3,")), "/kernels/0", "an object");
    checkError(errorOf(changed("\"issues\":[]", "\"issues\":[3]")), "/issues/0", "an object");
    checkError(errorOf(changed("\"groups\":[\"default\"]", "\"groups\":[1]")), "/capture/groups/0",
               "a text");
    checkError(errorOf(changed("\"grid_x\":[1,2,3]", "\"grid_x\":[1,\"2\",3]")),
               "/launches/grid_x/1", "must be a number, not a text");
    checkError(errorOf(changed("\"grid_x\":[1,2,3]", "\"grid_x\":5")), "/launches/grid_x",
               "an array");
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a.sum\":[0,[1],2]")), "/counters/a.sum/1",
               "a number");
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a.sum\":{\"al\":1}")), "/counters/a.sum",
               "\"all\"");
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a.sum\":{\"all\":\"x\"}")),
               "/counters/a.sum/all", "a number");
    // JSON pointers escape "/" and "~" (RFC 6901).
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a/b~.sum\":5")), "/counters/a~1b~0.sum",
               "an array");
}

TEST_CASE("numbers out of range") {
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":-1")), "/devices/0/sm_count",
               "from 0 to 4294967295");
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":4294967296")),
               "/devices/0/sm_count", "whole");
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":1.5")), "/devices/0/sm_count",
               "whole");
    checkError(errorOf(changed("\"l2_bytes\":62914560", "\"l2_bytes\":1e30")),
               "/devices/0/l2_bytes", "whole");
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":1e400")), "", "too large");
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a.sum\":[0,1e999,2]")), "", "too large");
    checkError(errorOf(changed("\"count\":3", "\"count\":-3")), "/launches/count", "whole");
    checkError(errorOf(changed("\"grid_x\":[1,2,3]", "\"grid_x\":[1,-2,3]")), "/launches/grid_x/1",
               "whole");
    checkError(errorOf(changed("\"grid_x\":[1,2,3]", "\"grid_x\":[1,0,3]")), "/launches/grid_x/1",
               "at least 1");
    Profile huge = small();
    huge.launches[1].grid = {1, 4294967295, 4294967295};
    checkError(errorOf(formatProfile(huge)), "/launches/grid_x/1", "2^63");
    checkError(errorOf(changed("[1000,2000,3000]", "[1000,-1,3000]")), "/launches/duration_ns/1",
               "negative");
    checkError(errorOf(changed("\"sm_clock_max_hz\":", "\"sm_clock_max_hz\":-")),
               "/devices/0/sm_clock_max_hz", "negative");
}

TEST_CASE("NaN and Infinity are not JSON") {
    for (const char* literal : {"NaN", "Infinity", "-Infinity", "nan", "inf"}) {
        const Error error =
            errorOf(changed("\"a.sum\":[0,1,2]", std::string("\"a.sum\":[0,") + literal + ",2]"));
        INFO(error.message());
        CHECK(error.where.find("byte") != std::string::npos);
        if (literal[0] == 'N' || literal[0] == 'I') {
            CHECK(error.what.find("NaN and Infinity") != std::string::npos);
        }
    }
}

TEST_CASE("references to entries that do not exist") {
    checkError(errorOf(changed("\"kernel\":[0,0,0]", "\"kernel\":[0,1,0]")), "/launches/kernel/1",
               "entry 1 of \"kernels\", which has 1");
    checkError(errorOf(changed("\"device\":{\"all\":0}", "\"device\":{\"all\":9}")),
               "/launches/device/0", "devices");
    checkError(errorOf(changed("\"process\":{\"all\":0}", "\"process\":[0,0,1]")),
               "/launches/process/2", "processes");
    checkError(errorOf(changed("\"stream\":", "\"range\":[0,null,null],\"stream\":")),
               "/launches/range/0", "ranges");
    checkError(errorOf(changed("\"cache_control\":",
                               "\"further\":[{\"groups\":[\"pipes\"],\"launches\":[2,3]}],"
                               "\"cache_control\":")),
               "/capture/further/0/launches/1", "entry 3 of \"launches\", which has 3");
}

TEST_CASE("columns of unequal length") {
    checkError(errorOf(changed("\"a.sum\":[0,1,2]", "\"a.sum\":[0,1]")), "/counters/a.sum",
               "2 values for 3 rows");
    checkError(errorOf(changed("\"grid_x\":[1,2,3]", "\"grid_x\":[1,2,3,4]")), "/launches/grid_x",
               "4 values");
    checkError(errorOf(changed("\"count\":3", "\"count\":4")), "/launches", "\"count\" is 4");
    checkError(errorOf(changed("\"kernel\":[0,0,0]", "\"kernel\":[0,null,0]")),
               "/launches/kernel/1", "null");
}

TEST_CASE("measured ranges that are not what they say") {
    Profile p = small();
    p.ranges = {"decode"};
    p.rangeMeasurements = {{.launches = 3, .duration = Seconds{1e-6}}, {.ordinal = 1}};
    p.rangeCounters = CounterTable(2);
    p.rangeCounters.set("r.sum", 0, 5);
    const std::string whole = formatProfile(p);
    REQUIRE(parseProfile(whole, "f").ok());
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text = whole;
        const auto at = text.find(from);
        INFO(from);
        REQUIRE(at != std::string::npos);
        return errorOf(text.replace(at, from.size(), to));
    };
    checkError(with("\"range\":[0,0]", "\"range\":[0,1]"), "/range_measurements/range/1",
               "\"ranges\", which has 1");
    checkError(with("\"range\":[0,0]", "\"range\":{\"all\":0}"), "/range_measurements/range",
               "an array");
    checkError(with("\"ordinal\":[0,1]", "\"ordinal\":[0,-1]"), "/range_measurements/ordinal/1",
               "");
    checkError(with("\"launches\":[3,null]", "\"launches\":[3]"), "/range_measurements/launches",
               "1 values");
    checkError(with("\"duration_ns\":[1000,null]", "\"duration_ns\":[-1,null]"),
               "/range_measurements/duration_ns/0", "negative");
    checkError(with("\"r.sum\":[5,null]", "\"r.sum\":[5]"), "/counters/r.sum", "1 values");
}

TEST_CASE("a site whose shape cannot be is refused") {
    const auto problem = [](const std::string& keys) {
        return changed("\"issues\":", "\"call_sites\":[{" + keys + ",\"count\":1}],\"issues\":");
    };
    const std::string kernel = "\"kernel\":0,\"grid\":";
    REQUIRE(parseProfile(problem(kernel + "[2,1,1],\"block\":[32,1,1]"), "f").ok());
    checkError(errorOf(problem(kernel + "[2,1,1]")), "/call_sites/0", "or neither");
    checkError(errorOf(problem(kernel + "[2,1],\"block\":[32,1,1]")), "/call_sites/0/grid",
               "must be [x, y, z]");
    checkError(errorOf(problem(kernel + "[2,1,1],\"block\":[0,1,1]")), "/call_sites/0/block",
               "at least 1");
    checkError(errorOf(problem("\"call\":\"cuMemcpy\",\"grid\":[1,1,1],\"block\":[1,1,1]")),
               "/call_sites/0", "without a kernel");
}

TEST_CASE("a count in the file does not decide how much is allocated") {
    checkError(errorOf(changed("\"count\":3", "\"count\":9000000000000000")), "/launches", "count");
    checkError(errorOf(changed("\"kernel\":[0,0,0]", "\"kernel\":{\"all\":0}")), "/launches/kernel",
               "an array");
    checkError(errorOf(changed("\"kernel\":[0,0,0],", "")), "/launches", "count");
    checkError(errorOf(R"({"format":"roofscope-profile","schema":[1,15],
                           "launches":{"device":[0,0]}})"),
               "/launches/device", "2 values for 0 rows");
}

TEST_CASE("keys that appear twice") {
    checkError(errorOf(changed("\"sm_count\":132", "\"sm_count\":132,\"sm_count\":1")),
               "/devices/0", "\"sm_count\" appears twice");
    checkError(errorOf(changed("\"b.sum\"", "\"a.sum\"")), "/counters", "\"a.sum\" appears twice");
    checkError(errorOf(changed("\"format\"", "\"format\":1,\"format\"")), "", "appears twice");
}

TEST_CASE("text that is not UTF-8") {
    for (const char* bytes : {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80"}) {
        checkError(
            errorOf(changed("\"symbol\":\"k\"", std::string("\"symbol\":\"") + bytes + "\"")), "",
            "UTF-8");
    }
}

TEST_CASE("nesting ends at the limit, at once") {
    const std::string deep(8 << 20, '[');
    const auto start = std::chrono::steady_clock::now();
    const Error error = errorOf(deep);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    checkError(error, "byte 65", "deeper than 64");
    CHECK(took.count() < 0.5);

    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    checkError(errorOf(objects), "", "deeper than 64");
    checkError(errorOf("{\"format\":[[[]]]}", {.maxDepth = 3}), "", "deeper than 3");
}

TEST_CASE("limits on size") {
    checkError(errorOf(formatProfile(small()), {.maxBytes = 100}), "f.roofscope.json",
               "larger than 100");
    std::string many = "[[]";
    for (int i = 0; i < 1000; ++i) many += ",[]";
    checkError(errorOf(many + "]", {.maxNodes = 500}), "", "more than 500");
    // The numbers before a non-number in a list count as well.
    std::string mixed = "[0";
    for (int i = 0; i < 1000; ++i) mixed += ",0";
    checkError(errorOf(mixed + ",\"x\"]", {.maxNodes = 500}), "", "more than 500");
    checkError(errorOf(formatProfile(small()), {.maxLaunches = 2}), "/launches", "more than 2");
    checkError(errorOf(formatProfile(small()), {.maxCells = 5}), "/counters", "more than 5");
}

TEST_CASE("an invalid profile is not written") {
    Profile profile = small();
    profile.launches[1].kernel = 7;
    const auto valid = validateProfile(profile, "n");
    REQUIRE_FALSE(valid.ok());
    CHECK(valid.error().where == "n: /launches/kernel/1");
    profile = small();
    profile.counters.resize(2);
    CHECK_FALSE(validateProfile(profile, "n").ok());
    profile = small();
    profile.launches[2].duration = Seconds{-1};
    CHECK_FALSE(validateProfile(profile, "n").ok());
    profile.launches[2].duration = Seconds{0.0 / 0.0};
    CHECK_FALSE(validateProfile(profile, "n").ok());
}

TEST_CASE("more than can be read is not written") {
    const auto what = [](const Profile& profile, const ReadLimits& limits) {
        const auto valid = validateProfile(profile, "n", limits);
        return valid.ok() ? std::string() : valid.error().what;
    };
    Profile profile = small();
    CHECK(what(profile, {.maxLaunches = 3}).empty());
    CHECK(what(profile, {.maxLaunches = 2}) == "more than 2 launches");
    CHECK(what(profile, {.maxCells = 5}) == "more than 5 values");
    profile.timeline.transfers.resize(6);
    CHECK(what(profile, {.maxLaunches = 3, .moreRows = 2}) == "a table has more than 5 rows");
    profile = small();
    profile.buffers.resize(6);
    CHECK(what(profile, {.maxLaunches = 3, .moreRows = 2}) == "a table has more than 5 rows");
    // Values that compress to nothing are written so that the file is as large as they are many.
    const test::TemporaryFolder folder;
    profile = small();
    profile.ranges.resize(250'000);
    REQUIRE(writeProfile(profile, folder.file("p.json.gz")).ok());
    CHECK(readProfile(folder.file("p.json.gz")).ok());
    profile.ranges.resize(4'100'000);
    const auto refused = writeProfile(profile, folder.file("q.json"));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().what == "more than 4000000 values");
    CHECK_FALSE(std::filesystem::exists(folder.file("q.json")));
}
