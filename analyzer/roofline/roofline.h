// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// Theoretical roofs of one device: peak per cycle × the highest clock of any launch on it, so that
/// no dot lies above a roof merely because another launch ran at a lower clock. Without a measured
/// clock, the driver's maximum for the SM or the DRAM is used. Tensor cores have roofs for the
/// types in `tensor` only, for dense products: by the die's rate and the clock, else by the board's
/// public figure (profile/boards/board.h).
[[nodiscard]] std::vector<Roof> theoreticalRoofs(const Profile& profile, std::uint32_t device,
                                                 const ChipTable* chip,
                                                 const PerTensorType<bool>& tensor = {});

/// The precision with the most operations; absent if there are none. FP16 operations are an upper
/// bound and count only if conversions cannot explain them.
[[nodiscard]] std::optional<Precision> leadingPrecision(const Quantities& quantities);

/// Dots of the roofline for the leading precision and for each type that tensor cores multiplied,
/// one per level with traffic; those of the busier pipe come first, as in the verdict. None for a
/// tensor-core kernel whose operations were not counted. Next to tensor operations, the leading
/// precision has dots only if it does real work: sums that are scaled at the end would give dots
/// far below. A tensor-core kernel has no dot at shared memory, and none at the L1 if bulk copies
/// bypass it, because what feeds the tensor cores there is not counted.
[[nodiscard]] std::vector<RooflinePoint> rooflinePoints(const Quantities& quantities);

/// From this utilisation on, tensor operations dominate the arithmetic, and an FP32 dot alone would
/// mislead. Constants moved by HFMA2 show up to 3 % on kernels without a tensor instruction.
inline constexpr double kTensorInUse = 0.05;

/// Whether a kernel works on tensor cores; false where that was not measured.
[[nodiscard]] bool usesTensorCores(const Quantities& quantities);

/// Whether a tensor-core kernel loads by bulk copies (TMA), which the L1's counters do not see:
/// almost nothing passes the L1 while the L2 or the DRAM delivers.
[[nodiscard]] bool bypassesL1(const Quantities& quantities);

/// Tensor-core work, nearest to its roof first; types without operations are left out.
[[nodiscard]] std::vector<const TensorWork*> tensorWork(const Quantities& quantities);

}  // namespace roofscope
