// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/catch.h"

namespace roofscope::test {

/// Called by SKIP_CASE. If all cases were skipped, the test program exits with 77 ("skipped").
void noteSkippedCase();

}  // namespace roofscope::test

/// Ends a test case that cannot run on this machine and says why. Use it in the test case itself,
/// before the first check. For ctest to show it, give the case a tag [needs-…] and name that in
/// roofscope_test(… NEEDS …): such cases are separate ctest entries.
#define SKIP_CASE(reason)                   \
    do {                                    \
        WARN("skipped: " << (reason));      \
        roofscope::test::noteSkippedCase(); \
        return;                             \
    } while (false)
