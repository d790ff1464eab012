// SPDX-License-Identifier: Apache-2.0
// Copies, calls and ranges besides kernels: written, checked, merged, redacted.
#include "profile/model/timeline.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "profile/operations/merge.h"
#include "profile/operations/redact.h"
#include "tests/profile/random_profile.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using Json = nlohmann::json;
using roofscope::test::sameProfile;
using roofscope::test::SyntheticProfile;

namespace {

/// A launch, a pageable copy issued by a call, a wait, and a range around them.
Profile shortTimeline() {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {32}).durationUs(10).launch().start = Seconds{0};
    Profile profile = p.build();
    profile.ranges = {"step"};
    profile.processes[0].host = "box";
    profile.processes[0].clockZero = 1'763'846'000'000'000'123ULL;
    profile.processes[0].timeline =
        TimelineParts{.copies = true, .waits = true, .launches = true, .ranges = true};
    Timeline& t = profile.timeline;
    t.threads = {{.process = 0, .id = 77, .name = "python3"}};
    t.callNames = {{"cudaMemcpyAsync", CallKind::Transfer},
                   {"cudaLaunchKernel", CallKind::Launch},
                   {"cudaDeviceSynchronize", CallKind::Wait}};
    t.transfers = {{.kind = TransferKind::HostToDevice,
                    .source = MemoryKind::Pageable,
                    .target = MemoryKind::Device,
                    .bytes = 4096,
                    .time = {-5000, -1000}}};
    t.calls = {{.name = 0, .thread = 0, .time = {-6000, -5500}, .work = 0},
               {.name = 1, .thread = 0, .time = {-500, -100}, .work = 0},
               {.name = 2, .thread = 0, .time = {0, 10'500}}};
    t.ranges = {{.range = 0, .thread = 0, .time = {-7000, 11'000}, .gpu = TimeSpan{-5000, 10'000}}};
    return profile;
}

std::string errorOf(const Json& profile) {
    const auto result = parseProfile(profile.dump(), "p");
    return result.ok() ? "" : result.error().message();
}

}  // namespace

TEST_CASE("a timeline is written as columns whose starts are distances") {
    const Profile profile = shortTimeline();
    const Json written = Json::parse(formatProfile(profile));
    const Json& t = written["timeline"];
    CHECK(t["calls"]["name"] == Json({0, 1, 2}));
    CHECK(t["calls"]["start_delta_ns"] == Json({-6000, 5500, 500}));
    CHECK(t["calls"]["duration_ns"] == Json({500, 400, 10500}));
    CHECK(t["calls"]["work_delta"] == Json({0, 0, nullptr}));
    CHECK(
        t["transfer_kinds"] ==
        Json::array({{{"kind", "host-to-device"}, {"source", "pageable"}, {"target", "device"}}}));
    CHECK(t["ranges"]["gpu_after_push_ns"] == Json({{"all", 2000}}));
    CHECK(written["processes"][0]["timeline"] == Json({"copies", "waits", "launches", "ranges"}));
    CHECK(written["processes"][0]["clock_zero_ns"] == "1763846000000000123");
    const auto back = parseProfile(written.dump(), "p");
    REQUIRE(back.ok());
    CHECK(sameProfile(*back, profile));
}

TEST_CASE("a profile without a timeline has none, and does not say that nothing happened") {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {32});
    const Json written = Json::parse(formatProfile(p.build()));
    CHECK_FALSE(written.contains("timeline"));
    CHECK_FALSE(written["processes"][0].contains("timeline"));
    const auto back = parseProfile(written.dump(), "p");
    REQUIRE(back.ok());
    CHECK_FALSE(back->processes[0].timeline.has_value());
}

TEST_CASE("kinds and parts that a later version adds are not mistaken for known ones") {
    Json written = Json::parse(formatProfile(shortTimeline()));
    written["timeline"]["call_names"][2]["kind"] = "teleport";
    written["timeline"]["transfer_kinds"][0]["source"] = "far";
    written["processes"][0]["timeline"] = {"copies", "dreams"};
    const auto back = parseProfile(written.dump(), "p");
    REQUIRE(back.ok());
    CHECK(back->timeline.callNames[2].kind == CallKind::Other);
    CHECK(back->timeline.transfers[0].source == MemoryKind::Unknown);
    CHECK(back->processes[0].timeline == TimelineParts{.copies = true});
}

TEST_CASE("a timeline that cannot be is refused with its place") {
    const Json good = Json::parse(formatProfile(shortTimeline()));
    const auto refused = [&](const char* pointer, const Json& value, const char* place) {
        Json bad = good;
        bad[Json::json_pointer(pointer)] = value;
        INFO(pointer << ": " << errorOf(bad));
        CHECK(errorOf(bad).find(place) != std::string::npos);
    };
    refused("/timeline/calls/name", {0, 1, 9}, "/timeline/calls/name/2");
    refused("/timeline/calls/name", {0, 1}, "/timeline/calls/start_delta_ns");
    refused("/timeline/calls/thread", {0, 0, 4}, "/timeline/calls/thread/2");
    refused("/timeline/calls/duration_ns", {1, 2, -3}, "/timeline/calls/duration_ns/2");
    refused("/timeline/calls/duration_ns", {1, 2, nullptr}, "/timeline/calls");
    refused("/timeline/calls/duration_ns", {1, 2, 9007199254740992}, "/timeline/calls/duration_ns");
    refused("/timeline/calls/start_delta_ns", {9e15, 9e15, 0}, "/timeline/calls/start_delta_ns/1");
    refused("/timeline/calls/start_delta_ns", {0, 0.5, 0}, "/timeline/calls/start_delta_ns/1");
    refused("/timeline/calls/start_delta_ns", {0, nullptr, 0}, "/timeline/calls");
    refused("/timeline/calls/work_delta", {0, -1, 0}, "/timeline/calls/work_delta/1");
    refused("/timeline/calls/work_delta", {1, nullptr, nullptr}, "/timeline/calls/work_delta/0");
    refused("/timeline/transfers/kind", {1}, "/timeline/transfers/kind/0");
    refused("/timeline/transfers/device", {3}, "/timeline/transfers/device/0");
    refused("/timeline/transfers/peer", {3}, "/timeline/transfers/peer/0");
    refused("/timeline/ranges/range", {3}, "/timeline/ranges/range/0");
    refused("/timeline/ranges/gpu_duration_ns", {-1}, "/timeline/ranges/gpu_duration_ns/0");
    refused("/timeline/threads/0/process", 3, "/timeline/threads/process/0");
    refused("/processes/0/clock_zero_ns", "12x", "/processes/0/clock_zero_ns");
    refused("/processes/0/clock_zero_ns", "99999999999999999999", "/processes/0/clock_zero_ns");
    const auto run = [](double end) {
        return nlohmann::json{{"start_ns", -900},
                              {"setup_start_ns", -800},
                              {"setup_end_ns", -700},
                              {"first_launch_ns", -50},
                              {"end_ns", end}};
    };
    refused("/processes/0/run", run(-60), "/processes/0/run");
    refused("/processes/0/run", run(9007199254740992), "/processes/0/run");
    refused("/processes/0/run", 5, "/processes/0");
}

TEST_CASE("samples of the CPU that cannot be are refused with their place") {
    const auto with = [](const char* change, const nlohmann::json& value) {
        Profile profile;
        profile.processes.resize(2);
        profile.timeline.threads = {{.process = 0, .id = 1}, {.process = 1, .id = 2}};
        CpuSamples samples{.period = 5};
        samples.frames = {{.module = "/a", .offset = 7}, {.function = "f", .file = "t.py"}};
        samples.stacks = {{0, 1}, {}};
        samples.samples = {{.time = -5, .thread = 0, .stack = 1},
                           {.time = 9, .thread = 0, .stack = 0, .wait = CpuWait::Poll}};
        profile.processes[0].cpuSamples = samples;
        nlohmann::json json = nlohmann::json::parse(formatProfile(profile));
        if (*change)
            json["/processes/0/cpu_samples"_json_pointer][nlohmann::json::json_pointer(change)] =
                value;
        return parseProfile(json.dump(), "f");
    };
    const auto read = with("", {});
    REQUIRE(read);
    CHECK(read->processes[0].cpuSamples->samples[1].wait == CpuWait::Poll);
    CHECK(read->processes[0].cpuSamples->samples[1].time == 9);
    const auto place = [&](const char* change, const nlohmann::json& value) {
        const auto refused = with(change, value);
        REQUIRE_FALSE(refused);
        return refused.error().where;
    };
    CHECK(place("/period_ns", -1).find("/cpu_samples/period_ns") != std::string::npos);
    CHECK(place("/frames/module", {9, nullptr}).find("/cpu_samples/frames") != std::string::npos);
    CHECK(place("/stacks/frame", {0, 2}).find("/stacks/frame/1") != std::string::npos);
    CHECK(place("/stacks/length", {3, 0}).find("/stacks") != std::string::npos);
    CHECK(place("/stacks/length", {1, 0}).find("/stacks") != std::string::npos);
    CHECK(place("/samples/stack", {0, 2}).find("/samples/stack/1") != std::string::npos);
    CHECK(place("/samples/thread", {0, 1}).find("/samples/thread/1") != std::string::npos);
    CHECK(place("/samples/thread", {0, 5}).find("/samples/thread/1") != std::string::npos);
    CHECK(place("/samples/time_delta_ns", {0, 9007199254740992}).find("/time_delta_ns/1") !=
          std::string::npos);
    // A kind of wait from a later version is read as Other.
    CHECK(with("/samples/wait", {0, 40})->processes[0].cpuSamples->samples[1].wait ==
          CpuWait::Other);
}

TEST_CASE("merging puts processes of one host on one clock") {
    Profile a = shortTimeline(), b = shortTimeline();
    a.processes[0].pid = 1;
    b.processes[0].pid = 2;
    *a.processes[0].clockZero += 2000;  // its zero is 2 us after b's
    b.timeline.callNames.insert(b.timeline.callNames.begin(), {"cudaFree", CallKind::Free});
    for (Call& call : b.timeline.calls) ++call.name;
    a.processes[0].run = ProcessRun{.time = {-9000, 90'000},
                                    .setup = {-8500, -8000},
                                    .firstContext = -7000,
                                    .firstLaunch = -10};
    const auto merged = mergeProfiles({{a, "a"}, {b, "b"}});
    REQUIRE(merged.ok());
    const Timeline& t = merged->timeline;
    CHECK(merged->launches[0].start->value == Approx(2e-6));
    CHECK(merged->launches[1].start->value == 0);
    CHECK(merged->processes[0].clockZero == merged->processes[1].clockZero);
    REQUIRE(merged->processes[0].run);
    CHECK(merged->processes[0].run->time == TimeSpan{-7000, 92'000});
    CHECK(merged->processes[0].run->setup == TimeSpan{-6500, -6000});
    CHECK(merged->processes[0].run->firstContext == -5000);
    CHECK(merged->processes[0].run->firstLaunch == 1990);
    CHECK_FALSE(merged->processes[0].run->countedUntil);
    CHECK(t.calls[0].time == TimeSpan{-4000, -3500});
    CHECK(t.calls[3].time == TimeSpan{-6000, -5500});
    CHECK(t.transfers[0].time == TimeSpan{-3000, 1000});
    CHECK(t.ranges[0].gpu == TimeSpan{-3000, 12'000});
    CHECK(t.callNames.size() == 4);
    CHECK(t.callNames[t.calls[5].name].name == "cudaDeviceSynchronize");
    CHECK(t.calls[3].work == 1u);  // the transfer of b
    CHECK(t.calls[4].work == 1u);  // the launch of b
    CHECK(t.threads[1].process == 1);
    CHECK(t.transfers[1].process == 1);
    CHECK(t.ranges[1].thread == 1);
}

TEST_CASE("merging leaves clocks apart that are not one timeline") {
    const auto startOfFirst = [](auto change) {
        Profile a = shortTimeline(), b = shortTimeline();
        b.processes[0].pid = 2;
        *a.processes[0].clockZero += 2000;
        change(a, b);
        const auto merged = mergeProfiles({{a, "a"}, {b, "b"}});
        REQUIRE(merged.ok());
        return merged->launches[0].start->value;
    };
    CHECK(startOfFirst([](Profile&, Profile&) {}) > 0);
    CHECK(startOfFirst([](Profile& a, Profile&) { a.processes[0].host = "other"; }) == 0);
    CHECK(startOfFirst([](Profile& a, Profile&) { a.processes[0].clockZero.reset(); }) == 0);
    // A run that starts a minute later is another run.
    CHECK(startOfFirst(
              [](Profile& a, Profile&) { *a.processes[0].clockZero += 60'000'000'000ULL; }) == 0);
}

TEST_CASE("redaction removes what a timeline says of people and folders") {
    Profile profile = shortTimeline();
    profile.timeline.threads[0].name = "alice-worker";
    profile.timeline.callNames[0].name = "/home/alice/lib.so";
    const Profile shared = redact(profile);
    const std::string text = formatProfile(shared);
    CHECK(text.find("alice") == std::string::npos);
    CHECK(shared.timeline.calls == profile.timeline.calls);
}

TEST_CASE("a timeline of a million calls stays small and quick") {
    Profile profile = shortTimeline();
    Timeline& t = profile.timeline;
    const std::size_t rows = 1'000'000;
    profile.launches.resize(rows, profile.launches[0]);
    profile.counters.resize(rows);
    t.calls.clear();
    std::uint32_t noise = 1;
    Nanoseconds now = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        noise = noise * 1664525 + 1013904223;
        now += 4000 + noise % 2048;
        t.calls.push_back(
            {.name = 1, .thread = 0, .time = {now, now + 1500 + (noise >> 8) % 512}, .work = i});
    }
    profile.launches.resize(1);  // only calls matter here
    profile.counters.resize(1);
    for (Call& call : t.calls) call.work = 0;
    const std::string text = formatProfile(profile);
    CHECK(text.size() < 16'000'000);
    const auto begin = std::chrono::steady_clock::now();
    const auto back = parseProfile(text, "p");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    REQUIRE(back.ok());
    CHECK(back->timeline.calls.size() == rows);
    CHECK(took.count() < 20);  // 0.2 s in a release build
}
