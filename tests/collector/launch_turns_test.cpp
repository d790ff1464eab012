// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_turns.h"

#include <condition_variable>
#include <thread>

#include "tests/support/catch.h"

using namespace roofscope;
using inject::LaunchTurns;
using std::chrono::milliseconds;

namespace {

const LaunchTurns::Options kQuick{.least = milliseconds(400),
                                  .most = milliseconds(5000),
                                  .soon = milliseconds(5),
                                  .apart = milliseconds(400),
                                  .calm = 20};

/// What a second thread gets that asks for its turn while another's turn lasts `length`.
LaunchTurns::Turn turnDuringOther(LaunchTurns& turns, milliseconds length) {
    REQUIRE(turns.take().ours);
    LaunchTurns::Turn got;
    std::thread other([&] {
        got = turns.take();
        if (got.ours) turns.unlock();
    });
    std::this_thread::sleep_for(length);
    turns.unlock();
    other.join();
    return got;
}

/// Two launches that wait for each other. Returns how long they took.
LaunchTurns::Clock::duration waitingForEachOther(LaunchTurns& turns) {
    std::mutex mutex;
    std::condition_variable changed;
    int launched = 0;
    const auto launch = [&] {
        const bool ours = turns.take().ours;
        {
            std::unique_lock lock(mutex);
            ++launched;
            changed.notify_all();
            changed.wait(lock, [&] { return launched == 2; });
        }
        if (ours) turns.unlock();
    };
    const auto begun = LaunchTurns::Clock::now();
    std::thread other(launch);
    launch();
    other.join();
    return LaunchTurns::Clock::now() - begun;
}

}  // namespace

TEST_CASE("after a slow launch threads wait longer") {
    LaunchTurns turns(kQuick);
    const auto first = turnDuringOther(turns, milliseconds(1200));
    CHECK_FALSE(first.ours);
    CHECK(first.firstToGiveUp);
    CHECK(first.patience == milliseconds(400));
    CHECK_FALSE(turns.overlap());
    const auto again = turnDuringOther(turns, milliseconds(1200));
    CHECK(again.ours);
    CHECK(again.patience > milliseconds(3000));
}

TEST_CASE("launches that wait for each other cost patience once") {
    LaunchTurns turns(kQuick);
    CHECK(waitingForEachOther(turns) >= kQuick.least);
    CHECK(turns.overlap());
    for (int i = 0; i < 5; ++i) CHECK(waitingForEachOther(turns) < kQuick.least);
    CHECK(turns.overlap());
    // If others take their turns in time, there is one more chance, but only one.
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < kQuick.calm; ++i) {
            REQUIRE(turns.take().ours);
            turns.unlock();
        }
        CHECK(turns.overlap() == (round > 0));
        CHECK((waitingForEachOther(turns) >= kQuick.least) == (round == 0));
    }
}

TEST_CASE("patience has its limits, however long a launch took") {
    LaunchTurns turns({.least = milliseconds(50),
                       .most = milliseconds(120),
                       .soon = milliseconds(5),
                       .apart = milliseconds(20),
                       .chances = 1});
    CHECK_FALSE(turnDuringOther(turns, milliseconds(300)).ours);
    CHECK_FALSE(turns.overlap());
    const auto second = turnDuringOther(turns, milliseconds(300));
    CHECK_FALSE(second.ours);
    CHECK(second.patience == milliseconds(120));
    CHECK(turns.overlap());  // that was the only chance
    CHECK(turnDuringOther(turns, milliseconds(300)).patience == milliseconds(5));
}
