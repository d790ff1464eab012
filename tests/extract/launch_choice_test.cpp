// SPDX-License-Identifier: Apache-2.0
#include "extract/choice/launch_choice.h"

#include "collector/configuration/run_configuration.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// Launches of the kernels a and b with these durations (µs), all of one shape.
Profile profileOf(const std::vector<std::pair<std::uint32_t, double>>& launches) {
    Profile profile;
    profile.kernels = {{.name = "a(int)", .symbol = "_Z1ai"}, {.name = "b()", .symbol = "_Z1bv"}};
    profile.processes.emplace_back();
    for (const auto& [kernel, time] : launches)
        profile.launches.push_back({.kernel = kernel, .duration = Seconds{time * 1e-6}});
    return profile;
}

ChosenLaunch choose(const Profile& profile, const std::string& text) {
    const auto choice = LaunchChoice::parse(text);
    REQUIRE(choice);
    auto chosen = chooseLaunch(profile, *choice);
    REQUIRE(chosen);
    return *chosen;
}

}  // namespace

TEST_CASE("the launch is one of the kernel with the most time, by time or by number") {
    const Profile profile =
        profileOf({{0, 9}, {1, 30}, {0, 2}, {1, 10}, {1, 20}, {1, 25}, {1, 26}});
    CHECK(choose(profile, "first").launch == 1);
    CHECK(choose(profile, "slowest").launch == 1);
    CHECK(choose(profile, "median").launch == 5);
    CHECK(choose(profile, "2").launch == 3);
    CHECK(choose(profile, "median").ordinal == 3);
    CHECK(choose(profile, "median").among == 5);
    CHECK(choose(profile, "median").kernels == 2);
    CHECK(choose(profile, "first").signature == launchSignature(profile, profile.launches[1]));
    const auto many = chooseLaunch(profile, *LaunchChoice::parse("6"));
    REQUIRE_FALSE(many);
    CHECK(many.error().code == ErrorCode::Usage);
    CHECK(many.error().what.find("5 launches") != std::string::npos);
}

TEST_CASE("launches of graphs are counted, but not chosen") {
    Profile profile = profileOf({{0, 5}, {0, 50}, {0, 6}});
    profile.launches[1].fromGraph = true;
    CHECK(choose(profile, "slowest").launch == 2);
    CHECK(choose(profile, "slowest").ordinal == 2);
    for (Launch& launch : profile.launches) launch.fromGraph = true;
    const auto none = chooseLaunch(profile, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::Unavailable);
    CHECK(none.error().what.find("graphs") != std::string::npos);
    CHECK(chooseLaunch(profileOf({}), {}).error().code == ErrorCode::NoInput);
}

TEST_CASE("a launch is chosen only in one of the processes that launch the kernel") {
    Profile profile = profileOf({{0, 5}, {0, 50}, {0, 6}, {0, 7}});
    profile.processes.emplace_back();
    profile.launches[1].process = 1;
    CHECK(choose(profile, "slowest").launch == 3);
    CHECK(choose(profile, "slowest").ordinal == 2);
}

TEST_CASE("what is no choice of a launch is refused") {
    for (const char* text : {"", "0", "-1", "1.5", "last", "median ", "1234567890123"})
        CHECK_FALSE(LaunchChoice::parse(text));
}
