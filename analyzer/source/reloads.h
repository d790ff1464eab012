// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/source/source_analysis.h"

namespace roofscope {

/// A load of an address that the same thread stored to a little earlier: a value that could have
/// stayed in a register.
struct Reload {
    std::size_t store = 0, load = 0;  ///< rows of the source pass
    double samples = 0;               ///< of warps that wait for its data
};

/// Those in code without barriers, fences and atomics between the two, at a place that nothing
/// between them moves. Empty without machine code.
[[nodiscard]] std::vector<Reload> findReloads(const Profile& profile, const SourceAnalysis& source);

}  // namespace roofscope
