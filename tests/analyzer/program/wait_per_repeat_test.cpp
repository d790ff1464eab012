// SPDX-License-Identifier: Apache-2.0
// wait-per-repeat: short repeats that each wait for the GPU, and loops that only look like them.
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kWaitPerRepeat = "wait-per-repeat";

struct Loop {
    int repeats = 40;
    double kernel = 7;
    const char* name = "sweep";
    bool waits = true;
    int none = 0;      ///< every `none`th repeat does not wait; then no results are copied back
    double host = 0;   ///< microseconds of work on the CPU after the wait
    double bytes = 0;  ///< that go to the GPU in each repeat
};

Program judgedLoop(const Loop& loop) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < loop.repeats; ++i) {
        p.push("sweep");
        if (loop.bytes > 0) p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, loop.bytes, 2);
        p.launch(loop.name, loop.kernel);
        const bool waits = loop.waits && (loop.none == 0 || i % loop.none > 0);
        if (waits && loop.none == 0) p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 8, 2);
        if (waits) p.sync();
        if (loop.host > 0) p.work(loop.host);
        p.pop();
    }
    p.sync();
    return test::judged(p.build());
}

}  // namespace

TEST_CASE("short repeats that each wait are told to wait less often") {
    const Program program = judgedLoop({});
    const Action* action = actionNamed(program, kWaitPerRepeat);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    // All but the kernel may go.
    CHECK(action->bound < program.window.seconds);
    CHECK(action->bound >= program.account.time[TimeClass::IdleSync]);
    // The copy of the result may go, too, so it is no part of the work that stays.
    const auto argument = [&](std::string_view name) {
        return std::ranges::find(action->args, name, &Arg::name)->value;
    };
    CHECK(argument("results") * 1e6 == Approx(4));  // 2 us, and as long until it begins
    CHECK(argument("work") * 1e6 == Approx(7).margin(0.5));
    // One action for waits and launches: the edit is the same.
    CHECK_FALSE(actionNamed(program, "sync-stops-queue"));
    CHECK_FALSE(actionNamed(program, "launch-bound-program"));
}

TEST_CASE(
    "a CPU that works on each result before the next input is told to leave that to the GPU") {
    const auto edit = [](const Loop& loop) {
        const Program program = judgedLoop(loop);
        const Action* action = actionNamed(program, kWaitPerRepeat);
        REQUIRE(action);
        return action->edit.in(Language::En);
    };
    CHECK(edit({.host = 5, .bytes = 400}).find("on the GPU as well") != std::string::npos);
    CHECK(edit({.bytes = 400}).find("Wait less often") != std::string::npos);
    CHECK(edit({.host = 5}).find("Wait less often") != std::string::npos);
}

TEST_CASE("long work, few repeats, repeats without a wait and PyTorch get no such advice") {
    CHECK_FALSE(actionNamed(judgedLoop({.kernel = 1000}), kWaitPerRepeat));
    CHECK_FALSE(actionNamed(judgedLoop({.repeats = 8}), kWaitPerRepeat));
    CHECK_FALSE(actionNamed(judgedLoop({.waits = false}), kWaitPerRepeat));
    CHECK_FALSE(actionNamed(judgedLoop({.none = 2}), kWaitPerRepeat));
    CHECK(actionNamed(judgedLoop({.repeats = 60, .none = 6}), kWaitPerRepeat));  // nearly all wait
    CHECK_FALSE(
        actionNamed(judgedLoop({.name = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"}),
                    kWaitPerRepeat));
}

TEST_CASE("repeats that need new data or the CPU's own work get no such advice") {
    CHECK_FALSE(actionNamed(judgedLoop({.bytes = 300e3}), kWaitPerRepeat));
    // The CPU works for 100 µs in each repeat: waiting less often does not shorten that.
    CHECK_FALSE(actionNamed(judgedLoop({.host = 100}), kWaitPerRepeat));
}
