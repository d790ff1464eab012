// SPDX-License-Identifier: Apache-2.0
// Values that no GPU can have measured are read as missing, and the profile says so.
#include <string>

#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

Profile read(double value, double peak = 64, double durationNs = 1000) {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {64}).set("a.sum", 7).set("b.sum", value);
    Profile profile = p.build();
    profile.devices[0].peaks["c.sum.peak_sustained"] = peak;
    profile.launches[0].duration = Seconds{durationNs * 1e-9};
    auto result = parseProfile(formatProfile(profile), "test");
    REQUIRE(result.ok());
    return std::move(*result);
}

std::size_t issuesOf(const Profile& profile) {
    std::size_t count = 0;
    for (const Issue& issue : profile.issues) count += issue.code == "implausible-value";
    return count;
}

}  // namespace

TEST_CASE("Counters that no GPU can have counted are missing") {
    for (const double value : {-1.0, 1e308, -1e308, 2e19, 5e-324}) {
        INFO(value);
        const Profile profile = read(value);
        CHECK_FALSE(profile.counters.value("b.sum", 0));
        CHECK(profile.counters.value("a.sum", 0) == 7.0);
        REQUIRE(issuesOf(profile) == 1);
        CHECK(profile.issues.back().severity == Severity::DataLoss);
        CHECK(profile.issues.back().message.find("b.sum") != std::string::npos);
        CHECK(profile.issues.back().message.find("a.sum") == std::string::npos);
    }
}

TEST_CASE("Everything that can be counted stays") {
    for (const double value : {0.0, 1e-9, 0.5, 1.0, 1e18, 18446744073709551615.0}) {
        INFO(value);
        const Profile profile = read(value);
        CHECK(profile.counters.value("b.sum", 0) == value);
        CHECK(issuesOf(profile) == 0);
    }
}

TEST_CASE("Peaks and times out of all proportion are missing") {
    for (const double peak : {1e308, 5e-324, -1.0}) {
        const Profile profile = read(1, peak);
        CHECK(profile.devices[0].peaks.count("c.sum.peak_sustained") == 0);
        CHECK(issuesOf(profile) == 1);
    }
    for (const double time : {1e308, 1e20}) {
        const Profile profile = read(1, 64, time);
        CHECK_FALSE(profile.launches[0].duration);
        CHECK(issuesOf(profile) == 1);
    }
    CHECK(read(1).launches[0].duration);
    CHECK(issuesOf(read(1)) == 0);
}

TEST_CASE("A warp that no GPU has is not known") {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {64}).set("a.sum", 7);
    for (const std::uint32_t warp : {0u, 32u, 1'000'000u}) {
        Profile profile = p.build();
        profile.devices[0].warpSize = warp;
        const auto read = parseProfile(formatProfile(profile), "test");
        REQUIRE(read.ok());
        CHECK(read->devices[0].warpSize == (warp == 32 ? 32 : 0));
        CHECK(issuesOf(*read) == (warp > 32 ? 1 : 0));
    }
    Profile profile = p.build();
    profile.devices[0].maxThreadsPerSm = 16;
    const auto read = parseProfile(formatProfile(profile), "test");
    REQUIRE(read.ok());
    CHECK_FALSE(read->devices[0].maxThreadsPerSm.has_value());
}
