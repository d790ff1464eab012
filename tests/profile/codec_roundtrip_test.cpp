// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "tests/profile/random_profile.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::randomProfile;
using roofscope::test::sameProfile;
using roofscope::test::SyntheticProfile;

TEST_CASE("any profile comes back as it was written") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        INFO("seed " << seed);
        const Profile profile = randomProfile(seed);
        REQUIRE(validateProfile(profile, "p").ok());
        const std::string text = formatProfile(profile);
        const auto back = parseProfile(text, "p");
        if (!back.ok()) FAIL(back.error().message());
        CHECK(sameProfile(*back, profile));
        CHECK(formatProfile(*back) == text);
    }
}

TEST_CASE("the comparison of the round trip sees a difference") {
    const Profile a = randomProfile(3);
    Profile b = a;
    b.kernels[0].name += "x";
    CHECK_FALSE(sameProfile(a, b));
    b = a;
    b.counters.addColumn("new.sum", {});
    CHECK_FALSE(sameProfile(a, b));
}

TEST_CASE("what is written is JSON that any reader reads, in columns") {
    SyntheticProfile p;
    const auto kernel = p.kernel("copy(float4*)");
    p.launch(kernel, {1024, 2, 1}, {256})
        .set("dram__bytes_read.sum", 123456789012.0)
        .durationUs(12.5);
    p.launch(kernel, {1024, 2, 1}, {256}).set("ratio.pct", 0.1).set("dram__bytes_read.sum", 7);
    const auto json = nlohmann::json::parse(formatProfile(p.build()));
    CHECK(json["format"] == "roofscope-profile");
    CHECK(json["schema"] == nlohmann::json({1, 15}));
    CHECK(json["capture"]["origin"] == "synthetic");
    CHECK(json["launches"]["count"] == 2);
    CHECK(json["launches"]["kernel"] == nlohmann::json({0, 0}));
    CHECK(json["launches"]["grid_x"] == nlohmann::json({{"all", 1024}}));
    CHECK(json["launches"]["duration_ns"] == nlohmann::json({12500, nullptr}));
    CHECK_FALSE(json["launches"].contains("range"));
    CHECK(json["counters"]["dram__bytes_read.sum"] == nlohmann::json({123456789012, 7}));
    CHECK(json["counters"]["dram__bytes_read.sum"][0].is_number_integer());
    CHECK(json["counters"]["ratio.pct"] == nlohmann::json({nullptr, 0.1}));
    CHECK(json["devices"][0]["l2_bytes"] == 62914560);
}

TEST_CASE("a column that is only nearly constant keeps its differences") {
    SyntheticProfile p;
    const auto kernel = p.kernel("k");
    p.launch(kernel, {1}, {1}).set("zero.sum", 0.0).set("hole.sum", 5);
    p.launch(kernel, {1}, {1}).set("zero.sum", -0.0);
    p.launch(kernel, {1}, {1}).set("zero.sum", 0.0).set("hole.sum", 5);
    const Profile profile = p.build();
    const auto back = parseProfile(formatProfile(profile), "p");
    REQUIRE(back.ok());
    CHECK(sameProfile(*back, profile));
    CHECK(std::signbit(*back->counters.value("zero.sum", 1)));
    CHECK_FALSE(back->counters.value("hole.sum", 1).has_value());
}

TEST_CASE("durations: whole nanoseconds exactly, others to the last place") {
    SyntheticProfile p;
    const auto kernel = p.kernel("k");
    const double seconds[] = {0, 1e-9, 1.1e-5, 123456789e-9, 0.1, 1.0 / 3, 3.0000000001e-6};
    for (const double s : seconds) p.launch(kernel, {1}, {1}).launch().duration = Seconds{s};
    const auto back = parseProfile(formatProfile(p.build()), "p");
    REQUIRE(back.ok());
    for (std::size_t i = 0; i < std::size(seconds); ++i) {
        CHECK(back->launches[i].duration->value == Approx(seconds[i]).epsilon(3e-16));
    }
    CHECK(back->launches[3].duration->value == 123456789e-9);
}

TEST_CASE("a name that is not UTF-8 does not make the file unreadable") {
    SyntheticProfile p;
    p.launch(p.kernel("bad\xff\xc3name"), {1}, {1});
    const auto back = parseProfile(formatProfile(p.build()), "p");
    REQUIRE(back.ok());
    CHECK(back->kernels[0].name.find("bad\xEF\xBF\xBD") == 0);
}

TEST_CASE("numbers that are not finite are missing in the file") {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {1}).set("a.sum", 1);
    p.profile().devices[0].peaks["nan.sum.peak_sustained"] = 0.0 / 0.0 * 1;
    p.profile().devices[0].smClockMax = Hertz{1.0 / 0.0};
    const auto back = parseProfile(formatProfile(p.build()), "p");
    REQUIRE(back.ok());
    CHECK_FALSE(back->devices[0].peaks.contains("nan.sum.peak_sustained"));
    CHECK_FALSE(back->devices[0].smClockMax.has_value());
}

TEST_CASE("unknown keys of a later minor version are ignored, absent ones keep their defaults") {
    const auto back = parseProfile(
        R"({"future": {"a": [1, {"b": null}]}, "format": "roofscope-profile", "schema": [1, 7],
            "devices": [{"name": "G", "nvlinks": 18}], "processes": [{}],
            "kernels": [{"name": "k", "colour": "red"}],
            "launches": {"kernel": [0, 0], "mood": ["x", "y"], "cluster_x": [2, null]},
            "issues": [{"severity": "catastrophe", "code": "c"}]})",
        "p");
    if (!back.ok()) FAIL(back.error().message());
    CHECK(back->launches.size() == 2);
    CHECK(back->launches[0].grid == Dim3{});
    CHECK(back->launches[0].cluster == Dim3{2, 1, 1});
    CHECK_FALSE(back->launches[1].cluster.has_value());
    CHECK_FALSE(back->devices[0].l2Bytes.has_value());
    CHECK_FALSE(back->kernels[0].registersPerThread.has_value());
    CHECK(back->kernels[0].symbol == "k");
    CHECK(back->issues[0].severity == Severity::Error);
}

TEST_CASE("100,000 launches stay small and quick") {
    SyntheticProfile p;
    const auto kernel = p.kernel("decode_step");
    constexpr std::size_t kLaunches = 100'000;
    Launch launch;
    launch.kernel = kernel;
    launch.grid = {4096};
    launch.block = {128};
    p.profile().launches.assign(kLaunches, launch);
    p.profile().counters.resize(kLaunches);
    for (int counter = 0; counter < 60; ++counter) {
        std::vector<double> values(kLaunches);
        for (std::size_t i = 0; i < kLaunches; ++i) {
            values[i] =
                counter < 30 ? 1048576.0 : static_cast<double>((i * 7919 + counter) % 1000003);
        }
        p.profile().counters.addColumn("counter_" + std::to_string(counter) + ".sum",
                                       std::move(values));
    }
    const auto text = formatProfile(p.build());
    CHECK(text.size() < 30'000'000);
    const auto start = std::chrono::steady_clock::now();
    const auto back = parseProfile(text, "p");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    REQUIRE(back.ok());
    CHECK(back->counters.value("counter_59.sum", 99'999).has_value());
    UNSCOPED_INFO("read " << text.size() << " bytes in " << took.count() << " s");
    CHECK(took.count() < 20);  // generous for sanitizers and busy machines; see the message
}
