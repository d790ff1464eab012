// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/catch.h"

namespace roofscope::test {

/// Called by SKIP_CASE. A test program whose cases all ended so exits with 77 ("skipped").
void noteSkippedCase();

}  // namespace roofscope::test

/// Ends a test case that cannot run on this machine and says why. Stands in the test case itself,
/// before its first check. So that ctest shows it, the case has a tag [needs-…], which is named at
/// roofscope_test(… NEEDS …): such cases are tests of their own there.
#define SKIP_CASE(reason)                   \
    do {                                    \
        WARN("skipped: " << (reason));      \
        roofscope::test::noteSkippedCase(); \
        return;                             \
    } while (false)
