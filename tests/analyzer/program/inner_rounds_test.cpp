// SPDX-License-Identifier: Apache-2.0
// Whether the occurrences of a window are the rounds of an inner loop.
#include <optional>

#include "analyzer/program/actions/launch_rounds.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::program;

namespace {

/// `runs` runs of `rounds` occurrences with 25 launches each; the last of a run also has `others`.
std::optional<LaunchRounds> inner(int runs, int rounds, int others) {
    LaneActivity lane;
    FoundWindow window;
    Nanoseconds now = 0;
    for (int run = 0; run < runs; ++run)
        for (int round = 0; round < rounds; ++round) {
            const Nanoseconds start = now;
            const int launches = 25 + (round + 1 == rounds ? others : 0);
            for (int i = 0; i < launches; ++i, now += 10) {
                Activity activity;
                activity.kind = Activity::Kind::Kernel;
                activity.time = {now, now + 5};
                lane.activities.push_back(activity);
            }
            window.spans.push_back({start, now});
        }
    return innerRounds(lane, window);
}

}  // namespace

TEST_CASE("a loop that is entered again and again, with other work between, is an inner loop") {
    const auto found = inner(4, 400, 300);
    REQUIRE(found);
    CHECK(found->length == 25);
    CHECK(found->launches == 25);
    CHECK(found->rounds == Approx(320));  // the work after the last run does not end one
}

TEST_CASE("the program's main loop, short loops and a report now and then are none") {
    CHECK_FALSE(inner(1, 1600, 0));
    CHECK_FALSE(inner(4, 20, 300));
    CHECK_FALSE(inner(4, 400, 10));
    CHECK_FALSE(innerRounds({}, {}));
}
