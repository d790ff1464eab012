// SPDX-License-Identifier: Apache-2.0
// Observed clocks and declared bytes in profile files: what is kept, missing, refused and merged.
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "profile/operations/merge.h"
#include "profile/operations/redact.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

Profile seen(const std::string& created = "2026-01-01T00:00:00Z") {
    SyntheticProfile p;
    const auto kernel = p.kernel("copy");
    p.launch(kernel, {1, 1, 1}, {32, 1, 1}).launch().declaredBytes = 1 << 20;
    p.launch(kernel, {1, 1, 1}, {32, 1, 1});
    p.profile().capture.createdUtc = created;
    p.profile().processes[0].host = "node";
    p.profile().devices[0].observed = ObservedClocks{.samples = 10,
                                                     .smLowest = Hertz{1.5e9},
                                                     .smHighest = Hertz{1.98e9},
                                                     .throttledSamples = 3,
                                                     .throttledBy = {"power cap"}};
    return p.build();
}

nlohmann::json observedJson(const Profile& profile) {
    return nlohmann::json::parse(formatProfile(profile));
}

}  // namespace

TEST_CASE("observed clocks are written with their unit, and nothing that was not seen") {
    const auto observed = observedJson(seen())["devices"][0]["observed"];
    CHECK(observed["samples"] == 10);
    CHECK(observed["sm_clock_lowest_hz"] == 1.5e9);
    CHECK(observed["throttled_by"] == nlohmann::json::array({"power cap"}));
    for (const char* key : {"memory_clock_lowest_hz", "temperature_highest_c", "power_highest_w"})
        CHECK_FALSE(observed.contains(key));
    CHECK_FALSE(observedJson(SyntheticProfile().build())["devices"][0].contains("observed"));
    const auto back = parseProfile(formatProfile(seen()), "p");
    REQUIRE(back.ok());
    REQUIRE(back->devices[0].observed);
    CHECK(back->devices[0].observed->throttledSamples == 3U);
    CHECK_FALSE(back->devices[0].observed->memoryLowest);
}

TEST_CASE("declared bytes are missing where nobody declared any, and never 0") {
    CHECK(observedJson(seen())["launches"]["declared_bytes"] ==
          nlohmann::json::array({1 << 20, nullptr}));
    const auto back = parseProfile(formatProfile(seen()), "p");
    REQUIRE(back.ok());
    CHECK(back->launches[0].declaredBytes == 1U << 20);
    CHECK_FALSE(back->launches[1].declaredBytes);
    CHECK_FALSE(observedJson(SyntheticProfile().build())["launches"].contains("declared_bytes"));
    auto json = observedJson(seen());
    json["launches"]["declared_bytes"][1] = 0;
    const auto zero = parseProfile(json.dump(), "p");
    REQUIRE_FALSE(zero.ok());
    CHECK(zero.error().where == "p: /launches/declared_bytes/1");
    json["launches"]["declared_bytes"][1] = -1;
    CHECK_FALSE(parseProfile(json.dump(), "p").ok());
}

TEST_CASE("more samples that were throttled than there are is refused") {
    auto json = observedJson(seen());
    json["devices"][0]["observed"]["throttled_samples"] = 11;
    const auto profile = parseProfile(json.dump(), "p");
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().where == "p: /devices/0/observed/throttled_samples");
    json["devices"][0]["observed"] = 3;
    CHECK_FALSE(parseProfile(json.dump(), "p").ok());
}

TEST_CASE("one GPU that several processes watched is one device with all that was seen") {
    Profile other = seen("2026-01-02T00:00:00Z");
    other.devices[0].observed = ObservedClocks{.samples = 4,
                                               .smLowest = Hertz{1.2e9},
                                               .smHighest = Hertz{1.7e9},
                                               .throttledSamples = 1,
                                               .throttledBy = {"thermal slowdown", "power cap"},
                                               .powerHighestW = 650};
    const auto merge = [&](Profile second) {
        auto merged = mergeProfiles({{seen(), "a"}, {std::move(second), "b"}});
        REQUIRE(merged.ok());
        REQUIRE(merged->devices.size() == 1);
        return merged->devices[0].observed;
    };
    const auto all = merge(other);
    REQUIRE(all);
    CHECK(all->samples == 14);
    CHECK(all->smLowest == Hertz{1.2e9});
    CHECK(all->smHighest == Hertz{1.98e9});
    CHECK(all->throttledSamples == 4U);
    CHECK(all->throttledBy == std::vector<std::string>{"power cap", "thermal slowdown"});
    CHECK(all->powerHighestW == 650.0);
    // If one of them is unknown, the sum is unknown.
    other.devices[0].observed->throttledSamples.reset();
    CHECK_FALSE(merge(other)->throttledSamples);
    other.devices[0].observed.reset();
    CHECK(merge(other)->samples == 10);
}

TEST_CASE("redaction keeps clocks and bytes") {
    const Profile redacted = redact(seen());
    REQUIRE(redacted.devices[0].observed);
    CHECK(redacted.devices[0].observed->throttledBy == std::vector<std::string>{"power cap"});
    CHECK(redacted.launches[0].declaredBytes == 1U << 20);
}
