// SPDX-License-Identifier: Apache-2.0
// Recordings of real programs, each with what a specialist would say first of the program: written
// down from its source and its account of time, before our report was read.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/program/program.h"
#include "profile/codec.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

struct Expected {
    const char* program;
    /// Any of these rules may be the first action; empty: no action at all is right.
    std::vector<std::string> first;
    TimeClass largest;      ///< where most of the window's time goes
    const char* site = "";  ///< a line that the first action must name, if any
};

const std::vector<Expected>& corpus() {
    static const std::vector<Expected> list{
        // 64 MB in and 64 MB out through pageable memory every step; the kernels are a tenth.
        {"torch_copies", {"pageable-copy"}, TimeClass::Copies, "torch_copies.py:15"},
        // FP32 products of 2048×1024×4096 without TF32, six of them in a step.
        {"torch_step", {"missing-tensor-core"}, TimeClass::Kernels, "torch_step.py:"},
        // 32 MB of pinned memory for ten short kernels: the link is what everything waits for, and
        // the kernels are all that could be hidden behind it.
        {"torch_streams", {"copy-not-overlapped", "sync-stops-queue", ""}, TimeClass::Copies},
        // A step of 13 small kernels, each dispatched by Python: the time between launch calls is
        // work of the host.
        {"jax_train",
         {"launch-bound-program", "host-bound", "sync-stops-queue"},
         TimeClass::IdleHost},
        // 32 iterations of three tiny kernels each, from a loop on the host.
        {"jax_scan",
         {"launch-bound-program", "host-bound", "sync-stops-queue"},
         TimeClass::IdleLaunch},
    };
    return list;
}

Program programOf(const std::string& name) {
    auto profile = readProfile(std::string(ROOFSCOPE_SOURCE_DIR) + "/tests/frameworks/recorded/" +
                               name + ".roofscope.json.gz");
    REQUIRE(profile);
    return analyzeProgram(analyze(std::make_shared<const Profile>(std::move(*profile))));
}

}  // namespace

TEST_CASE("the first action of a real program is what a specialist would say first", "[corpus]") {
    for (const Expected& expected : corpus()) {
        INFO(expected.program);
        const Program program = programOf(expected.program);
        REQUIRE(program.window.seconds.value > 0);
        const std::string first = program.actions.empty() ? "" : program.actions.front().rule;
        INFO("said first: " << first << ", window " << program.window.seconds.value * 1e3 << " ms");
        for (const TimeClass cls : kTimeClasses)
            UNSCOPED_INFO(toString(cls) << ": " << program.account.share(cls).value);
        CHECK(std::ranges::find(expected.first, first) != expected.first.end());
        const auto largest = std::ranges::max_element(
            kTimeClasses, {}, [&](TimeClass cls) { return program.account.time[cls].value; });
        CHECK(std::string(toString(*largest)) == toString(expected.largest));
        if (!std::string(expected.site).empty() && !program.actions.empty())
            CHECK(std::ranges::any_of(program.actions.front().sites, [&](const ActionSite& site) {
                return site.text.find(expected.site) != site.text.npos;
            }));
    }
}

TEST_CASE("the account of a real program adds up to its window", "[corpus]") {
    for (const Expected& expected : corpus()) {
        INFO(expected.program);
        const Program program = programOf(expected.program);
        double sum = 0;
        for (const TimeClass cls : kTimeClasses) sum += program.account.share(cls).value;
        CHECK(sum == Approx(1.0).epsilon(1e-6));
        CHECK(program.launchesCounted <= program.launchesTimed);
        for (const Action& action : program.actions) CHECK(action.bound <= program.window.seconds);
    }
}
