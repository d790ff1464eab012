// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/merge.h"

#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using test::SyntheticProfile;

namespace {

/// One rank's profile: `launches` launches of one kernel, each with a different duration.
Profile rankProfile(std::uint32_t rank, const std::string& host, int launches = 2,
                    const char* counter = "gpu__time_duration.sum") {
    SyntheticProfile p;
    p.profile().processes[0] = {.pid = 100 + rank, .host = host, .rank = rank, .worldSize = 8};
    const auto kernel = p.kernel("step(float*)", 40);
    for (int i = 0; i < launches; ++i)
        p.launch(kernel, {8, 1, 1}, {64, 1, 1}).set(counter, 1000.0 * (rank + 1) + i).range("loop");
    return p.build();
}

Profile merged(std::vector<MergeInput> inputs) {
    auto result = mergeProfiles(std::move(inputs));
    INFO((result ? std::string() : result.error().message()));
    REQUIRE(result);
    return *result;
}

Error refused(std::vector<MergeInput> inputs) {
    const auto result = mergeProfiles(std::move(inputs));
    REQUIRE_FALSE(result);
    return result.error();
}

}  // namespace

TEST_CASE("merge: ranks of one host share device, kernel and range, nothing else") {
    const Profile p = merged({{rankProfile(0, "gpu1"), "a"}, {rankProfile(1, "gpu1", 3), "b"}});
    CHECK(p.processes.size() == 2);
    CHECK(p.devices.size() == 1);
    CHECK(p.kernels.size() == 1);
    CHECK(p.ranges.size() == 1);
    REQUIRE(p.launches.size() == 5);
    CHECK(p.launches[1].process == 0);
    CHECK(p.launches[2].process == 1);
    CHECK(p.counters.value("gpu__time_duration.sum", 1) == 1001.0);
    CHECK(p.counters.value("gpu__time_duration.sum", 4) == 2002.0);
    // The merged profile is valid.
    CHECK(parseProfile(formatProfile(p), "merged"));
}

TEST_CASE("merge: launch sites of one line and operator are one") {
    const auto with = [](std::uint32_t rank, const char* sizes) {
        Profile p = rankProfile(rank, "gpu1");
        p.callSites = {
            {.kernel = 0, .file = "a.py", .line = 3, .op = "aten::mm", .sizes = sizes, .count = 2}};
        return p;
    };
    const Profile p = merged({{with(0, "[8]"), "a"}, {with(1, "[8]"), "b"}, {with(2, "[9]"), "c"}});
    REQUIRE(p.callSites.size() == 2);
    CHECK(p.callSites[0].count == 4);
    CHECK(p.callSites[1].sizes == "[9]");
}

TEST_CASE("merge: measured ranges keep their process, path and counters") {
    const auto measured = [](std::uint32_t rank, const std::string& first, double value) {
        Profile p = rankProfile(rank, "gpu1");
        p.ranges.insert(p.ranges.begin(), first);
        for (Launch& launch : p.launches) launch.range = 1;
        p.rangeMeasurements.push_back({.range = 1, .ordinal = 3, .launches = 2});
        p.rangeCounters.set("dram__bytes_read.sum", 0, value);
        return p;
    };
    const Profile plain = rankProfile(2, "gpu1");
    const Profile p =
        merged({{measured(0, "a", 7), "a"}, {plain, "p"}, {measured(1, "b", 8), "b"}});
    REQUIRE(p.rangeMeasurements.size() == 2);
    CHECK(p.rangeMeasurements[0].process == 0);
    CHECK(p.rangeMeasurements[1].process == 2);
    for (const RangeMeasurement& m : p.rangeMeasurements) {
        CHECK(p.ranges[m.range] == "loop");
        CHECK(m.ordinal == 3);
    }
    CHECK(p.rangeCounters.value("dram__bytes_read.sum", 0) == 7.0);
    CHECK(p.rangeCounters.value("dram__bytes_read.sum", 1) == 8.0);
}

TEST_CASE("merge: what further runs read stays with its launches") {
    Profile a = rankProfile(0, "gpu1", 3), b = rankProfile(1, "gpu1");
    a.capture.further = {{.groups = {"pipes"}, .launches = {2}, .passes = 3}};
    b.capture.further = {{.groups = {"source"}, .launches = {1}}};
    const Profile p = merged({{std::move(a), "a"}, {std::move(b), "b"}});
    REQUIRE(p.capture.further.size() == 2);
    CHECK(p.capture.further[0] ==
          FurtherReading{.groups = {"pipes"}, .launches = {2}, .passes = 3});
    CHECK(p.capture.further[1] == FurtherReading{.groups = {"source"}, .launches = {4}});
}

