// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope {

/// Seconds of one pass over one launch under kernel replay: 13 to 14 ms on an H200
/// (docs/collecting.md), plus saving and restoring what the launch writes.
inline constexpr double kSecondsPerPass = 0.02;

/// Seconds that each further run costs besides the program itself: setting up the counters.
inline constexpr double kSetUpOfRun = 1.0;

}  // namespace roofscope
