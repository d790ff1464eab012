// SPDX-License-Identifier: Apache-2.0
// The pace of launches in a profile: written and read, and refused where it cannot be.
#include <string>

#include "profile/codec/codec.h"
#include "profile/model/profile.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;

namespace {

Profile withPace() {
    test::SyntheticProfile synthetic;
    Profile profile = synthetic.profile();
    if (profile.processes.empty()) profile.processes.emplace_back();
    profile.processes[0].pace = LaunchPace{.traced = {{.calls = 3, .time = -500}, {7, 0}, {9, 80}},
                                           .alone = {{.calls = 4, .time = 0}, {6, 25}}};
    return profile;
}

std::string problemOf(const Profile& profile) {
    const auto checked = validateProfile(profile, "p.json");
    return checked ? "" : checked.error().message();
}

}  // namespace

TEST_CASE("marks of launches come back as written") {
    Profile profile = withPace();
    SECTION("whatever their distances are") {}
    SECTION("as far apart as each other, in calls and in time") {
        auto& marks = profile.processes[0].pace->alone;
        for (std::uint64_t i = 1; i < 9; ++i)
            marks.push_back({4 + 512 * i, 1'000'000 * static_cast<Nanoseconds>(i)});
        marks.erase(marks.begin() + 1);
    }
    const auto read = parseProfile(formatProfile(profile), "p.json");
    REQUIRE(read);
    CHECK(read->processes[0].pace == profile.processes[0].pace);
    Profile without = profile;
    without.processes[0].pace.reset();
    CHECK(formatProfile(without).find("\"pace\"") == std::string::npos);
}

TEST_CASE("marks that do not ascend are refused, with their place") {
    Profile profile = withPace();
    profile.processes[0].pace->alone[1].calls = 4;
    CHECK(problemOf(profile).find("/processes/0/pace/alone/calls_delta/1") != std::string::npos);
    profile = withPace();
    profile.processes[0].pace->traced[2].time = -1;
    CHECK(problemOf(profile).find("/processes/0/pace/traced/time_delta_ns/2") != std::string::npos);
}
