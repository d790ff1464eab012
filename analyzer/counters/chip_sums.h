// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// Keys of ChipTable::peaks. The keys of ChipTable::sums append "_flops", or "_ops" for tensor
/// types.
[[nodiscard]] std::string_view peakKey(Level level);
[[nodiscard]] std::string_view peakKey(Precision precision);
/// Also the name of the type's ceiling (Device::ceilings).
[[nodiscard]] std::string_view peakKey(TensorType type);

/// A weighted sum of counters from the chip table, flattened for GroupSums.
struct ChipSum {
    std::vector<std::string_view> counters;
    std::vector<double> weights;
    std::string how;      ///< "dram__bytes_read.sum + dram__bytes_write.sum"
    std::string missing;  ///< why this chip has no such sum; empty if it has

    [[nodiscard]] bool ok() const { return missing.empty(); }
    /// Σ weight × sum for sums in the order of `counters`, starting at `first`.
    [[nodiscard]] double apply(std::span<const double> sums, std::size_t first = 0) const;
};

/// The sum of several keys of ChipTable::sums. The table must outlive the result.
[[nodiscard]] ChipSum chipSum(const ChipTable* chip, std::initializer_list<std::string_view> keys);

/// The most that a unit does per cycle, and the clock that counts its cycles.
struct PeakRate {
    double perCycle = 0;         ///< counted units (bytes, operations) × weight
    double countPerCycle = 0;    ///< the same without the weight (instructions)
    double perSm = 0;            ///< set if the data sheet gives the rate: per SM and cycle
    std::string counter, clock;  ///< where they come from
    std::string missing;         ///< empty when known
    [[nodiscard]] bool ok() const { return missing.empty(); }
    /// From the width of the memory bus: within 2 % of what CUPTI would give.
    [[nodiscard]] bool isByBusWidth() const { return counter.find("bus_width") != counter.npos; }
};
[[nodiscard]] PeakRate peakRate(const ChipTable* chip, const Device& device, std::string_view key);

}  // namespace roofscope
