// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "analyzer/model/analysis.h"
#include "tests/support/synthetic_profile.h"

/// Synthetic profiles for tests of reports, on an H200-like device. Counters follow from what the
/// named kernel would do.
namespace roofscope::test {

/// A launch with every counter of the default group at 0, a duration, even SMs and full lanes.
SyntheticProfile::LaunchRef idleLaunch(SyntheticProfile& p, std::string_view name, Dim3 grid,
                                       Dim3 block, double microseconds);

/// Five kernels with different verdicts: a transpose with 32-way bank conflicts (shared pipe), a
/// wide elementwise kernel near the DRAM roof, FP32 chains at the arithmetic roof, a scalar
/// elementwise kernel, and a copy without floating-point operations.
[[nodiscard]] SyntheticProfile showcase();

/// A kernel with uncoalesced loads (each from another row of a matrix) and a tile with bank
/// conflicts, counted per instruction and with source; and the same kernel launched in another
/// shape, without counters per instruction.
[[nodiscard]] SyntheticProfile sourceShowcase();

/// `count` kernels with very different times, and intensities and rates spread below the roofs.
[[nodiscard]] SyntheticProfile manyKernels(std::size_t count);

[[nodiscard]] Analysis analysisOf(const SyntheticProfile& p);

}  // namespace roofscope::test
