// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/source/source_analysis.h"

/// What the integer instructions of a kernel are for, by its machine code.
namespace roofscope {

/// Shares of the warp instructions of the launch of the source pass.
struct IntegerWork {
    double all = 0;  ///< integer and logic instructions and conversions; no moves and comparisons
    /// Of those, the ones that compute addresses from indices, counters and arguments. Addresses
    /// that follow from what each lane loaded are data, not addresses, in this sense.
    double addresses = 0;
    double divisions = 0;  ///< divisions and remainders by a variable, estimated from their calls
    /// Integer instructions of each row, as a share of all instructions.
    std::vector<double> perRow = {};
};

/// nullopt without machine code or counts.
[[nodiscard]] std::optional<IntegerWork> integerWork(const Profile& profile,
                                                     const SourceAnalysis& source);

}  // namespace roofscope
