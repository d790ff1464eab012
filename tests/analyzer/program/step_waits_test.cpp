// SPDX-License-Identifier: Apache-2.0
// Waits for the GPU within a step: counted, named, and told from those at its end.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "analyzer/program/actions/step_waits.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::program::StepWaits;
using roofscope::test::actionNamed;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kTorch = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi";
constexpr const char* kWithin = "The CPU waits for the GPU within each repeat";

/// Reads a number as .item() does: a copy to pinned memory, and a wait.
void readNumber(SyntheticProgram& p) {
    p.copy(TransferKind::DeviceToHost, MemoryKind::Pinned, 4, 2).sync();
}

/// Steps of 40 short launches, in four parts, that read a number after each of the last
/// `waits` parts.
Profile shortLaunches(int waits, const std::string& kernel = kTorch) {
    return repeated([&](SyntheticProgram& p) {
        for (int part = 0; part < 4; ++part) {
            for (int i = 0; i < 10; ++i) p.launch(kernel + std::to_string(i), 1).work(5);
            if (part >= 4 - waits) readNumber(p);
        }
        p.sync();
    });
}

std::string titleOf(const Action& action) { return action.title.in(Language::En); }
std::string editOf(const Action& action) { return action.edit.in(Language::En); }
const Arg& argumentOf(const Action& action, std::string_view name) {
    const auto found = std::ranges::find(action.args, name, &Arg::name);
    REQUIRE(found != action.args.end());
    return *found;
}

StepWaits waitsOf(const std::function<void(SyntheticProgram&)>& step) {
    const Profile profile = repeated([&](SyntheticProgram& p) {
        p.launch("first", 50);
        step(p);
        p.launch("last", 50);
    });
    return program::stepWaits(profile, judged(profile).lanes.front());
}

}  // namespace

TEST_CASE("a copy back and its wait are one wait, and waiting again for nothing is none") {
    CHECK(waitsOf([](SyntheticProgram&) {}).waits == 0);
    const StepWaits numbers = waitsOf([](SyntheticProgram& p) {
        for (int i = 0; i < 3; ++i) readNumber(p);
    });
    CHECK(numbers.waits == Approx(3));
    CHECK(numbers.apart == Approx(1));  // no launch between them
    CHECK(numbers.copies.value * 1e6 == Approx(3 * SyntheticProgram::kLaunchCall));
    CHECK_FALSE(numbers.areWithin());
    const StepWaits apart = waitsOf([](SyntheticProgram& p) {
        for (int i = 0; i < 3; ++i) {
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 4, 2).sync().sync();
            p.launch("next", 50);
        }
    });
    CHECK(apart.waits == Approx(3));
    CHECK(apart.apart == Approx(3));
    CHECK(apart.copies.value == 0);
    CHECK(apart.areWithin());
    // What makes the program wait for a copy to the GPU is its memory.
    CHECK(waitsOf([](SyntheticProgram& p) {
              for (int i = 0; i < 3; ++i)
                  p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 4096, 2)
                      .sync()
                      .launch("next", 50);
          }).waits == 0);
}

TEST_CASE("where launches limit, the edit of waits comes first and the graph second, as one") {
    const Program program = judged(shortLaunches(4));
    REQUIRE_FALSE(program.actions.empty());
    const Action& action = program.actions.front();
    CHECK(action.rule == "launch-bound-program");
    // The title names what takes most: here issuing 40 launches, not the time after four waits.
    CHECK(titleOf(action) == "The GPU waits for launches");
    CHECK(action.sentence.in(Language::En).find("keeps the step from being captured") !=
          std::string::npos);
    CHECK(argumentOf(action, "waits").value == 4);
    // A graph leaves a gap of 1 us for each of 40 launches.
    const Account& account = program.account;
    CHECK(action.bound.value * 1e6 ==
          Approx((account.time[TimeClass::IdleSync] + account.time[TimeClass::IdleLaunch]).value *
                     1e6 -
                 40));
    const std::string edit = editOf(action);
    CHECK(edit.find(".item()") < edit.find("Then capture the step"));
    CHECK(edit.find("Then capture the step") != edit.npos);
    CHECK_FALSE(action.edit.in(test::kZh).empty());
    CHECK_FALSE(says(program, "sync-stops-queue"));
    // The same without PyTorch.
    const Program own = judged(shortLaunches(4, "mine"));
    CHECK(editOf(own.actions.front()).find("Then capture the launches") != std::string::npos);
    CHECK(editOf(own.actions.front()).find(".item()") == std::string::npos);
}

TEST_CASE("where the GPU has the work, the waits alone are the action") {
    const Program program = judged(repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 5; ++i) {
            p.launch(kTorch, 500);
            readNumber(p);
            p.work(150);
        }
    }));
    const Action& action = actionOf(program, "sync-stops-queue");
    CHECK(titleOf(action) == kWithin);
    CHECK(argumentOf(action, "waits").value == 5);
    // All but the kernels and the copies goes: 150 us, the wait's return, and the next launch.
    CHECK(action.bound.value <= (program.window.seconds - Seconds{5 * 500e-6}).value);
    CHECK(action.bound.value >= 5 * 150e-6);
    CHECK(editOf(action).find("tolist()") != std::string::npos);
    CHECK(editOf(action).find("capture") == std::string::npos);
    CHECK_FALSE(says(program, "launch-bound-program"));
}

TEST_CASE("steps with a wait at their end, with two, or with several in one place are others") {
    for (const int waits : {0, 2}) {
        const Program program = judged(shortLaunches(waits));
        const Action& action = actionOf(program, "launch-bound-program");
        CHECK(titleOf(action) == "The GPU waits for launches");
        CHECK((editOf(action).find("Remove the waits within the step first") !=
               std::string::npos) == (waits == 2));
    }
    // Several numbers in one place.
    const Program end = judged(repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 5; ++i) p.launch(kTorch, 100);
        for (int i = 0; i < 5; ++i) readNumber(p);
        p.work(150);
    }));
    for (const Action& action : end.actions) CHECK(titleOf(action) != kWithin);
}

TEST_CASE("waits are named by line and number, if all calls were noted") {
    const auto lines = [](std::uint64_t first, std::uint64_t second) {
        Profile profile = shortLaunches(4);
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            if (profile.kernels[k].name.find("vectorized") != std::string::npos ||
                profile.kernels[k].symbol.find("vectorized") != std::string::npos)
                profile.callSites.push_back(
                    {.kernel = k, .file = "/a/train.py", .line = 9, .count = 24});
        const auto waits = [&](std::uint32_t line, std::uint64_t count) {
            profile.callSites.push_back({.call = "cudaStreamSynchronize",
                                         .file = "/a/train.py",
                                         .line = line,
                                         .function = "step",
                                         .count = count});
        };
        waits(73, first);
        waits(83, second);
        const Program program = judged(profile);
        return argumentOf(program.actions.front(), "lines").text.in(Language::En);
    };
    CHECK(lines(18, 6) == "train.py:73 3×, train.py:83 1×");
    CHECK(lines(20, 3) == "train.py:73, train.py:83");  // of other repeats, too
}
