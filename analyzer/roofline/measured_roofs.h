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

/// The measured roofs of one device, as lines next to the theoretical ones. They use the best of
/// the short runs, because a profiled kernel is short as well. The DRAM has one line, the highest
/// of read, write, copy and triad, because no mix can exceed it. Tensor cores have lines for the
/// types in `tensor` only.
[[nodiscard]] std::vector<Roof> measuredRoofs(const Profile& profile, std::uint32_t device,
                                              const PerTensorType<bool>& tensor = {});

/// The best that a mix of DRAM reads and writes can reach.
struct DramMix {
    double write = 0, copy = 0, read = 0;  ///< all in one unit: shares of a roof, or B/s
    std::optional<double> triad = {};      ///< two reads per write
    /// The value for a share of reads from 0 to 1: write at 0, copy at 1/2, triad at 2/3 if known,
    /// read at 1, and straight lines between them.
    [[nodiscard]] double at(double readShare) const;
    /// The same in another unit.
    [[nodiscard]] DramMix operator/(double divisor) const;
};
/// As measured on this GPU, in B/s; absent unless write, copy and read were measured.
[[nodiscard]] std::optional<DramMix> measuredDramMix(const Device& device);

}  // namespace roofscope
