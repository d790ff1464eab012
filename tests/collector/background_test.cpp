// SPDX-License-Identifier: Apache-2.0
// The thread for work that must not delay the program.
#include "collector/inject/threads/background.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.h"

using namespace roofscope::inject;
using namespace std::chrono_literals;

namespace {

bool within(std::chrono::seconds most, const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + most;
    while (!condition() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    return condition();
}

}  // namespace

TEST_CASE("background work goes on until it is stopped, whatever it throws") {
    std::atomic<int> rounds{0};
    Background background;
    CHECK_FALSE(background.running());
    REQUIRE(background.start([&]() -> bool {
        if (++rounds % 2) throw std::runtime_error("out of memory");
        return true;
    }));
    CHECK(background.running());
    CHECK(within(10s, [&] { return rounds > 5; }));
    CHECK(background.stop());
    CHECK_FALSE(background.running());
    const int then = rounds;
    std::this_thread::sleep_for(50ms);
    CHECK(rounds == then);
    CHECK(background.stop());
}

TEST_CASE("stopping waits for the work under way") {
    std::atomic<bool> begun{false}, done{false};
    Background background;
    REQUIRE(background.start([&] {
        begun = true;
        std::this_thread::sleep_for(50ms);
        done = true;
        return false;
    }));
    REQUIRE(within(10s, [&] { return begun.load(); }));
    CHECK(background.stop());
    CHECK(done);
}

TEST_CASE("signals stay the program's") {
    std::atomic<int> blocked{-1};
    Background background;
    REQUIRE(background.start([&] {
        sigset_t mask;
        sigemptyset(&mask);
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGUSR1) == 1 ? 1 : 0;
        return false;
    }));
    CHECK(within(10s, [&] { return blocked >= 0; }));
    CHECK(blocked == 1);
    sigset_t own;
    pthread_sigmask(SIG_SETMASK, nullptr, &own);
    CHECK(sigismember(&own, SIGUSR1) == 0);
}
