// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/model/analysis.h"
#include "tests/support/synthetic_profile.h"

/// Kernels whose counters follow from their code, as synthetic profiles on an H200-like device.
namespace roofscope::test {

using LaunchRef = SyntheticProfile::LaunchRef;

/// A device with the L2 peak that an H200 reports (188 read returns of 32 B per cycle).
[[nodiscard]] Device testDevice();
/// The same as a TU102 (compute capability 7.5).
[[nodiscard]] Device turingDevice();

/// A launch with every counter of the default group at 0, a duration, even SMs and full lanes. The
/// functions below start from it.
LaunchRef idle(SyntheticProfile& p, std::string_view name, Dim3 grid, Dim3 block,
               double microseconds);

/// Coalesced copy of `bytes`, `width` bytes per thread, DRAM traffic 1:1.
LaunchRef copy(SyntheticProfile& p, std::string_view name, double bytes, int width,
               double microseconds);
/// Reads and writes every 32nd float of an array; 2^21 elements in all.
LaunchRef strided(SyntheticProfile& p);
/// 8192 × 8192 transpose through a 32 × 32 tile.
LaunchRef transpose(SyntheticProfile& p, bool padded);

/// The analysis of a profile with one launch group.
[[nodiscard]] KernelAnalysis analyzeOne(const SyntheticProfile& p);
[[nodiscard]] const Finding* find(const KernelAnalysis& kernel, std::string_view ruleId);
[[nodiscard]] bool isRuledOut(const KernelAnalysis& kernel, std::string_view ruleId);
/// The first "{name}" in the texts of a result for which it has no argument; empty if there is
/// none.
[[nodiscard]] std::string unfilled(const Finding& finding);
[[nodiscard]] std::string unfilled(const KernelAnalysis& kernel);
[[nodiscard]] const CannotTell* unknown(const KernelAnalysis& kernel, std::string_view ruleId);

}  // namespace roofscope::test
