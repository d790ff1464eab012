// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/threads/per_thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::atomic<int> g_made{0}, g_destroyed{0};

struct Object {
    Object() { ++g_made; }
    ~Object() { ++g_destroyed; }
    int value = 0;
};

/// A thread-local object of the program, which is destroyed after those that the thread made later.
struct ProgramsOwn {
    ~ProgramsOwn() { valueAtEnd = inject::perThread<Object>().value; }
    static inline int valueAtEnd = 0;
};

}  // namespace

TEST_CASE("a per-thread object lives as long as the thread's code runs") {
    inject::perThread<Object>().value = 1;
    const int before = g_destroyed;
    std::thread([] {
        static thread_local ProgramsOwn own;
        (void)&own;
        CHECK(inject::perThread<Object>().value == 0);
        inject::perThread<Object>().value = 7;
    }).join();
    CHECK(ProgramsOwn::valueAtEnd == 7);
    CHECK(g_destroyed == before + 1);  // nothing is left behind
    CHECK(inject::perThread<Object>().value == 1);
}

TEST_CASE("exit handlers find the main thread's object") {
    const pid_t child = fork();
    if (child == 0) {
        inject::perThread<Object>().value = 5;
        std::atexit(
            [] { _exit(inject::perThread<Object>().value == 5 && g_destroyed == 0 ? 0 : 1); });
        g_destroyed = 0;
        std::exit(2);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
