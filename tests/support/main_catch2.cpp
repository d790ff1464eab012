// SPDX-License-Identifier: Apache-2.0
// main() of all test programs, for Catch2 3.x and 2.13. Like Catch2's own, but returns 77 if all
// cases were skipped.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using ListenerBase = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using ListenerBase = Catch::TestEventListenerBase;
#endif

#include <utility>

#include "tests/support/skip.h"

namespace {

int g_ended = 0, g_skipped = 0;
bool g_skippedNow = false;

class SkippedCases : public ListenerBase {
public:
    using ListenerBase::ListenerBase;
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        ++g_ended;
        if (std::exchange(g_skippedNow, false)) ++g_skipped;
        ListenerBase::testCaseEnded(stats);
    }
};

}  // namespace

CATCH_REGISTER_LISTENER(SkippedCases)

void roofscope::test::noteSkippedCase() { g_skippedNow = true; }

int main(int argc, char** argv) {
    constexpr int kSkipped = 77;  // SKIP_RETURN_CODE of tests/CMakeLists.txt
    const int failed = Catch::Session().run(argc, argv);
    return failed == 0 && g_ended > 0 && g_ended == g_skipped ? kSkipped : failed;
}
