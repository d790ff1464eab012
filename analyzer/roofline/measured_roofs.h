// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// Roofs that `roofscope ceilings` measured on a GPU (Device::ceilings).
namespace roofscope {

/// The ceiling of that name ("dram_read"); null when it was not measured.
[[nodiscard]] const Ceiling* findCeiling(const Device& device, std::string_view name);

/// The measured roofs of one device, as lines beside the theoretical ones: best of the short runs,
/// because a profiled kernel is short as well. The DRAM has one line, the highest of read, write,
/// copy and triad: no mix can be above it. Of tensor cores those of the types in `tensor`.
[[nodiscard]] std::vector<Roof> measuredRoofs(const Profile& profile, std::uint32_t device,
                                              const PerTensorType<bool>& tensor = {});

/// What a mix of DRAM reads and writes can reach at best.
struct DramMix {
    double write = 0, copy = 0, read = 0;  ///< all of one unit: shares of a roof, or B/s
    std::optional<double> triad = {};      ///< two reads to a write
    /// The value for a share of reads from 0 to 1: write at 0, copy at 1/2, triad at 2/3 where it
    /// is known, read at 1, straight lines between.
    [[nodiscard]] double at(double readShare) const;
    /// The same in another unit.
    [[nodiscard]] DramMix operator/(double divisor) const;
};
/// As measured on this GPU, in B/s; absent unless write, copy and read were measured.
[[nodiscard]] std::optional<DramMix> measuredDramMix(const Device& device);

}  // namespace roofscope
