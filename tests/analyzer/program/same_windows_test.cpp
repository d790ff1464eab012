// SPDX-License-Identifier: Apache-2.0
// Ranks whose windows would describe different parts of the loop.
#include "profile/operations/merge.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

/// Ten steps of 4 kernels of 1 ms each and one of 2 ms. Only if it is `named`, NVTX shows the
/// steps; otherwise the kernel that repeats most is the period.
Profile rank(std::uint32_t number, bool named) {
    SyntheticProgram p;
    for (int step = 0; step < 10; ++step) {
        if (named) p.push("step");
        for (int i = 0; i < 40; ++i) p.launch("layer", 100);
        p.launch("update", 2000).sync();
        if (named) p.pop();
    }
    p.recorded().ranges = true;
    Profile profile = p.build();
    Process& process = profile.processes[0];
    process.pid = number + 1;
    process.host = "node";
    process.clockZero = 1'800'000'000'000'000'000;
    process.rank = number;
    process.worldSize = 2;
    profile.devices[0].uuid = "GPU-" + std::to_string(number);
    return profile;
}

Program judgedTogether(const Profile& a, const Profile& b) {
    const auto merged = mergeProfiles({{a, "a"}, {b, "b"}});
    REQUIRE(merged.ok());
    return test::judged(*merged);
}

}  // namespace

TEST_CASE("ranks are judged over the same part of the loop") {
    const Profile named = rank(0, true), other = rank(1, false);
    const auto alone = [](const Profile& profile) { return test::judged(profile).window; };
    REQUIRE(alone(named).kind == WindowKind::Range);
    REQUIRE(alone(other).kind == WindowKind::Period);
    const Program program = judgedTogether(named, other);
    REQUIRE(program.lanes.size() == 2);
    for (const Lane& lane : program.lanes) {
        CHECK(lane.window.kind == program.window.kind);
        CHECK(lane.window.name == program.window.name);
        CHECK(lane.account.time[TimeClass::Kernels].value == Approx(6e-3).margin(0.1e-3));
    }
}

TEST_CASE("ranks on clocks of their own are not compared if their windows differ") {
    const Profile named = rank(0, true);
    Profile other = rank(1, false);
    other.processes[0].host = "another";
    const Program program = judgedTogether(named, other);
    CHECK(program.lanes.size() == 1);
    REQUIRE(!program.unknown.empty());
    CHECK(program.unknown.back().in(Language::En).find("ranks are not compared") !=
          std::string::npos);
    // Windows that are alike need no common clock.
    other = rank(1, true);
    other.processes[0].host = "another";
    CHECK(judgedTogether(named, other).lanes.size() == 2);
}
