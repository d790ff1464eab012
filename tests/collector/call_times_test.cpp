// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/call_times.h"

#include "tests/support/catch.h"

using namespace std::chrono_literals;
using roofscope::inject::CallTimes;

TEST_CASE("a few slow calls do not change the median") {
    CallTimes times;
    CHECK_FALSE(times.median());
    for (int i = 0; i < 6; ++i) times.add(14'300ns);
    for (int i = 0; i < 5; ++i) times.add(150us);  // waited for room in a queue
    times.add(3s);                                 // loaded code
    CHECK(times.median() == 14'500ns);             // rounded up to half a microsecond
    times.add(-1ns);
    for (int i = 0; i < 20; ++i) times.add(1s);
    CHECK_FALSE(times.median());  // most calls took longer than the longest time that is counted
}