TEST_CASE("merge: what was measured of single launches stays with them") {
    const auto detailed = [](const char* kernel, std::uint32_t line) {
        SyntheticProfile made;
        const auto k = made.kernel(kernel, 40);
        for (int i = 0; i < 2; ++i) made.launch(k, {8, 1, 1}, {64, 1, 1}).durationUs(5);
        Profile p = made.build();
        p.processes[0].host = kernel;
        p.sources.push_back({.launch = 1, .instructions = {{.offset = 16, .line = line}}});
        p.sources.back().counters.resize(1);
        p.overTime.push_back({.launch = 0, .ends = {Seconds{1e-6 * line}}});
        p.overTime.back().counters.addColumn("dram__bytes_read.sum", {7.0});
        return p;
    };
    const Profile p = merged({{detailed("a", 3), "a"}, {detailed("b", 4), "b"}});
    REQUIRE(p.sources.size() == 2);
    CHECK(p.sources[1].kernel == 1);
    CHECK(p.sources[1].launch == 3U);
    CHECK(p.sources[1].instructions.front().line == 4);
    REQUIRE(p.overTime.size() == 2);
    CHECK(p.overTime[1].kernel == 1);
    CHECK(p.overTime[1].launch == 2U);
    CHECK(p.overTime[1].counters.value("dram__bytes_read.sum", 0) == 7.0);
    CHECK(parseProfile(formatProfile(p), "merged"));
}

TEST_CASE("merge: devices of two hosts, of unknown hosts and of one input stay apart") {
    CHECK(merged({{rankProfile(0, "gpu1"), "a"}, {rankProfile(1, "gpu2"), "b"}}).devices.size() ==
          2);
    CHECK(merged({{rankProfile(0, ""), "a"}, {rankProfile(1, ""), "b"}}).devices.size() == 2);
    Profile other = rankProfile(1, "gpu1");
    other.devices[0].smCount = 78;
    CHECK(merged({{rankProfile(0, "gpu1"), "a"}, {other, "b"}}).devices.size() == 2);

    Profile left = rankProfile(0, "gpu1"), right = rankProfile(1, "gpu1");
    left.devices[0].uuid = "GPU-1";
    right.devices[0].uuid = "GPU-2";
    CHECK(merged({{left, "a"}, {right, "b"}}).devices.size() == 2);
    right.devices[0].uuid = "GPU-1";
    CHECK(merged({{left, "a"}, {right, "b"}}).devices.size() == 1);

    Profile two = rankProfile(0, "gpu1");
    two.devices.push_back(two.devices[0]);
    two.launches[1].device = 1;
    const Profile p = merged({{two, "a"}, {rankProfile(1, "gpu1"), "b"}});
    CHECK(p.devices.size() == 2);
    CHECK(p.launches[0].device == 0);
    CHECK(p.launches[1].device == 1);
}

TEST_CASE("merge: a counter that one input lacks is missing there, not 0") {
    const Profile p = merged({{rankProfile(0, "h", 1, "a.sum"), "a"},
                              {rankProfile(1, "h", 2, "b.sum"), "b"},
                              {Profile{rankProfile(2, "h", 0)}, "c"}});
    REQUIRE(p.launches.size() == 3);
    CHECK(p.counters.value("a.sum", 0) == 1000.0);
    CHECK_FALSE(p.counters.value("b.sum", 0));
    CHECK_FALSE(p.counters.value("a.sum", 1));
    CHECK(p.counters.value("b.sum", 2) == 2001.0);
}

TEST_CASE("merge: kernels with other facts stay apart") {
    Profile other = rankProfile(1, "h");
    other.kernels[0].registersPerThread = 41;
    const Profile p = merged({{rankProfile(0, "h"), "a"}, {other, "b"}});
    REQUIRE(p.kernels.size() == 2);
    CHECK(p.launches[3].kernel == 1);
    CHECK(p.kernels[1].registersPerThread == 41U);
}

TEST_CASE("merge: buffers of two processes are never one") {
    const auto with = [](std::uint32_t rank) {
        Profile p = rankProfile(rank, "h", 1);
        p.buffers = {{.allocation = 1, .offsetBytes = 0, .bytes = 64}};
        const BufferArgument argument{.buffer = 0, .parameter = 2};
        p.argumentLists.add(std::span(&argument, 1));
        p.launches[0].arguments = 0;
        return p;
    };
    const Profile p = merged({{with(0), "a"}, {with(1), "b"}});
    REQUIRE(p.buffers.size() == 2);
    CHECK(p.buffers[0].allocation != p.buffers[1].allocation);
    CHECK(p.launches[1].arguments == 1U);
    CHECK(p.argumentLists[1][0].buffer == 1);
    CHECK(p.argumentLists[1][0].parameter == 2);
}

TEST_CASE("merge: the largest number of an allocation is one like others") {
    Profile a = rankProfile(0, "h"), b = rankProfile(1, "h");
    a.buffers = {{.allocation = 0xffffffff, .offsetBytes = 0, .bytes = 64},
                 {.allocation = 7, .offsetBytes = 0, .bytes = 64},
                 {.allocation = 7, .offsetBytes = 64, .bytes = 8}};
    b.buffers.push_back(a.buffers[0]);
    const Profile p = merged({{a, "a"}, {b, "b"}});
    std::vector<std::uint32_t> numbers;
    for (const Buffer& buffer : p.buffers) numbers.push_back(buffer.allocation);
    CHECK(numbers == std::vector<std::uint32_t>{0, 1, 1, 2});
}

