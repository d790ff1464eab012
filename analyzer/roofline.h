// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/analysis.h"
#include "profile/chip.h"

namespace roofscope {

/// Theoretical roofs of one device: peak per cycle × the highest clock of any launch on it, so that
/// no dot lies above a roof merely because another launch ran at a lower clock. Without a measured
/// clock the driver's maximum is used for the SM and the DRAM.
[[nodiscard]] std::vector<Roof> theoreticalRoofs(const Profile& profile, std::uint32_t device,
                                                 const ChipTable* chip);

/// The precision with the most operations; absent when there are none. FP16 operations are an upper
/// bound and count only where conversions cannot explain them.
[[nodiscard]] std::optional<Precision> leadingPrecision(const Quantities& quantities);

/// Dots of the roofline for the leading precision, one per level with traffic. None for a kernel on
/// tensor cores, whose operations these counters do not include.
[[nodiscard]] std::vector<RooflinePoint> rooflinePoints(const Quantities& quantities);

/// From this utilisation on, tensor operations dominate the arithmetic and the FP32 dot would lie.
/// Constants moved by HFMA2 show up to 3 % on kernels without a tensor instruction.
inline constexpr double kTensorInUse = 0.05;

/// Whether a kernel works on tensor cores; false where that was not measured.
[[nodiscard]] bool usesTensorCores(const Quantities& quantities);

}  // namespace roofscope
