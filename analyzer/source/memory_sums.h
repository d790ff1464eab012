// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/source/source_analysis.h"

namespace roofscope {

/// A value in global memory that a loop loads, changes and stores in each round, at one address
/// that stays the same: a sum that could be kept in a register.
struct MemorySum {
    std::size_t load = 0, store = 0;  ///< rows of the source pass
    double executed = 0;              ///< how often, by all warps
    /// Samples of warps that wait for data at the two, and at what needs the loaded value.
    double samples = 0;
};

/// Those that run at least `least` times. Empty without machine code.
[[nodiscard]] std::vector<MemorySum> memorySums(const Profile& profile,
                                                const SourceAnalysis& source, double least);

}  // namespace roofscope
