// SPDX-License-Identifier: Apache-2.0
// Measured roofs in profile files: what is kept, missing and refused.
#include <limits>
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "profile/operations/redact.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

Profile withCeilings() {
    SyntheticProfile p;
    Device& device = p.profile().devices[0];
    device.uuid = "GPU-01";
    device.ceilings = {{.name = "dram_copy",
                        .kind = Ceiling::Kind::Bandwidth,
                        .burst = 4.25e12,
                        .sustained = 4.2e12,
                        .spread = Ratio{0.001},
                        .bufferBytes = 8589934592,
                        .method = "16 bytes per access",
                        .throttled = false},
                       {.name = "fp32", .kind = Ceiling::Kind::Compute, .burst = 6.5e13}};
    return p.build();
}

nlohmann::json jsonOf(const Profile& profile) {
    return nlohmann::json::parse(formatProfile(profile));
}

}  // namespace

TEST_CASE("ceilings are written with their unit in the key, and nothing that was not measured") {
    const auto ceilings = jsonOf(withCeilings())["devices"][0]["ceilings"];
    REQUIRE(ceilings.size() == 2);
    CHECK(ceilings[0]["kind"] == "bandwidth");
    CHECK(ceilings[0]["burst_bytes_per_s"] == 4.25e12);
    CHECK(ceilings[0]["throttled"] == false);
    CHECK(ceilings[1]["burst_ops_per_s"] == 6.5e13);
    for (const char* key :
         {"sustained_ops_per_s", "spread_ratio", "throttled", "sustained_sm_clock_hz"})
        CHECK_FALSE(ceilings[1].contains(key));
    const auto back = parseProfile(formatProfile(withCeilings()), "p");
    REQUIRE(back.ok());
    REQUIRE(back->devices[0].ceilings.size() == 2);
    CHECK(back->devices[0].ceilings[0].sustained == 4.2e12);
    CHECK(back->devices[0].ceilings[0].throttled == false);
    CHECK_FALSE(back->devices[0].ceilings[1].sustained);
    CHECK_FALSE(back->devices[0].ceilings[1].throttled);
}

TEST_CASE("a profile without ceilings has no key for them") {
    const auto device = jsonOf(SyntheticProfile().build())["devices"][0];
    CHECK_FALSE(device.contains("ceilings"));
    CHECK_FALSE(device.contains("uuid"));
}

TEST_CASE("a roof that is no positive number is refused in both directions") {
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
        Profile profile = withCeilings();
        profile.devices[0].ceilings[1].burst = bad;
        const auto valid = validateProfile(profile, "p");
        REQUIRE_FALSE(valid.ok());
        CHECK(valid.error().where == "p: /devices/0/ceilings/1/burst_ops_per_s");
        profile = withCeilings();
        profile.devices[0].ceilings[0].sustained = bad;
        CHECK_FALSE(validateProfile(profile, "p").ok());
    }
    auto json = jsonOf(withCeilings());
    auto& ceiling = json["devices"][0]["ceilings"][1];
    ceiling["burst_ops_per_s"] = 0;
    CHECK_FALSE(parseProfile(json.dump(), "p").ok());
    ceiling.erase("burst_ops_per_s");
    const auto missing = parseProfile(json.dump(), "p");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().where == "p: /devices/0/ceilings/1");
    // A rate in the wrong unit is refused.
    ceiling["burst_bytes_per_s"] = 1e12;
    CHECK_FALSE(parseProfile(json.dump(), "p").ok());
}

TEST_CASE("a kind of ceiling that a later version adds is left out") {
    auto json = jsonOf(withCeilings());
    json["devices"][0]["ceilings"][0]["kind"] = "latency";
    const auto profile = parseProfile(json.dump(), "p");
    REQUIRE(profile.ok());
    REQUIRE(profile->devices[0].ceilings.size() == 1);
    CHECK(profile->devices[0].ceilings[0].name == "fp32");
}

TEST_CASE("the UUID, which names one board, is redacted; the ceilings stay") {
    const Profile redacted = redact(withCeilings());
    CHECK(redacted.devices[0].uuid.empty());
    CHECK(redacted.devices[0].ceilings.size() == 2);
    CHECK(formatProfile(redacted).find("GPU-01") == std::string::npos);
}

TEST_CASE("UUIDs are written as nvidia-smi writes them") {
    const char bytes[16] = {0x6f, 0x1b, 0x1a, 0x4e, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, '\xff'};
    CHECK(uuidText(bytes) == "GPU-6f1b1a4e-0001-0203-0405-060708090aff");
}
