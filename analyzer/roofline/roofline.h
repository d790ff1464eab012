// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// Theoretical roofs of one device: peak per cycle × the highest clock of any launch on it, so that
/// no dot lies above a roof merely because another launch ran at a lower clock. Without a measured
/// clock the driver's maximum is used for the SM and the DRAM. Of tensor cores those of the types
/// in `tensor`, for dense products.
[[nodiscard]] std::vector<Roof> theoreticalRoofs(const Profile& profile, std::uint32_t device,
                                                 const ChipTable* chip,
                                                 const PerTensorType<bool>& tensor = {});

/// The precision with the most operations; absent when there are none. FP16 operations are an upper
/// bound and count only where conversions cannot explain them.
[[nodiscard]] std::optional<Precision> leadingPrecision(const Quantities& quantities);

/// Dots of the roofline for the leading precision and for each type that tensor cores multiplied,
/// one per level with traffic; first those of the busier pipe, as the verdict sees it. None for a
/// kernel on tensor cores whose operations were not counted. Beside counted ones the leading
/// precision has dots only where it does something: sums that are scaled at the end lie far below.
/// On tensor cores there is none at shared memory, and none at the L1 where bulk copies pass it by:
/// what feeds them there is not counted.
[[nodiscard]] std::vector<RooflinePoint> rooflinePoints(const Quantities& quantities);

/// From this utilisation on, tensor operations dominate the arithmetic: without them the FP32 dot
/// would lie.
/// Constants moved by HFMA2 show up to 3 % on kernels without a tensor instruction.
inline constexpr double kTensorInUse = 0.05;

/// Whether a kernel works on tensor cores; false where that was not measured.
[[nodiscard]] bool usesTensorCores(const Quantities& quantities);

/// Whether a kernel on tensor cores loads through bulk copies (TMA), which the L1's counters do not
/// see: next to nothing passes the L1 while the L2, or the DRAM, delivers.
[[nodiscard]] bool bypassesL1(const Quantities& quantities);

/// What tensor cores did, nearest to its roof first; types without operations are left out.
[[nodiscard]] std::vector<const TensorWork*> tensorWork(const Quantities& quantities);

}  // namespace roofscope
