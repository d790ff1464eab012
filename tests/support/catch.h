// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Catch2 3.x and 2.13 behind one header.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
using Catch::Detail::Approx;
#endif