TEST_CASE("merge: issues say which input they are from, and are listed once") {
    std::vector<MergeInput> inputs;
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
        Profile p = rankProfile(rank, "h");
        p.issues.push_back({.severity = Severity::Info, .code = "same", .message = "all of us"});
        if (rank == 2)
            p.issues.push_back(
                {.severity = Severity::DataLoss, .code = "own", .message = "only me"});
        inputs.push_back({p, "r" + std::to_string(rank)});
    }
    const Profile p = merged(std::move(inputs));
    REQUIRE(p.issues.size() == 2);
    CHECK(p.issues[0].message == "r0, r1, r2 and 2 more: all of us");
    CHECK(p.issues[1].message == "r2: only me");
    CHECK(p.issues[1].severity == Severity::DataLoss);
}

TEST_CASE("merge: capture fields on which inputs differ become unknown") {
    Profile a = rankProfile(0, "h"), b = rankProfile(1, "h");
    a.capture.createdUtc = "2026-11-21T10:00:00Z";
    b.capture.createdUtc = "2026-11-21T09:00:00Z";
    a.capture.command = b.capture.command = {"./app"};
    a.capture.passes = 2;
    b.capture.passes = 3;
    a.capture.exitCode = b.capture.exitCode = 0;
    a.capture.groups = {"default"};
    b.capture.groups = {"default", "cache"};
    b.capture.clockControl = "base";
    Profile p = merged({{a, "a"}, {b, "b"}});
    CHECK(p.capture.createdUtc == "2026-11-21T09:00:00Z");
    CHECK(p.capture.command == std::vector<std::string>{"./app"});
    CHECK(p.capture.passes == 0);
    CHECK(p.capture.exitCode == 0);
    CHECK(p.capture.groups == std::vector<std::string>{"default", "cache"});
    CHECK(p.capture.clockControl == "mixed");
    CHECK(p.capture.cacheControl == "none");
    CHECK_FALSE(p.capture.snap);
    a.capture.snap = Snap{.steps = 3, .recorded = Seconds{1}, .age = {}, .endedEarly = {}};
    CHECK(merged({{a, "a"}, {b, "b"}}).capture.snap == a.capture.snap);
    CHECK(merged({{b, "b"}, {a, "a"}}).capture.snap == a.capture.snap);
    b.capture.snap = Snap{.steps = 3, .recorded = Seconds{2}, .age = {}, .endedEarly = "full"};
    const auto both = merged({{a, "a"}, {b, "b"}}).capture.snap;
    REQUIRE(both);
    CHECK(both->recorded == a.capture.snap->recorded);
    CHECK(both->endedEarly == "full");
    b.capture.exitCode = 3;
    CHECK_FALSE(merged({{a, "a"}, {b, "b"}}).capture.exitCode);
}

TEST_CASE("merge: what cannot be one profile is refused") {
    CHECK(refused({}).code == ErrorCode::BadData);
    CHECK(refused({{rankProfile(0, "h"), "a"}}).code == ErrorCode::BadData);

    Profile recorded = rankProfile(1, "h");
    recorded.capture.origin = "recorded";
    const Error mixed = refused({{rankProfile(0, "h"), "a"}, {recorded, "b"}});
    CHECK(mixed.code == ErrorCode::BadData);
    CHECK(mixed.where == "b");

    const Error twice = refused(
        {{rankProfile(0, "h"), "a"}, {rankProfile(1, "h"), "b"}, {rankProfile(0, "h"), "c"}});
    CHECK(twice.where == "c");
    CHECK(twice.what.find("same recording as a") != std::string::npos);

    for (const auto& damage : {+[](Profile& p) { p.launches[0].kernel = 7; },
                               +[](Profile& p) { p.launches[0].device = 0xffffffff; },
                               +[](Profile& p) { p.launches[0].process = 1; },
                               +[](Profile& p) { p.launches[0].range = 9; },
                               +[](Profile& p) { p.launches[0].arguments = 0; },
                               +[](Profile& p) { p.processes[0].worldSize = 1; }}) {
        Profile bad = rankProfile(1, "h");
        damage(bad);
        CHECK(refused({{rankProfile(0, "h"), "a"}, {bad, "b"}}).code == ErrorCode::BadData);
    }
}

TEST_CASE("merge: empty profiles are no error, and add nothing") {
    Profile empty;
    empty.capture.origin = "synthetic";
    const Profile p = merged({{empty, "a"}, {rankProfile(0, "h"), "b"}, {empty, "c"}});
    CHECK(p.launches.size() == 2);
    CHECK(merged({{empty, "a"}, {empty, "b"}}).launches.empty());
}
