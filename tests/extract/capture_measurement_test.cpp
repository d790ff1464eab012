// SPDX-License-Identifier: Apache-2.0
// Which launch is chosen, and what is said if it cannot be kept: the fake CUPTI shows no modules,
// so none can be.
#include <string>
#include <vector>

#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

Profile captured(const CaptureMode& mode, const std::function<void(test::FakeProgram&)>& program,
                 LaunchSelection selection = {}) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram({.mode = mode, .selection = std::move(selection)}, folder.path(),
                                 program));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

std::string refusalIn(const Profile& profile) {
    std::string text;
    for (const Issue& issue : profile.issues)
        if (issue.code == "capture-refused") text += issue.message + ";";
    return text;
}

void launchThem(test::FakeProgram& program) {
    for (const unsigned grid : {1U, 2U, 3U}) {
        program.launch({.kernel = "scale", .grid = grid});
        program.launch({.kernel = "fan", .grid = grid + 10});
    }
}

}  // namespace

TEST_CASE("the launch of this number is chosen, and no other is recorded") {
    const Profile any = captured({.ordinal = 2}, launchThem);
    REQUIRE(any.launches.size() == 1);
    CHECK(any.launches[0].grid.x == 2);
    const Profile ofFan = captured({.ordinal = 2}, launchThem, {.kernel = "^fan$"});
    REQUIRE(ofFan.launches.size() == 1);
    CHECK(ofFan.launches[0].grid.x == 13);
    INFO(refusalIn(ofFan));
    CHECK(refusalIn(ofFan).find("code was not seen") != std::string::npos);
    const auto signature =
        launchSignature("fan", Launch{.grid = {11, 1, 1}, .block = {32, 1, 1}}, "");
    const Profile one = captured({.signature = signature}, launchThem);
    REQUIRE(one.launches.size() == 1);
    CHECK(one.launches[0].grid.x == 11);
    const Profile none = captured({.ordinal = 6}, launchThem);
    CHECK(none.launches.empty());
    CHECK(refusalIn(none).empty());
}

TEST_CASE("a launch of a graph is refused with the reason") {
    const Profile profile = captured({}, [](test::FakeProgram& program) {
        static const test::FakeGraph graph({"a"});
        program.make(graph);
        program.launch(graph);
    });
    CHECK(refusalIn(profile).find("CUDA graph") != std::string::npos);
}
