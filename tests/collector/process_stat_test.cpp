// SPDX-License-Identifier: Apache-2.0
#include "collector/rank/process_stat.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("a process that is not there has no state") {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    REQUIRE(child > 0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(statOf(child));
    const auto self = statOf(getpid());
    REQUIRE(self);
    CHECK(self->parent == getppid());
    CHECK(self->started > 0);
}

// The file of a process can be opened and then no longer be read.
TEST_CASE("a process may end while its state is read") {
    for (int i = 0; i < 2000; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        REQUIRE(child > 0);
        std::thread reaper([child] { waitpid(child, nullptr, 0); });
        bool threw = false;
        try {
            while (statOf(child)) {
            }
        } catch (...) {
            threw = true;
        }
        reaper.join();
        REQUIRE_FALSE(threw);
    }
}
