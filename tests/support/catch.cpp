// SPDX-License-Identifier: Apache-2.0
// The source file of the precompiled header for all tests (tests/CMakeLists.txt).
#include "tests/support/catch.h"
