// SPDX-License-Identifier: Apache-2.0
// The test runner's main() for Catch2 2.13; Catch2 3 brings its own.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
