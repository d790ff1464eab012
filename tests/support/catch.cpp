// SPDX-License-Identifier: Apache-2.0
// The file for which the header is precompiled that all tests read (tests/CMakeLists.txt).
#include "tests/support/catch.h"
