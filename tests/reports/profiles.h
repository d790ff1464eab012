// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "analyzer/model/analysis.h"
#include "tests/support/synthetic_profile.h"

/// Synthetic profiles that the reports are tested with, on an H200-like device. Counters follow
/// from what the named kernel would do.
namespace roofscope::test {

/// A launch with every counter of the default group at 0, a duration, even SMs and full lanes.
SyntheticProfile::LaunchRef idleLaunch(SyntheticProfile& p, std::string_view name, Dim3 grid,
                                       Dim3 block, double microseconds);

/// Five kernels, each with another verdict: a transpose with 32-way bank conflicts (shared pipe), a
/// wide elementwise kernel near the DRAM roof, FP32 chains at the arithmetic roof, a scalar
/// elementwise kernel, and a copy without floating-point operations.
[[nodiscard]] SyntheticProfile showcase();

/// A kernel whose loads lie in different rows of a matrix (uncoalesced) and go through a tile with
/// bank conflicts, measured per instruction, with its source; and the same kernel launched in
/// another shape, of which no instruction was counted.
[[nodiscard]] SyntheticProfile sourceShowcase();

/// `count` kernels with intensities and rates spread below the roofs and very different times.
[[nodiscard]] SyntheticProfile manyKernels(std::size_t count);

[[nodiscard]] Analysis analysisOf(const SyntheticProfile& p);

}  // namespace roofscope::test
